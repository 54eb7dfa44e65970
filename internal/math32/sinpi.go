package math32

import "github.com/gridstride/gridstride/internal/ieee"

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
func halfTurns(x, turn float32) float32 {
	const (
		piA = 2 * piBy2A
		piB = 2 * piBy2B
	)
	t := ieee.FMA(x, 2, toInteger+turn)
	f := ieee.FMA(t-(toInteger+turn), -0.5, x)
	n := int32(ieee.Float32bits(t))
	high := float32(f * piA)
	low := ieee.FMA(-f, piB, ieee.FMA(-f, piA, high))
	s := choose(n&1 != 0, sinReduced(high, low), cosReduced(high, low))
	if n&2 != 0 {
		s = 0 - s
	}
	return s
}
