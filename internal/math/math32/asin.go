package math32

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Asin is the arc sine of x, NaN outside [-1, 1], computed as math64's.
func Asin(x float32) float32 {
	a := ieee.Abs(x)
	high, cube, p, low := asinReduced(a)
	low = ieee.FMA(cube, p, low)
	if a > 0.5 {
		right := piBy2A - float32(2*high)
		low = ieee.FMA(low, -2, piBy2B+ieee.FMA(high, -2, piBy2A-right))
		return ieee.Copysign(right+low, x)
	}
	return ieee.Copysign(high+low, x)
}

// Acos is the arc cosine of x, NaN outside [-1, 1]. It is computed as Asin is.
func Acos(x float32) float32 {
	high, cube, p, low := asinReduced(x)
	if ieee.Abs(x) <= 0.5 {
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
func asinReduced(x float32) (high, cube, p, low float32) {
	high, z := x, float32(x*x)
	if !(ieee.Abs(x) <= 0.5) {
		z = ieee.FMA(ieee.Abs(x), -0.5, 0.5)
		high = ieee.Sqrt(z)
		low = float32(ieee.FMA(-high, high, z) * mathcommon.NearInverse(float32(2*high)))
	}
	p = float32(0x1.59da76p-5)
	p = ieee.FMA(p, z, 0x1.8ba7c6p-6)
	p = ieee.FMA(p, z, 0x1.748b3p-5)
	p = ieee.FMA(p, z, 0x1.330164p-4)
	p = ieee.FMA(p, z, 0x1.5555cap-3)
	return high, float32(high * z), p, low
}
