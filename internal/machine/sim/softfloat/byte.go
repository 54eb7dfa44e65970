package softfloat

import (
	"math"
	"slices"
)

// ByteFormat is a format of 8 bits (PTX ISA, "Alternate Floating-Point Data Formats").
type ByteFormat struct {
	finite   []float64 // the numbers that are not negative and finite, by their bits
	infinity uint32    // 0 if there is none
}

// The formats of 8 bits.
var (
	E4M3 = byteFormat(4, 3, 0x7f, 0)
	E5M2 = byteFormat(5, 2, 0x7c, 0x7c)
)

// byteFormat is a format whose finite numbers have the bits below end.
func byteFormat(exponent, mantissa int, end, infinity uint32) *ByteFormat {
	f := &ByteFormat{infinity: infinity}
	bias := 1<<(exponent-1) - 1
	for bits := range int(end) {
		e, m := bits>>mantissa, bits&(1<<mantissa-1)
		if e > 0 {
			m += 1 << mantissa
			e--
		}
		f.finite = append(f.finite, math.Ldexp(float64(m), e+1-bias-mantissa))
	}
	return f
}

// Value is the number that bits stand for.
func (f *ByteFormat) Value(bits uint32) float64 {
	x, magnitude := math.NaN(), bits&0x7f
	switch {
	case int(magnitude) < len(f.finite):
		x = f.finite[magnitude]
	case magnitude == f.infinity:
		x = math.Inf(1)
	}
	return math.Copysign(x, 1-float64(bits&0x80))
}

// Round is the number nearest to x, the even one of two, and the largest of its sign for what is
// larger: .rn.satfinite.
func (f *ByteFormat) Round(x float64) uint32 {
	if x != x {
		return 0x7f
	}
	sign := uint32(math.Float64bits(x)>>56) & 0x80
	magnitude, last := math.Abs(x), len(f.finite)-1
	i, exact := slices.BinarySearch(f.finite, magnitude)
	switch {
	case exact:
	case i > last:
		i = last
	default:
		middle := (f.finite[i-1] + f.finite[i]) / 2
		if magnitude < middle || magnitude == middle && i&1 == 1 {
			i--
		}
	}
	return sign | uint32(i)
}
