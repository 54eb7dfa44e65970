package ieee

import (
	"math"
	"math/bits"
)

// A number rounded to odd is the exact one if there is a float32 for it, and else of the two next
// to it the one whose last bit is set. Rounded once more, to a format at least two bits shorter, it
// gives what one rounding of the exact number would (Boldo and Melquiond, Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd, 2008).

// FMAOdd is x*y + z rounded to odd.
func FMAOdd(x, y, z float32) float32 { return Odd(fmaOdd64(x, y, z)) }

// FMAUp is x*y + z rounded towards +Inf.
func FMAUp(x, y, z float32) float32 {
	s := fmaOdd64(x, y, z)
	r := float32(s)
	if float64(r) < s {
		return math.Nextafter32(r, float32(math.Inf(1)))
	}
	return r
}

// fmaOdd64 is x*y + z rounded to odd, to a float64.
func fmaOdd64(x, y, z float32) float64 {
	p, c := float64(x)*float64(y), float64(z) // the product is exact
	s := p + c
	t := s - p
	e := (p - (s - t)) + (c - t) // the error of s, by Knuth's TwoSum, NaN where s is infinite
	if b := math.Float64bits(s); b&1 == 0 && (e > 0 || e < 0) {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return s
}

// Odd is x rounded to odd.
func Odd(x float64) float32 {
	y := float32(x)
	d := float64(y)
	b := Float32bits(y)
	if b&1 != 0 || x == d || x != x {
		return y
	}
	if Abs(x) > Abs(d) {
		return Float32frombits(b + 1)
	}
	return Float32frombits(b - 1)
}

// OddInteger is n rounded to odd.
func OddInteger(n uint64) float32 {
	low := max(bits.Len64(n)-24, 0)
	m := n >> low
	if m<<low != n {
		m |= 1
	}
	return float32(m) * Float32frombits(uint32(low+127)<<23)
}
