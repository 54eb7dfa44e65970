package math64

import (
	"github.com/gridstride/gridstride/internal/ieee"
	"github.com/gridstride/gridstride/internal/mathcommon"
)

// Asin is the arc sine of x, NaN outside [-1, 1].
//
// Up to 1/2 it is a polynomial. Beyond, asin(x) = pi/2 - 2*asin(sqrt((1-x)/2)), which leads back
// (Muller, Elementary Functions, third edition, 2016).
func Asin(x float64) float64 {
	a := ieee.Abs(x)
	high, low := asinReduced(a)
	if a > 0.5 {
		right := piBy2A - float64(2*high)
		low = ieee.FMA(low, -2, piBy2B+ieee.FMA(high, -2, piBy2A-right))
		return ieee.Copysign(right+low, x)
	}
	return ieee.Copysign(high+low, x)
}

// Acos is the arc cosine of x, NaN outside [-1, 1]. It is computed as Asin is.
func Acos(x float64) float64 {
	a := ieee.Abs(x)
	high, low := asinReduced(a)
	if x > 0.5 {
		return float64(2 * (high + low))
	}
	if a <= 0.5 {
		high, low = ieee.Copysign(high, x), float64(low*ieee.Copysign(1, x))
	}
	right := piBy2A - high
	right += ((piBy2A - right) - high) + (piBy2B - low)
	if a > 0.5 {
		right += right
	}
	return right
}

// asinReduced is the arc sine of a, or of sqrt((1-a)/2) where a is more than 1/2, as a sum.
func asinReduced(a float64) (high, low float64) {
	high, z := a, float64(a*a)
	if a > 0.5 {
		z = ieee.FMA(a, -0.5, 0.5)
		high = ieee.Sqrt(z)
		low = float64(ieee.FMA(-high, high, z) * mathcommon.NearInverse(float64(2*high)))
	}
	p := 0x1.05ff53de2ca22p-5
	p = ieee.FMA(p, z, -0x1.0b81c0e64f839p-6)
	p = ieee.FMA(p, z, 0x1.410a65425a945p-6)
	p = ieee.FMA(p, z, 0x1.aa34381596f88p-8)
	p = ieee.FMA(p, z, 0x1.8ef328806da3bp-7)
	p = ieee.FMA(p, z, 0x1.c6f651253fce8p-7)
	p = ieee.FMA(p, z, 0x1.1c6c437300c72p-6)
	p = ieee.FMA(p, z, 0x1.6e89edaba617ap-6)
	p = ieee.FMA(p, z, 0x1.f1c72c803e86p-6)
	p = ieee.FMA(p, z, 0x1.6db6db419a15fp-5)
	p = ieee.FMA(p, z, 0x1.333333336fe0dp-4)
	p = ieee.FMA(p, z, 0x1.5555555555384p-3)
	return high, ieee.FMA(float64(high*z), p, low)
}
