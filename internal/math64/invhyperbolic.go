package math64

import "github.com/gridstride/gridstride/internal/ieee"

// The inverse hyperbolic functions are odd polynomials near 0, and logarithms beyond. What is
// rounded off on the way to a logarithm's argument goes into it as a second number.

// large is where x^2 + 1 and x^2 - 1 are as good as x^2.
const large = 0x1p30

// Asinh is the inverse hyperbolic sine of x, log(x + sqrt(x^2 + 1)).
func Asinh(x float64) float64 {
	if isBelow(x, 0.5) {
		z := float64(x * x)
		p := 0x1.f103c6a5f6115p-10
		p = ieee.FMA(p, z, -0x1.4828ab747de19p-8)
		p = ieee.FMA(p, z, 0x1.f41b796125a75p-8)
		p = ieee.FMA(p, z, -0x1.3a63b06c4b177p-7)
		p = ieee.FMA(p, z, 0x1.79b611d6f7437p-7)
		p = ieee.FMA(p, z, -0x1.c9846dad69715p-7)
		p = ieee.FMA(p, z, 0x1.1c4e0f171e6aap-6)
		p = ieee.FMA(p, z, -0x1.6e8b9b236bbbap-6)
		p = ieee.FMA(p, z, 0x1.f1c71c3f8652dp-6)
		p = ieee.FMA(p, z, -0x1.6db6db6d6309dp-5)
		p = ieee.FMA(p, z, 0x1.3333333332fdp-4)
		p = ieee.FMA(p, z, -0x1.5555555555555p-3)
		return ieee.Copysign(ieee.FMA(float64(x*z), p, x), x) // x may be -0
	}
	a := ieee.Abs(x)
	sum, low, n := a, 0.0, 1.0 // log(2*x)
	if a < large {
		root, rest := sqrtOfSum(a, 1)
		sum = root + a
		low, n = a-(sum-root)+rest, 0
	} else if !(a < ieee.Inf[float64](1)) {
		return x
	}
	f, m, scale := splitScale(sum)
	return ieee.Copysign(logOfSum(f, float64(low*0.25*scale), m+float64(n*0x1p20)), x)
}

// Acosh is the inverse hyperbolic cosine of x, log(x + sqrt(x^2 - 1)), by Log1p's way.
func Acosh(x float64) float64 {
	if !(x >= 1 && x < ieee.Inf[float64](1)) {
		if x > 1 {
			return x
		}
		return ieee.NaN[float64]()
	}
	w := x - 1
	v, low, n := w, 0.0, 1.0 // log(2*x)
	if x < large {
		// x^2 - 1 is w^2 + 2*w, which does not cancel near 1.
		base, add := x, -1.0
		if x < 2 {
			base, add = w, w+w
		}
		root, rest := sqrtOfSum(base, add)
		v = root + w
		low, n = w-(v-root)+rest, 0
	}
	f, rest, m, scale := splitOnePlus(v)
	return logOfSum(f, ieee.FMA(float64(low*0.25), scale, rest), m+float64(n*0x1p20))
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

// sqrtOfSum is the square root of x^2 + y as a sum of two numbers, where x^2 + y is from y to 4*y
// or y is 1 or -1.
func sqrtOfSum(x, y float64) (root, rest float64) {
	sum := ieee.FMA(x, x, y)
	low := ieee.FMA(x, x, y-sum)
	root = ieee.Sqrt(sum)
	return root, float64((ieee.FMA(-root, root, sum) + low) * halfReciprocal(root))
}

// reciprocal is 1/x for a normal x above 0, within 1/16. That is as good as exact for what is
// rounded off. The exponent of its result is the opposite, and its significand falls as that of x
// grows.
func reciprocal(x float64) float64 {
	return ieee.Float64frombits(uint64(0x7fde6238-upper(x)) << 32)
}

// halfReciprocal is half of reciprocal(x).
func halfReciprocal(x float64) float64 {
	return ieee.Float64frombits(uint64(0x7fce6238-upper(x)) << 32)
}

// splitScale is split with the scale 4 * 2^(-n/2^20) beside it.
func splitScale(x float64) (f, n, scale float64) {
	const least = 0x3fe58000 // 43/64
	exponent := (upper(x) - least) & 0xfff00000
	scale = ieee.Float64frombits(uint64(0x40100000-exponent) << 32)
	return ieee.Float64frombits(ieee.Float64bits(x)-uint64(exponent)<<32) - 1, float64(int32(exponent)), scale
}
