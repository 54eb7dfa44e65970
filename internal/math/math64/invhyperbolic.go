package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// The inverse hyperbolic functions are logarithms, and odd polynomials if they are small. What is
// rounded off on the way to a logarithm's argument goes into it as a second number.

// Asinh is the inverse hyperbolic sine of x, log(x + sqrt(x^2 + 1)). Below 2^-20 it is two terms of
// its series, and from 2^60 on log(2*x).
func Asinh(x float64) float64 {
	const least, limit = 0x3eb00000, 0x43b00000 // of 2^-20 and 2^60
	a := ieee.Abs(x)
	if !(upper(a)-least < limit-least) {
		if a < 1 {
			return ieee.Copysign(ieee.FMA(float64(x*float64(x*x)), -1.0/6, x), x) // x may be -0
		}
		return ieee.Copysign(logOfTwice(a), x)
	}
	square := ieee.FMA(a, a, 1)
	root, rest, inverse := nearRoot(square, ieee.FMA(a, a, 1-square))
	sum := root + a
	return ieee.Copysign(logOfPair(sum, ieee.FMA(rest, float64(float32(0.5*inverse)), a-(sum-root))), x)
}

// Acosh is the inverse hyperbolic cosine of x, log(x + sqrt(x^2 - 1)). From 2^60 on it is log(2*x).
func Acosh(x float64) float64 {
	const one, limit = 0x3ff00000, 0x43b00000 // of 1 and 2^60
	if !(upper(x)-one < limit-one) || x == 1 {
		switch {
		case x > 1:
			return logOfTwice(x)
		case x == 1:
			return 0
		}
		return ieee.NaN[float64]()
	}
	// (x^2 - 1)/4 is w^2 + w for w = (x-1)/2, which does not cancel.
	w := ieee.FMA(x, 0.5, -0.5)
	square := ieee.FMA(w, w, w)
	root, rest, inverse := nearRoot(square, ieee.FMA(w, w, w-square))
	sum := ieee.FMA(root, 2, x)
	return logOfPair(sum, ieee.FMA(rest, float64(inverse), ieee.FMA(root, 2, x-sum)))
}

// logOfTwice is log(2*x) for an x of 1 and more, also where that is infinite, or NaN.
func logOfTwice(x float64) float64 {
	if !(x < ieee.Inf[float64](1)) {
		return x
	}
	f, n := split(ieee.Float64bits(x))
	return logOfSum(f, 0, n+0x1p20)
}

// nearRoot is the square root of x + low, from 2^-60 to 2^120, where low is x's rounding error: it
// is root + rest*inverse/2. Each of two steps of Newton's has the inverse of float32.
func nearRoot(x, low float64) (root, rest float64, inverse float32) {
	inverse = ieee.InverseRoot(float32(x))
	half := float64(float32(0.5 * inverse))
	root = float64(x * float64(inverse))
	root = ieee.FMA(ieee.FMA(-root, root, x), half, root)
	root = ieee.FMA(ieee.FMA(-root, root, x), half, root)
	return root, ieee.FMA(-root, root, x) + low, inverse
}

// logOfPair is log(x + rest) for an x of 1 and more. It is computed as Log is, for m from 0.71 to
// 1.42, where log(m) is small relative to the sum with n*ln2.
func logOfPair(x, rest float64) float64 {
	const least = 0x3fe6b851 // 0.71
	exponent := (upper(x) - least) & 0xfff00000
	n := float64(int32(exponent))
	f := ieee.Float64frombits(ieee.Float64bits(x)-uint64(exponent)<<32) - 1
	rest = float64(rest * ieee.Float64frombits(uint64(0x3ff00000-exponent)<<32))
	p := 0x1.a22e6p-6
	p = ieee.FMA(p, f, -0x1.dfb06p-5)
	p = ieee.FMA(p, f, 0x1.076fap-4)
	p = ieee.FMA(p, f, -0x1.d24c5p-5)
	p = ieee.FMA(p, f, 0x1.d28a1p-5)
	p = ieee.FMA(p, f, -0x1.fbf89p-5)
	p = ieee.FMA(p, f, 0x1.11a8ap-4)
	p = ieee.FMA(p, f, -0x1.24cc7p-4)
	p = ieee.FMA(p, f, 0x1.3b0dcp-4)
	p = ieee.FMA(p, f, -0x1.5551fp-4)
	p = ieee.FMA(p, f, 0x1.745d3p-4)
	p = ieee.FMA(p, f, -0x1.9999b61c2ae6ep-4)
	p = ieee.FMA(p, f, 0x1.c71c71e70e91ap-4)
	p = ieee.FMA(p, f, -0x1.ffffff7cdc78ep-4)
	p = ieee.FMA(p, f, 0x1.249249237290bp-3)
	p = ieee.FMA(p, f, -0x1.55555555e7aap-3)
	p = ieee.FMA(p, f, 0x1.999999999c4eep-3)
	p = ieee.FMA(p, f, -0x1.ffffffffff8f3p-3)
	p = ieee.FMA(p, f, 0x1.5555555555549p-2)
	// rest * (1 - f + 0.75*f^2) is rest/(1+f), nearly.
	low := ieee.FMA(float64(f*f), ieee.FMA(p, f, float64(rest*0.75)), ieee.FMA(-f, rest, rest))
	low = ieee.FMA(float64(f*-0.5), f, low)
	high := ieee.FMA(n, ln2Hi*0x1p-20, f)
	lost := f - ieee.FMA(n, -ln2Hi*0x1p-20, high)
	return high + (ieee.FMA(n, ln2Lo*0x1p-20, lost) + low)
}

// Atanh is the inverse hyperbolic tangent of x, log(1 + 2*x/(1-x)) / 2.
func Atanh(x float64) float64 {
	if isBelow(x, 0.5) {
		z := float64(x * x)
		p := 0x1.b82ab1b2d1e2fp-3
		p = ieee.FMA(p, z, -0x1.3552be9e6d733p-3)
		p = ieee.FMA(p, z, 0x1.1f7e30247e128p-3)
		p = ieee.FMA(p, z, 0x1.4f4de3ad36173p-7)
		p = ieee.FMA(p, z, 0x1.c27e9f320e803p-5)
		p = ieee.FMA(p, z, 0x1.a5e256ef573e1p-5)
		p = ieee.FMA(p, z, 0x1.e2e0e384ed976p-5)
		p = ieee.FMA(p, z, 0x1.11078bbf700c4p-4)
		p = ieee.FMA(p, z, 0x1.3b142cf800108p-4)
		p = ieee.FMA(p, z, 0x1.745d132ce4017p-4)
		p = ieee.FMA(p, z, 0x1.c71c71dc3cdccp-4)
		p = ieee.FMA(p, z, 0x1.2492492474e25p-3)
		p = ieee.FMA(p, z, 0x1.9999999999bcep-3)
		p = ieee.FMA(p, z, 0x1.5555555555555p-2)
		return ieee.FMA(float64(x*z), p, x)
	}
	a := ieee.Abs(x)
	if !(a < 1) {
		if a == 1 {
			return ieee.Copysign(ieee.Inf[float64](1), x)
		}
		return ieee.NaN[float64]()
	}
	d := 1 - a // exactly
	v := 2 * a / d
	low := float64(ieee.FMA(-v, d, 2*a) * reciprocal(d))
	f, rest, n, scale := splitOnePlus(v)
	return ieee.Copysign(float64(logOfSum(f, ieee.FMA(float64(low*0.25), scale, rest), n)*0.5), x)
}

// reciprocal is 1/x for a normal x above 0, within 1/16. That is as good as exact for what is
// rounded off. The exponent of its result is the opposite, and its significand falls as x's
// grows.
func reciprocal(x float64) float64 {
	return ieee.Float64frombits(uint64(0x7fde6238-upper(x)) << 32)
}

// halfReciprocal is half of reciprocal(x).
func halfReciprocal(x float64) float64 {
	return ieee.Float64frombits(uint64(0x7fce6238-upper(x)) << 32)
}
