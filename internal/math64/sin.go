package math64

import "github.com/gridstride/gridstride/internal/ieee"

// Sin is the sine of x radians.
//
// The argument is reduced to pi/4 and less, where the sine or the cosine is a polynomial, as in
// Muller, Elementary Functions (third edition, 2016). Its coefficients are chosen by the quadrant,
// which on a GPU costs less than a branch. What reduction has rounded off is added at the end.
func Sin(x float64) float64 {
	n, high, low := reduce(x)
	return quadrant(n, sine(n, high, low))
}

// Cos is the cosine of x radians. It is computed as Sin is.
func Cos(x float64) float64 {
	n, high, low := reduce(x)
	return quadrant(n+1, sine(n+1, high, low))
}

// Sincos is Sin and Cos of x. They share the reduction.
func Sincos(x float64) (sin, cos float64) {
	n, high, low := reduce(x)
	return quadrant(n, sine(n, high, low)), quadrant(n+1, sine(n+1, high, low))
}

// quadrant gives the sine s of a quadrant its sign.
func quadrant(n int32, s float64) float64 {
	return ieee.Float64frombits(ieee.Float64bits(s) ^ uint64(n&2)<<62)
}

// sine is the sine of high - low for an even n, the cosine for an odd one. high is pi/4 at most.
func sine(n int32, high, low float64) float64 {
	odd := n&1 != 0
	z := float64(high * high)
	p := choose(odd, -0x1.5e118c8674772p-33, 0x1.9073d27e1f6d4p-37)
	p = ieee.FMA(p, z, choose(odd, 0x1.ae6020fd65d6cp-26, -0x1.1eeb584e7aa5dp-29))
	p = ieee.FMA(p, z, choose(odd, -0x1.71de37b1c6854p-19, 0x1.27e4fa036b9b5p-22))
	p = ieee.FMA(p, z, choose(odd, 0x1.a01a019ea12efp-13, -0x1.a01a019f38aeep-16))
	p = ieee.FMA(p, z, choose(odd, -0x1.1111111110c83p-7, 0x1.6c16c16c168ccp-10))
	p = ieee.FMA(p, z, choose(odd, 0x1.5555555555555p-3, -0x1.5555555555555p-5))
	one := ieee.FMA(z, -0.5, 1)
	rest := ieee.FMA(high, low, ieee.FMA(z, -0.5, 1-one))
	return choose(odd, high, one) - ieee.FMA(float64(z*choose(odd, high, z)), p, choose(odd, low, -rest))
}

// choose is a select instruction.
func choose(odd bool, even, other float64) float64 {
	if odd {
		return other
	}
	return even
}
