package math64

import "github.com/gridstride/gridstride/internal/ieee"

// Sin is the sine of x radians.
//
// The argument is reduced to pi/4 and less, where the sine and the cosine are polynomials, as in
// Muller, Elementary Functions (third edition, 2016). Both are evaluated, which on a GPU costs less
// than a branch, or the choice of each coefficient. What reduction has rounded off is added at the
// end.
func Sin(x float64) float64 {
	n, high, low := reduce(x)
	return quadrant(n, sinReduced(high, low), cosReduced(high, low))
}

// Cos is the cosine of x radians. It is computed as Sin is.
func Cos(x float64) float64 {
	n, high, low := reduce(x)
	return quadrant(n+1, sinReduced(high, low), cosReduced(high, low))
}

// Sincos is Sin and Cos of x, for little more than one of them.
func Sincos(x float64) (sin, cos float64) {
	n, high, low := reduce(x)
	s, c := sinReduced(high, low), cosReduced(high, low)
	return quadrant(n, s, c), quadrant(n+1, s, c)
}

// quadrant is the sine of an angle whose reduced one has the sine s and the cosine c.
func quadrant(n int32, s, c float64) float64 {
	return ieee.Float64frombits(ieee.Float64bits(choose(n&1 != 0, s, c)) ^ uint64(n)<<62&(1<<63))
}

// sinReduced is the sine of high - low, for high up to pi/4.
func sinReduced(high, low float64) float64 {
	z := float64(high * high)
	p := -0x1.5e118c8674772p-33
	p = ieee.FMA(p, z, 0x1.ae6020fd65d6cp-26)
	p = ieee.FMA(p, z, -0x1.71de37b1c6854p-19)
	p = ieee.FMA(p, z, 0x1.a01a019ea12efp-13)
	p = ieee.FMA(p, z, -0x1.1111111110c83p-7)
	p = ieee.FMA(p, z, 0x1.5555555555555p-3)
	return high - ieee.FMA(float64(z*high), p, low)
}

// cosReduced is the cosine of high - low, for high up to pi/4.
func cosReduced(high, low float64) float64 {
	z := float64(high * high)
	p := -0x1.9073d27e1f6d4p-37
	p = ieee.FMA(p, z, 0x1.1eeb584e7aa5dp-29)
	p = ieee.FMA(p, z, -0x1.27e4fa036b9b5p-22)
	p = ieee.FMA(p, z, 0x1.a01a019f38aeep-16)
	p = ieee.FMA(p, z, -0x1.6c16c16c168ccp-10)
	p = ieee.FMA(p, z, 0x1.5555555555555p-5)
	p = ieee.FMA(p, z, -0.5)
	rest := ieee.FMA(ieee.FMA(high, high, -z), -0.5, float64(high*low)) // what z lacks
	return ieee.FMA(z, p, rest) + 1
}

// choose is a select instruction.
func choose(odd bool, even, other float64) float64 {
	if odd {
		return other
	}
	return even
}
