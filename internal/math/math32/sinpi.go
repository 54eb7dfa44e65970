package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// Sinpi is the sine of pi*x, computed as math64.Sinpi is.
func Sinpi(x float32) float32 {
	a := ieee.Abs(x)
	var s float32
	if !(ieee.Abs(x) < 0x1p20) {
		s = halfTurns(withoutEven(a), 0)
	} else {
		s = halfTurns(a, 0)
	}
	return ieee.Float32frombits(ieee.Float32bits(s) ^ ieee.Float32bits(x)&(1<<31))
}

// Cospi is the cosine of pi*x. It is exactly +0 for an integer and a half.
func Cospi(x float32) float32 {
	if !(ieee.Abs(x) < 0x1p20) {
		return halfTurns(withoutEven(x), 1)
	}
	return halfTurns(x, 1)
}

// withoutEven is x without an even integer. It is exact, and NaN of an infinity.
func withoutEven(x float32) float32 {
	half := float32(0.5 * x)
	return x - float32(2*ieee.Trunc(half))
}

// halfTurns is the sine of pi*x and turn quarter turns more, for |x| below 2^20. It is never -0.
//
// pi and -pi²/2 are sums of two numbers: what the larger part is multiplied with is exact, and the
// smaller one is added to the rest of the polynomial.
func halfTurns(x, turn float32) float32 {
	t := ieee.FMA(x, 2, toInteger+turn)
	f := ieee.FMA(t-(toInteger+turn), -0.5, x) // from -1/4 to 1/4, exactly
	n := ieee.Float32bits(t)
	z := float32(f * f)
	p := float32(-0x1.2dcfcep-1)
	p = ieee.FMA(p, z, 0x1.466034p+1)
	p = ieee.FMA(p, z, -0x1.4abbcp+2)
	p = ieee.FMA(p, z, -0x1.777a5cp-24)
	sin := ieee.FMA(f, 0x1.921fb6p+1, float32(f*p))
	q := float32(0x1.dae5cap-3)
	q = ieee.FMA(q, z, -0x1.55ca32p+0)
	q = ieee.FMA(q, z, 0x1.03c1e8p+2)
	q = ieee.FMA(q, z, -0x1.37c8bcp-23)
	cos := ieee.FMA(f, ieee.FMA(f, -0x1.3bd3ccp+2, float32(f*q)), 1)
	s := choose(n&1 != 0, sin, cos)
	if n&2 != 0 {
		s = 0 - s
	}
	return s
}
