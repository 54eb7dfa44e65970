package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// Sinh is the hyperbolic sine of x: an odd polynomial up to 1, and beyond that half of e^x - e^-x
// by expParts.
func Sinh(x float64) float64 {
	if isBelow(x, 1) {
		z := float64(x * x)
		p := 0x1.b260b8b044cb7p-41
		p = ieee.FMA(p, z, 0x1.612234504ee59p-33)
		p = ieee.FMA(p, z, 0x1.ae645336ffbc4p-26)
		p = ieee.FMA(p, z, 0x1.71de3a5e9b752p-19)
		p = ieee.FMA(p, z, 0x1.a01a01a00b9c2p-13)
		p = ieee.FMA(p, z, 0x1.1111111111198p-7)
		p = ieee.FMA(p, z, 0x1.5555555555555p-3)
		return ieee.FMA(float64(x*z), p, x)
	}
	a := ieee.Abs(x)
	t, r, c, s := expParts(a)
	if !isBelow(x, 708) {
		return ieee.Copysign(halfExp(t, r, c, s, a), x)
	}
	up, down := halfPowers(t)
	less := ieee.FMA(down, (c-s)-r, down) // e^-a / 2
	return ieee.Copysign(up+ieee.FMA(up, r, ieee.FMA(up, c+s, -less)), x)
}

// Cosh is the hyperbolic cosine of x: half of e^x + e^-x, by expParts.
func Cosh(x float64) float64 {
	a := ieee.Abs(x)
	t, r, c, s := expParts(a)
	if !isBelow(x, 708) {
		return halfExp(t, r, c, s, a)
	}
	up, down := halfPowers(t)
	less := ieee.FMA(down, (c-s)-r, down) // e^-a / 2
	if integer(t) == 0 {
		return 1 + c // with less rounding
	}
	return up + ieee.FMA(up, r, ieee.FMA(up, c+s, less))
}

// expParts takes e^a apart: a = n*ln2 + r with |r| <= ln2/2, except for the error of rounding r,
// and t is toInteger + n. c is cosh(r) - 1 and s is sinh(r) - r, with that error. So e^a is (1 + r
// + c + s) * 2^n, and e^-a is (1 - r + c - s) * 2^-n.
func expParts(a float64) (t, r, c, s float64) {
	t = ieee.FMA(a, log2E, toInteger)
	m := t - toInteger
	high := ieee.FMA(m, -ln2Hi, a)
	r = ieee.FMA(m, -ln2Lo, high)
	low := ieee.FMA(m, -ln2Lo, high-r)
	z := float64(r * r)
	p := 0x1.1f92d862c64a4p-29
	p = ieee.FMA(p, z, 0x1.27e4c6e1d6371p-22)
	p = ieee.FMA(p, z, 0x1.a01a01b0676ecp-16)
	p = ieee.FMA(p, z, 0x1.6c16c16c143ddp-10)
	p = ieee.FMA(p, z, 0x1.555555555555bp-5)
	p = ieee.FMA(p, z, 0x1p-1)
	q := 0x1.af3f5b5afab29p-26
	q = ieee.FMA(q, z, 0x1.71de0a1a3dcb6p-19)
	q = ieee.FMA(q, z, 0x1.a01a01a90a924p-13)
	q = ieee.FMA(q, z, 0x1.1111111110702p-7)
	q = ieee.FMA(q, z, 0x1.5555555555556p-3)
	return t, r, float64(p * z), ieee.FMA(float64(r*z), q, low)
}

// halfPowers are the halves of 2^n and 2^-n, where t is toInteger + n.
func halfPowers(t float64) (up, down float64) {
	return scale(0.5, t), ieee.Float64frombits(uint64(0x3fe00000-lower(t)<<20) << 32)
}

// halfExp is half of e^a for a so large that e^-a does not show.
func halfExp(t, r, c, s, a float64) float64 {
	if !(a < 711) {
		return float64(a * ieee.Inf[float64](1)) // or NaN
	}
	return float64(2 * float64((1+(r+(c+s)))*scale(0.25, t)))
}

// Tanh is the hyperbolic tangent of x: an odd polynomial up to 1, and beyond that 1 - 2/(e^2x + 1).
func Tanh(x float64) float64 {
	if isBelow(x, 1) {
		z := float64(x * x)
		p := 0x1.6a457p-26
		p = ieee.FMA(p, z, -0x1.f0899p-23)
		p = ieee.FMA(p, z, 0x1.53796p-20)
		p = ieee.FMA(p, z, -0x1.3e4e5p-18)
		p = ieee.FMA(p, z, 0x1.de69dp-17)
		p = ieee.FMA(p, z, -0x1.3f1c6p-15)
		p = ieee.FMA(p, z, 0x1.93897p-14)
		p = ieee.FMA(p, z, -0x1.f4d99p-13)
		p = ieee.FMA(p, z, 0x1.354ac560fb529p-11)
		p = ieee.FMA(p, z, -0x1.7da1c6626ed92p-10)
		p = ieee.FMA(p, z, 0x1.d6d3acb1575dep-9)
		p = ieee.FMA(p, z, -0x1.226e34444e97p-7)
		p = ieee.FMA(p, z, 0x1.664f48776eca9p-6)
		p = ieee.FMA(p, z, -0x1.ba1ba1b9d572dp-5)
		p = ieee.FMA(p, z, 0x1.1111111110a07p-3)
		p = ieee.FMA(p, z, -0x1.555555555554dp-2)
		return ieee.Copysign(ieee.FMA(float64(x*z), p, x), x) // x may be -0
	}
	a := ieee.Abs(x)
	if !isBelow(x, 20) {
		if a > 20 {
			a = 20
		}
	}
	t := ieee.FMA(a, 2*log2E, toInteger)
	n := t - toInteger
	r := ieee.FMA(n, -ln2Lo, ieee.FMA(n, -ln2Hi, 2*a))
	p := 0x1.acce4p-26
	p = ieee.FMA(p, r, 0x1.28a87p-22)
	p = ieee.FMA(p, r, 0x1.71df9p-19)
	p = ieee.FMA(p, r, 0x1.a019ap-16)
	p = ieee.FMA(p, r, 0x1.a01a00fda8dbp-13)
	p = ieee.FMA(p, r, 0x1.6c16c181b8bep-10)
	p = ieee.FMA(p, r, 0x1.111111112f3bfp-7)
	p = ieee.FMA(p, r, 0x1.555555555152cp-5)
	p = ieee.FMA(p, r, 0x1.55555555554ep-3)
	p = ieee.FMA(p, r, 0x1.0000000000007p-1)
	p = ieee.FMA(float64(r*r), p, r) // e^r - 1
	power := scale(1, t)
	return ieee.Copysign(ieee.FMA(-2, 1/ieee.FMA(power, p, power+1), 1), x)
}
