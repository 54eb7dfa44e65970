package math32

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/math/ieee"
)

// Rsqrt is 1 / sqrt(x), rounded to nearest. It has no branch, so that in a loop none of several
// waits for another.
func Rsqrt(x float32) float32 {
	z := x
	if x < 0x1p-126 { // it may be subnormal
		z = float32(x * 0x1p24)
	}
	y := ieee.InverseRootLimit(z)
	if x < 0x1p-126 {
		y = float32(y * 0x1p12)
	}
	return y
}

// chop is x with 12 bits.
func chop(x float32) float32 { return ieee.Float32frombits(ieee.Float32bits(x) &^ 0xfff) }

// Cbrt is the cube root of x, computed as math64's.
func Cbrt(x float32) float32 {
	a := ieee.Abs(x)
	if a < 0x1p-126 {
		return ieee.Copysign(float32(cbrt(float32(a*0x1p24))*0x1p-8), x)
	}
	return ieee.Copysign(cbrt(a), x)
}

// cbrt is Cbrt of a number that is not below 0, and 0 or not subnormal. What c rounds off is in e
// as well, so that a third of it remains. y has 12 bits, and its square no error.
func cbrt(x float32) float32 {
	third, _ := bits.Mul32(ieee.Float32bits(x), 0x55555556)
	y := ieee.Float32frombits(0x54a1f000 - third)
	e := ieee.FMA(float32(-x*y), float32(y*y), 1)
	y = chop(ieee.FMA(float32(y*e), ieee.FMA(e, 0x1.ca220cp-3, 0x1.56b682p-2), y))
	c := float32(x * float32(y*y))
	e = ieee.FMA(-c, y, 1)
	return ieee.FMA(float32(c*e), ieee.FMA(e, 5.0/9, 2.0/3), c)
}

// Hypot is sqrt(x^2 + y^2), without overflow on the way. The root is mended for what it and the
// larger square round off (C. F. Borges, An improved algorithm for hypot(a,b), 2019).
func Hypot(x, y float32) float32 {
	a, b := ieee.Abs(x), ieee.Abs(y)
	if a < b {
		a, b = b, a
	}
	if !(a > 0x1p-50 && a < 0x1p60) {
		return hypotExtreme(a, b)
	}
	return hypot(a, b)
}

// hypotExtreme is Hypot for an a that is far from 1, and not less than b, or where one is NaN.
func hypotExtreme(a, b float32) float32 {
	switch {
	case ieee.IsInf(a, 1) || ieee.IsInf(b, 1):
		return ieee.Inf[float32](1)
	case a >= 0x1p60:
		return float32(hypot(float32(a*0x1p-90), float32(b*0x1p-90)) * 0x1p90)
	case a == 0:
		return b // which is 0 or NaN
	}
	return float32(hypot(float32(a*0x1p90), float32(b*0x1p90)) * 0x1p-90)
}

// hypot is Hypot where a is not less than b and no square overflows, and a's is not too small.
func hypot(a, b float32) float32 {
	square := float32(a * a)
	sum := ieee.FMA(b, b, square)
	root := ieee.Sqrt(sum)
	rest := ieee.FMA(-root, root, sum) + ieee.FMA(a, a, -square)
	return ieee.FMA(rest, halfReciprocal(root), root)
}
