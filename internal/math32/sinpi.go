package math32

import "github.com/gridstride/gridstride/internal/ieee"

// Sinpi is the sine of pi*x, computed as math64.Sinpi is.
func Sinpi(x float32) float32 {
	n, high, low := reducePi(ieee.Abs(x), 0)
	s := halfTurn(n, sinReduced(high, low), cosReduced(high, low))
	if ieee.Signbit(x) {
		return -s
	}
	return s
}

// Cospi is the cosine of pi*x. It is exactly +0 for an integer and a half.
func Cospi(x float32) float32 {
	n, high, low := reducePi(x, 1)
	return halfTurn(n, sinReduced(high, low), cosReduced(high, low))
}

// reducePi is pi*x as (n-turn)*(pi/2) + high - low, with n modulo 4.
func reducePi(x, turn float32) (n int32, high, low float32) {
	const (
		piA = 2 * piBy2A
		piB = 2 * piBy2B
	)
	if !(ieee.Abs(x) < 0x1p20) {
		half := float32(0.5 * x)
		x -= float32(2 * ieee.Trunc(half)) // which is exact, and leaves NaN of an infinity
	}
	t := ieee.FMA(x, 2, toInteger+turn)
	f := ieee.FMA(t-(toInteger+turn), -0.5, x)
	high = float32(f * piA)
	low = ieee.FMA(-f, piB, ieee.FMA(-f, piA, high))
	return int32(ieee.Float32bits(t)), high, low
}

// halfTurn is quadrant, but never -0.
func halfTurn(n int32, s, c float32) float32 {
	s = choose(n&1 != 0, s, c)
	if n&2 != 0 {
		s = 0 - s
	}
	return s
}
