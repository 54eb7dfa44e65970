package math64

import (
	"github.com/gridstride/gridstride/internal/ieee"
	"github.com/gridstride/gridstride/internal/math32"
)

// Rsqrt is 1 / sqrt(x). A step of Householder's, of third order in e = 1 - x*y^2, goes from a
// float32 y, whose square is exact, so that e is.
func Rsqrt(x float64) float64 {
	scale := 1.0
	bits := ieee.Float64bits(x)
	if !isNormalPositive(bits) {
		if !isSubnormal(x) {
			return rsqrtSpecial(x)
		}
		x, scale = float64(x*0x1p54), 0x1p27
		bits = ieee.Float64bits(x)
	}
	// x is m * 4^k with m from 1 to 4.
	k := (upper(x) - 0x3ff00000) & 0xffe00000
	m := ieee.Float64frombits(bits - uint64(k)<<32)
	s := float32(m)
	z := math32.NearRsqrt(s)
	r := ieee.FMA(float32(-s*z), z, 1)
	y := float64(ieee.FMA(float32(z*0.5), r, z))
	e := ieee.FMA(-m, float64(y*y), 1)
	y = ieee.FMA(float64(y*e), ieee.FMA(e, 0.375, 0.5), y)
	return float64(ieee.Float64frombits(ieee.Float64bits(y)-uint64(uint32(int32(k)>>1))<<32) * scale)
}

// rsqrtSpecial is Rsqrt of a number that is not finite or not above 0.
func rsqrtSpecial(x float64) float64 {
	switch {
	case x == 0:
		return ieee.Copysign(ieee.Inf[float64](1), x)
	case x > 0:
		return 0
	}
	return ieee.NaN[float64]()
}

// Cbrt is the cube root of x. The exponent is divided by 3, and the rest, m, has the root m*y^2 for
// y = 1/cbrt(m). A step of Householder's, in e = 1 - m*y^3, goes from a float32 y.
func Cbrt(x float64) float64 {
	a := ieee.Abs(x)
	third := uint32(341) // of the exponent's bias
	if !isNormalPositive(ieee.Float64bits(a)) {
		if !isSubnormal(a) {
			return x
		}
		a = float64(a * 0x1p54)
		third += 18
	}
	k := upper(a) >> 20 * 21846 >> 16 // the exponent divided by 3: a GPU takes long for a division
	m := ieee.Float64frombits(ieee.Float64bits(a) - uint64(3*k-1023)<<52)
	s := float32(m)
	w := math32.NearRcbrt(s)
	r := ieee.FMA(float32(-s*w), float32(w*w), 1)
	y := float64(ieee.FMA(float32(w*r), 1.0/3, w))
	z := float64(y * y)
	c := float64(m * z)
	low := ieee.FMA(m, z, -c)
	e := ieee.FMA(-low, y, ieee.FMA(-c, y, 1))
	c += ieee.FMA(float64(c*e), ieee.FMA(e, 5.0/9, 2.0/3), low)
	return ieee.Copysign(ieee.Float64frombits(ieee.Float64bits(c)+uint64(k-third)<<52), x)
}

// Hypot is sqrt(x^2 + y^2), without overflow on the way. The sum of the squares is one of two
// numbers, and its root is mended for the second (C. F. Borges, An improved algorithm for
// hypot(a,b), 2019).
func Hypot(x, y float64) float64 {
	a, b := ieee.Abs(x), ieee.Abs(y)
	if a < b {
		a, b = b, a
	}
	scale := 1.0
	if !(a > 0x1p-450 && a < 0x1p500) {
		switch {
		case ieee.IsInf(x, 0) || ieee.IsInf(y, 0):
			return ieee.Inf[float64](1)
		case a >= 0x1p500:
			scale, a, b = 0x1p700, float64(a*0x1p-700), float64(b*0x1p-700)
		default:
			scale, a, b = 0x1p-700, float64(a*0x1p700), float64(b*0x1p700)
		}
	}
	square := float64(a * a)
	low := ieee.FMA(a, a, -square)
	sum := ieee.FMA(b, b, square)
	low += ieee.FMA(b, b, square-sum)
	root := ieee.Sqrt(sum)
	rest := ieee.FMA(-root, root, sum) + low
	return float64(ieee.FMA(rest, 0.5*reciprocal(root), root) * scale)
}
