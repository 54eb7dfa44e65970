package math32

import "github.com/gridstride/gridstride/internal/ieee"

// The inverse hyperbolic functions are odd polynomials near 0, and logarithms beyond. What is
// rounded off on the way to a logarithm's argument goes into it as a second number.

// large is where x^2 + 1 and x^2 - 1 are as good as x^2.
const large = 0x1p15

// Asinh is the inverse hyperbolic sine of x, log(x + sqrt(x^2 + 1)).
func Asinh(x float32) float32 {
	if ieee.Abs(x) < 0.5 {
		z := float32(x * x)
		p := float32(-0x1.d4acdep-7)
		p = ieee.FMA(p, z, 0x1.d7aa96p-6)
		p = ieee.FMA(p, z, -0x1.6c98ecp-5)
		p = ieee.FMA(p, z, 0x1.332ebcp-4)
		p = ieee.FMA(p, z, -0x1.555552p-3)
		return ieee.Copysign(ieee.FMA(float32(x*z), p, x), x) // x may be -0
	}
	a := ieee.Abs(x)
	sum, low, n := a, float32(0), float32(1) // log(2*x)
	if a < large {
		root, rest := sqrtOfSum(a, 1)
		sum = root + a
		low, n = a-(sum-root)+rest, 0
	} else if !(a < ieee.Inf[float32](1)) {
		return x
	}
	f, m, scale := splitScale(sum)
	return ieee.Copysign(logOfSum(f, float32(low*0.25*scale), m+float32(n*0x1p23)), x)
}

// Acosh is the inverse hyperbolic cosine of x, log(x + sqrt(x^2 - 1)), by Log1p's way.
func Acosh(x float32) float32 {
	if !(x >= 1 && x < ieee.Inf[float32](1)) {
		if x > 1 {
			return x
		}
		return ieee.NaN[float32]()
	}
	w := x - 1
	v, low, n := w, float32(0), float32(1) // log(2*x)
	if x < large {
		// x^2 - 1 is w^2 + 2*w, which does not cancel near 1.
		base, add := x, float32(-1)
		if x < 2 {
			base, add = w, w+w
		}
		root, rest := sqrtOfSum(base, add)
		v = root + w
		low, n = w-(v-root)+rest, 0
	}
	f, rest, m, scale := splitOnePlus(v)
	return logOfSum(f, ieee.FMA(float32(low*0.25), scale, rest), m+float32(n*0x1p23))
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

// sqrtOfSum is the square root of x^2 + y as a sum of two numbers, where x^2 + y is from y to 4*y
// or y is 1 or -1.
func sqrtOfSum(x, y float32) (root, rest float32) {
	sum := ieee.FMA(x, x, y)
	low := ieee.FMA(x, x, y-sum)
	root = ieee.Sqrt(sum)
	return root, float32((ieee.FMA(-root, root, sum) + low) * halfReciprocal(root))
}

// reciprocal is 1/x for a normal x above 0, within 1/16. That is as good as exact for what is
// rounded off. The exponent of its result is the opposite, and its significand falls as that of x
// grows.
func reciprocal(x float32) float32 {
	return ieee.Float32frombits(0x7ef127ea - ieee.Float32bits(x))
}

// halfReciprocal is half of reciprocal(x).
func halfReciprocal(x float32) float32 {
	return ieee.Float32frombits(0x7e7127ea - ieee.Float32bits(x))
}

// splitScale is split with the scale 4 * 2^(-n/2^23) beside it.
func splitScale(x float32) (f, n, scale float32) {
	const least = 0x3f2c0000 // 43/64
	exponent := (ieee.Float32bits(x) - least) & 0xff800000
	scale = ieee.Float32frombits(0x40800000 - exponent)
	return ieee.Float32frombits(ieee.Float32bits(x)-exponent) - 1, float32(int32(exponent)), scale
}
