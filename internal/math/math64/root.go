package math64

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/math/ieee"
)

// Rsqrt is 1 / sqrt(x). Halving the exponent gives the first digits (C. Lomont, Fast inverse square
// root, 2003), and two steps of Householder's the others, in e = 1 - x*y^2. The first is one of
// float32, which leaves a y of 24 bits: its square is exact, so that e is.
func Rsqrt(x float64) float64 {
	const least, limit = 0x38800000, 0x47700000 // of 2^-119 and 2^120: a float32 has the exponent
	if upper(x)-least < limit-least {
		return rsqrt(x)
	}
	if !(x > 0 && x < ieee.Inf[float64](1)) {
		return rsqrtSpecial(x)
	}
	scale := 1.0
	if x < 0x1p-1022 {
		x, scale = float64(x*0x1p54), 0x1p27
	}
	half := (upper(x)>>20 - 1022) >> 1 << 20 // of the exponent, so that from 1/2 to 2 remains
	y := rsqrt(ieee.Float64frombits(ieee.Float64bits(x) - uint64(half)<<33))
	return float64(ieee.Float64frombits(ieee.Float64bits(y)-uint64(half)<<32) * scale)
}

// rsqrt is Rsqrt for x from 2^-119 to 2^120.
func rsqrt(x float64) float64 {
	s := float32(x)
	r := ieee.Float32frombits(0x5f374000 - ieee.Float32bits(s)>>1) // to 1/28
	d := ieee.FMA(float32(-s*r), r, 1)
	y := float64(ieee.FMA(float32(r*d), ieee.FMA(d, 0x1.8155ap-2, 0x1.008e8p-1), r)) // to 2^-15
	e := ieee.FMA(-x, float64(y*y), 1)
	p := ieee.FMA(e, 0.3125, 0.375)
	p = ieee.FMA(p, e, 0.5)
	return ieee.FMA(float64(y*e), p, y)
}

// chop is x with 21 bits.
func chop(x float64) float64 { return ieee.Float64frombits(uint64(upper(x)) << 32) }

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

// Cbrt is the cube root of x, x*y^2 for y = 1/cbrt(x). Dividing the exponent by 3 gives the first
// digits of y, as in Rsqrt, and two steps of Householder's the others, in e = 1 - x*y^3.
func Cbrt(x float64) float64 {
	a := ieee.Abs(x)
	if isNormalPositive(ieee.Float64bits(a)) {
		return ieee.Copysign(cbrt(a), x)
	}
	if !isSubnormal(a) {
		return x
	}
	return ieee.Copysign(float64(cbrt(float64(a*0x1p54))*0x1p-18), x)
}

// cbrt is Cbrt of a normal number above 0.
func cbrt(x float64) float64 {
	third, _ := bits.Mul32(upper(x), 0x55555556)              // a GPU has no division of integers
	y := ieee.Float64frombits(uint64(0x553ee000-third) << 32) // to 1/28
	e := ieee.FMA(float64(-x*y), float64(y*y), 1)
	y = chop(ieee.FMA(float64(y*e), ieee.FMA(e, 0x1.cd644p-3, 0x1.56aa7p-2), y)) // to 2^-14
	z := float64(y * y)
	c := float64(x * z)
	low := ieee.FMA(x, z, -c)
	e = ieee.FMA(-low, y, ieee.FMA(-c, y, 1))
	p := ieee.FMA(e, 110.0/243, 40.0/81)
	p = ieee.FMA(p, e, 5.0/9)
	p = ieee.FMA(p, e, 2.0/3)
	return c + ieee.FMA(float64(c*e), p, low)
}

// Hypot is sqrt(x^2 + y^2), without overflow on the way. The root is mended for what it and the
// larger square round off (C. F. Borges, An improved algorithm for hypot(a,b), 2019).
func Hypot(x, y float64) float64 {
	a, b := ieee.Abs(x), ieee.Abs(y)
	if a < b {
		a, b = b, a
	}
	if !(a > 0x1p-450 && a < 0x1p500) {
		return hypotExtreme(a, b)
	}
	return hypot(a, b)
}

// hypotExtreme is Hypot for an a that is far from 1, and not less than b, or where one is NaN.
func hypotExtreme(a, b float64) float64 {
	switch {
	case ieee.IsInf(a, 1) || ieee.IsInf(b, 1):
		return ieee.Inf[float64](1)
	case a >= 0x1p500:
		return float64(hypot(float64(a*0x1p-700), float64(b*0x1p-700)) * 0x1p700)
	case a == 0:
		return b // which is 0 or NaN
	}
	return float64(hypot(float64(a*0x1p700), float64(b*0x1p700)) * 0x1p-700)
}

// hypot is Hypot where a is not less than b and no square overflows, and a's is not too small.
func hypot(a, b float64) float64 {
	square := float64(a * a)
	sum := ieee.FMA(b, b, square)
	root := ieee.Sqrt(sum)
	rest := ieee.FMA(-root, root, sum) + ieee.FMA(a, a, -square)
	return ieee.FMA(rest, halfReciprocal(root), root)
}
