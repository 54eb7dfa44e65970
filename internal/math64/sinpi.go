package math64

import "github.com/gridstride/gridstride/internal/ieee"

// Sinpi is the sine of pi*x. It is exactly 0, with the sign of x, for integers.
//
// The reduction to a quadrant is exact, and the multiplication with pi keeps what it rounds off;
// then it is Sin.
func Sinpi(x float64) float64 {
	n, high, low := reducePi(ieee.Abs(x), 0)
	s := halfTurn(n, wave(n, high, low))
	if ieee.Signbit(x) {
		return -s
	}
	return s
}

// Cospi is the cosine of pi*x. It is exactly +0 for an integer and a half.
func Cospi(x float64) float64 {
	n, high, low := reducePi(x, 1)
	return halfTurn(n, wave(n, high, low))
}

// reducePi is pi*x as (n-turn)*(pi/2) + high - low, with n modulo 4.
func reducePi(x, turn float64) (n int32, high, low float64) {
	const (
		piA = 2 * piBy2A
		piB = 2 * piBy2B
	)
	if !(ieee.Abs(x) < 0x1p50) {
		half := float64(0.5 * x)
		x -= float64(2 * ieee.Trunc(half)) // which is exact, and leaves NaN of an infinity
	}
	t := ieee.FMA(x, 2, toInteger+turn)
	f := ieee.FMA(t-(toInteger+turn), -0.5, x)
	high = float64(f * piA)
	low = ieee.FMA(-f, piB, ieee.FMA(-f, piA, high))
	return int32(ieee.Float64bits(t)), high, low
}

// halfTurn is turned, but never -0.
func halfTurn(n int32, s float64) float64 {
	if n&2 != 0 {
		s = 0 - s
	}
	return s
}
