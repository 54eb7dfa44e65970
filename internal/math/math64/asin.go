package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// Asin is the arc sine of x, NaN outside [-1, 1].
//
// Up to 1/2 it is a polynomial. Beyond, asin(x) = pi/2 - 2*asin(sqrt((1-x)/2)), which leads back
// (Muller, Elementary Functions, third edition, 2016).
func Asin(x float64) float64 {
	high, cube, p, low := asinReduced(x)
	if isBelow(x, 0.5) {
		return ieee.FMA(cube, p, high)
	}
	right := ieee.FMA(high, -2, piBy2A)
	low = ieee.FMA(ieee.FMA(cube, p, low), -2, piBy2B+ieee.FMA(high, -2, piBy2A-right))
	return ieee.Copysign(right+low, x)
}

// Acos is the arc cosine of x, NaN outside [-1, 1]. It is computed as Asin is.
func Acos(x float64) float64 {
	high, cube, p, low := asinReduced(x)
	if isBelow(x, 0.5) {
		return piBy2A - (x + ieee.FMA(cube, p, -piBy2B))
	}
	low = ieee.FMA(cube, p, low)
	half := high + low
	if x < 0 {
		half = piBy2A - (high + (low - piBy2B))
	}
	return half + half
}

// asinReduced is the arc sine of x, or of sqrt((1-|x|)/2) where |x| is not below 1/2, as
// high + (cube*p + low).
func asinReduced(x float64) (high, cube, p, low float64) {
	high, z := x, float64(x*x)
	if !isBelow(x, 0.5) {
		z = ieee.FMA(ieee.Abs(x), -0.5, 0.5)
		high = ieee.Sqrt(z)
		low = float64(ieee.FMA(-high, high, z) * halfReciprocal(high))
	}
	p = 0x1.058d3p-5
	p = ieee.FMA(p, z, -0x1.0a2e5p-6)
	p = ieee.FMA(p, z, 0x1.402d8p-6)
	p = ieee.FMA(p, z, 0x1.ab7edp-8)
	p = ieee.FMA(p, z, 0x1.8ecbep-7)
	p = ieee.FMA(p, z, 0x1.c6fc8p-7)
	p = ieee.FMA(p, z, 0x1.1c6bfp-6)
	p = ieee.FMA(p, z, 0x1.6e89f37f5fb46p-6)
	p = ieee.FMA(p, z, 0x1.f1c72c3dbac3bp-6)
	p = ieee.FMA(p, z, 0x1.6db6db427b3ebp-5)
	p = ieee.FMA(p, z, 0x1.333333336e5b3p-4)
	p = ieee.FMA(p, z, 0x1.5555555555393p-3)
	return high, float64(high * z), p, low
}
