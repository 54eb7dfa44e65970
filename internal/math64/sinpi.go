package math64

import "github.com/gridstride/gridstride/internal/ieee"

// Sinpi is the sine of pi*x. It is exactly 0, with the sign of x, for integers.
//
// The reduction to a quadrant is exact, and the multiplication with pi keeps what it rounds off;
// then it is Sin.
func Sinpi(x float64) float64 {
	a := ieee.Abs(x)
	var s float64
	if !isBelow(x, 0x1p50) {
		s = halfTurns(withoutEven(a), 0)
	} else {
		s = halfTurns(a, 0)
	}
	return ieee.Float64frombits(ieee.Float64bits(s) ^ ieee.Float64bits(x)&(1<<63))
}

// Cospi is the cosine of pi*x. It is exactly +0 for an integer and a half.
func Cospi(x float64) float64 {
	if !isBelow(x, 0x1p50) {
		return halfTurns(withoutEven(x), 1)
	}
	return halfTurns(x, 1)
}

// withoutEven is x without an even integer. It is exact, and NaN of an infinity.
func withoutEven(x float64) float64 {
	half := float64(0.5 * x)
	return x - float64(2*ieee.Trunc(half))
}

// halfTurns is the sine of pi*x and turn quarter turns more, for |x| below 2^50. It is never -0.
func halfTurns(x, turn float64) float64 {
	const (
		piA = 2 * piBy2A
		piB = 2 * piBy2B
	)
	t := ieee.FMA(x, 2, toInteger+turn)
	f := ieee.FMA(t-(toInteger+turn), -0.5, x)
	n := int32(ieee.Float64bits(t))
	high := float64(f * piA)
	low := ieee.FMA(-f, piB, ieee.FMA(-f, piA, high))
	s := wave(n, high, low)
	if n&2 != 0 {
		s = 0 - s
	}
	return s
}
