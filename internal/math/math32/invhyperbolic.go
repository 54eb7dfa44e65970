package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// The inverse hyperbolic functions are logarithms, and odd polynomials or x itself if they are
// small. What is rounded off on the way to a logarithm's argument goes into it as a second number.

// Asinh is the inverse hyperbolic sine of x, log(x + sqrt(x^2 + 1)). Below 2^-12 it is x, and from
// 2^60 on log(2*x).
func Asinh(x float32) float32 {
	a := ieee.Abs(x)
	if !(a >= 0x1p-12 && a < 0x1p60) {
		if a < 1 {
			return x
		}
		return ieee.Copysign(logOfTwice(a), x)
	}
	square := ieee.FMA(a, a, 1)
	root, rest, inverse := nearRoot(square, ieee.FMA(a, a, 1-square))
	sum := root + a
	return ieee.Copysign(logOfPair(sum, ieee.FMA(float32(rest*inverse), 0.5, a-(sum-root))), x)
}

// Acosh is the inverse hyperbolic cosine of x, log(x + sqrt(x^2 - 1)). From 2^60 on it is log(2*x).
func Acosh(x float32) float32 {
	if !(x > 1 && x < 0x1p60) {
		switch {
		case x > 1:
			return logOfTwice(x)
		case x == 1:
			return 0
		}
		return ieee.NaN[float32]()
	}
	// (x^2 - 1)/4 is w^2 + w for w = (x-1)/2, which does not cancel.
	w := ieee.FMA(x, 0.5, -0.5)
	square := ieee.FMA(w, w, w)
	root, rest, inverse := nearRoot(square, ieee.FMA(w, w, w-square))
	sum := ieee.FMA(root, 2, x)
	return logOfPair(sum, ieee.FMA(rest, inverse, ieee.FMA(root, 2, x-sum)))
}

// logOfTwice is log(2*x) for an x of 1 and more, also where that is infinite, or NaN.
func logOfTwice(x float32) float32 {
	const ln2 = 0x1.62e43p-1
	if !(x < ieee.Inf[float32](1)) {
		return x
	}
	f, n := split(ieee.Float32bits(x))
	return ieee.FMA(n+0x1p23, ln2*0x1p-23, ieee.FMA(float32(f*f), logTail(f), f))
}

// nearRoot is the square root of x + low, where low is x's rounding error: it is root +
// rest*inverse/2.
func nearRoot(x, low float32) (root, rest, inverse float32) {
	inverse = ieee.InverseRoot(x)
	root = float32(x * inverse)
	return root, ieee.FMA(-root, root, x) + low, inverse
}

// logOfPair is log(x + rest) for an x of 1 and more. It is computed as Log is, for m from 0.7 to
// 1.4. The sum of n*ln2 and f is one of two numbers, by Dekker's Fast2Sum.
func logOfPair(x, rest float32) float32 {
	const (
		ln2   = 0x1.62e43p-1
		least = 0x3f333333 // 0.7
	)
	exponent := (ieee.Float32bits(x) - least) & 0xff800000
	n := float32(int32(exponent))
	f := ieee.Float32frombits(ieee.Float32bits(x)-exponent) - 1
	rest = float32(rest * ieee.Float32frombits(0x3f800000-exponent))
	p := float32(-0x1.64b74ap-4)
	p = ieee.FMA(p, f, 0x1.0e1984p-3)
	p = ieee.FMA(p, f, -0x1.09f6ccp-3)
	p = ieee.FMA(p, f, 0x1.217c88p-3)
	p = ieee.FMA(p, f, -0x1.549f2ap-3)
	p = ieee.FMA(p, f, 0x1.99afbp-3)
	p = ieee.FMA(p, f, -0x1.0001f8p-2)
	p = ieee.FMA(p, f, 0x1.55553ep-2)
	p = ieee.FMA(p, f, ieee.FMA(rest, 0.75, -0x1.fffffep-2))
	p = ieee.FMA(f, ieee.FMA(f, p, -rest), rest) // rest * (1 - f + 0.75*f^2) is rest/(1+f), nearly
	high := ieee.FMA(n, ln2*0x1p-23, f)
	low := f - ieee.FMA(n, -ln2*0x1p-23, high)
	return high + (low + p)
}

// Atanh is the inverse hyperbolic tangent of x, log(1 + 2*x/(1-x)) / 2.
func Atanh(x float32) float32 {
	if ieee.Abs(x) < 0.5 {
		z := float32(x * x)
		p := float32(0x1.4552dep-3)
		p = ieee.FMA(p, z, 0x1.068cb8p-4)
		p = ieee.FMA(p, z, 0x1.d68f92p-4)
		p = ieee.FMA(p, z, 0x1.241792p-3)
		p = ieee.FMA(p, z, 0x1.999c5ep-3)
		p = ieee.FMA(p, z, 0x1.555554p-2)
		return ieee.FMA(float32(x*z), p, x)
	}
	a := ieee.Abs(x)
	if !(a < 1) {
		if a == 1 {
			return ieee.Copysign(ieee.Inf[float32](1), x)
		}
		return ieee.NaN[float32]()
	}
	d := 1 - a // exactly
	v := 2 * a / d
	low := float32(ieee.FMA(-v, d, 2*a) * reciprocal(d))
	f, rest, n, scale := splitOnePlus(v)
	return ieee.Copysign(float32(logOfSum(f, ieee.FMA(float32(low*0.25), scale, rest), n)*0.5), x)
}

// reciprocal is 1/x for a normal x above 0, within 1/16. That is as good as exact for what is
// rounded off. The exponent of its result is the opposite, and its significand falls as x's
// grows.
func reciprocal(x float32) float32 {
	return ieee.Float32frombits(0x7ef127ea - ieee.Float32bits(x))
}

// halfReciprocal is half of reciprocal(x).
func halfReciprocal(x float32) float32 {
	return ieee.Float32frombits(0x7e7127ea - ieee.Float32bits(x))
}
