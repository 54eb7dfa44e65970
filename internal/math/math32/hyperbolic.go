package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// Sinh is the hyperbolic sine of x: an odd polynomial up to 1, and beyond that half of e^x - e^-x
// by expParts.
func Sinh(x float32) float32 {
	if ieee.Abs(x) < 1 {
		z := float32(x * x)
		p := float32(0x1.725236p-19)
		p = ieee.FMA(p, z, 0x1.a03554p-13)
		p = ieee.FMA(p, z, 0x1.1110c6p-7)
		p = ieee.FMA(p, z, 0x1.555556p-3)
		return ieee.FMA(float32(x*z), p, x)
	}
	a := ieee.Abs(x)
	t, r, c, s := expParts(a)
	if !(a < 87) {
		return ieee.Copysign(halfExp(t, r, c, s, a), x)
	}
	up, down := halfPowers(t)
	less := ieee.FMA(down, (c-s)-r, down) // e^-a / 2
	return ieee.Copysign(up+ieee.FMA(up, r, ieee.FMA(up, c+s, -less)), x)
}

// Cosh is the hyperbolic cosine of x. With e^|x| = 2^n * e^r, |r| <= ln2/2, it is
// cosh(n*ln2) * cosh(r) + sinh(n*ln2) * sinh(r), where cosh(r) - 1 and sinh(r) - r are polynomials.
//
// From 89.5 on n stays the same and the result is infinite.
func Cosh(x float32) float32 {
	a := ieee.Abs(x)
	t := ieee.FMA(ieee.Limit(a, 89.5), log2E, toInteger)
	m := t - toInteger
	high, low := ieee.FMA(m, -ln2Hi, a), float32(m*-ln2Lo) // r, whose high is exact
	r := high + low
	z := float32(r * r)
	p := float32(0x1.6d308ep-10)
	p = ieee.FMA(p, z, 0x1.5555p-5)
	p = ieee.FMA(p, z, 0x1p-1)
	q := float32(0x1.a35e52p-13)
	q = ieee.FMA(q, z, 0x1.110f8ap-7)
	q = ieee.FMA(q, z, 0x1.555556p-3)
	rest := ieee.FMA(float32(r*z), q, low) // sinh(r) - high

	shift := ieee.Float32bits(t) << 23
	up := ieee.Float32frombits(0x3e800000 + shift)                   // 2^n / 4
	down := float32(ieee.Float32frombits(0x41000000-shift) * 0x1p-5) // 2^-n / 4
	sum, difference := up+down, up-down
	less := ieee.FMA(sum, float32(p*z), ieee.FMA(difference, rest, down))
	return float32((up + ieee.FMA(difference, high, less)) * 2)
}

// expParts takes e^a apart: a = n*ln2 + r with |r| <= ln2/2, except for the error of rounding r,
// and t is toInteger + n. c is cosh(r) - 1 and s is sinh(r) - r, with that error. So e^a is (1 + r
// + c + s) * 2^n, and e^-a is (1 - r + c - s) * 2^-n.
func expParts(a float32) (t, r, c, s float32) {
	t = ieee.FMA(a, log2E, toInteger)
	m := t - toInteger
	high := ieee.FMA(m, -ln2Hi, a)
	r = ieee.FMA(m, -ln2Lo, high)
	low := ieee.FMA(m, -ln2Lo, high-r)
	z := float32(r * r)
	p := float32(0x1.6d308ep-10)
	p = ieee.FMA(p, z, 0x1.5555p-5)
	p = ieee.FMA(p, z, 0x1p-1)
	q := float32(0x1.a35e52p-13)
	q = ieee.FMA(q, z, 0x1.110f8ap-7)
	q = ieee.FMA(q, z, 0x1.555556p-3)
	return t, r, float32(p * z), ieee.FMA(float32(r*z), q, low)
}

// halfPowers are the halves of 2^n and 2^-n, where t is toInteger + n.
func halfPowers(t float32) (up, down float32) {
	return scale(0.5, t), ieee.Float32frombits(0x3f000000 - ieee.Float32bits(t)<<23)
}

// halfExp is half of e^a for a so large that e^-a does not show.
func halfExp(t, r, c, s, a float32) float32 {
	if !(a < 90) {
		return float32(a * ieee.Inf[float32](1)) // or NaN
	}
	return float32(2 * float32((1+(r+(c+s)))*scale(0.25, t)))
}

// Tanh is the hyperbolic tangent of x: an odd polynomial up to 1, and beyond that 1 - 2/(e^2x + 1).
func Tanh(x float32) float32 {
	if ieee.Abs(x) < 1 {
		return tanhNear(x)
	}
	return tanhFar(x)
}

// TanhBranchFree is Tanh without a branch, as [ErfBranchFree] is Erf.
func TanhBranchFree(x float32) float32 {
	near, far := tanhNear(x), tanhFar(x)
	if ieee.Abs(x) < 1 {
		return near
	}
	return far
}

// tanhNear is the hyperbolic tangent of an x below 1.
func tanhNear(x float32) float32 {
	z := float32(x * x)
	p := float32(0x1.4ad2b2p-13)
	p = ieee.FMA(p, z, -0x1.00a3fp-10)
	p = ieee.FMA(p, z, 0x1.af19d2p-9)
	p = ieee.FMA(p, z, -0x1.1f09f8p-7)
	p = ieee.FMA(p, z, 0x1.661p-6)
	p = ieee.FMA(p, z, -0x1.ba1c2cp-5)
	p = ieee.FMA(p, z, 0x1.11113p-3)
	p = ieee.FMA(p, z, -0x1.555556p-2)
	return ieee.Copysign(ieee.FMA(float32(x*z), p, x), x) // x may be -0
}

// tanhFar is the hyperbolic tangent of an x of 1 or more, which is 1 from 10 on.
func tanhFar(x float32) float32 {
	a := ieee.Abs(x)
	if a > 10 {
		a = 10
	}
	const ln2 = 0x1.62e43p-1 // its error counts for less than a quarter
	t := ieee.FMA(a, 2*log2E, toInteger)
	n := t - toInteger
	r := ieee.FMA(n, -ln2, 2*a)
	p := float32(0x1.694cd2p-10)
	p = ieee.FMA(p, r, 0x1.123988p-7)
	p = ieee.FMA(p, r, 0x1.555a26p-5)
	p = ieee.FMA(p, r, 0x1.555492p-3)
	p = ieee.FMA(p, r, 0x1.fffffap-2)
	p = ieee.FMA(float32(r*r), p, r) // e^r - 1
	power := scale(1, t)
	return ieee.Copysign(ieee.FMA(-2, ieee.Inverse(ieee.FMA(power, p, power+1)), 1), x)
}
