package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// log2E is log2(e). ln2Hi and ln2Lo are ln2 in two parts: a multiple of the first by an exponent is
// exact.
const (
	log2E = 0x1.71547652b82fep+0
	ln2Hi = 0x1.62e42fefa38p-1
	ln2Lo = 0x1.ef35793c7673p-45
)

// toInteger added to a number of less than 2^51 leaves the nearest integer in the low bits.
const toInteger = 0x1.8p52

// Exp is e to the power of x.
//
// x = n*ln2 + r with |r| <= ln2/2, in the way of Cody and Waite, Software Manual for the Elementary
// Functions, 1980. e^r is a polynomial.
func Exp(x float64) float64 {
	t := ieee.FMA(x, log2E, toInteger)
	n := t - toInteger
	r := ieee.FMA(n, -ln2Lo, ieee.FMA(n, -ln2Hi, x))
	p := 0x1.ade16b0d5d2bbp-26
	p = ieee.FMA(p, r, 0x1.28af44e06f61ap-22)
	p = ieee.FMA(p, r, 0x1.71dee61dbbdb7p-19)
	p = ieee.FMA(p, r, 0x1.a01997c3ddb1p-16)
	p = ieee.FMA(p, r, 0x1.a01a0147627b5p-13)
	p = ieee.FMA(p, r, 0x1.6c16c1852cdf4p-10)
	p = ieee.FMA(p, r, 0x1.1111111122324p-7)
	p = ieee.FMA(p, r, 0x1.555555555029dp-5)
	p = ieee.FMA(p, r, 0x1.5555555555511p-3)
	p = ieee.FMA(p, r, 0x1.000000000000bp-1)
	p = ieee.FMA(p, r, 1)
	p = ieee.FMA(p, r, 1)
	if isBelow(x, 708) {
		return scale(p, t)
	}
	return scaleAny(p, t, x, 0x1.62e42fefa39efp+9, -0x1.74910d52d3052p+9)
}

// Exp2 is 2 to the power of x, exact where x is an integer. It is computed as Exp is.
func Exp2(x float64) float64 {
	t := x + toInteger
	p := exp2Of(x - (t - toInteger))
	if isBelow(x, 1022) {
		return scale(p, t)
	}
	return scaleAny(p, t, x, 0x1.fffffffffffffp+9, -1075)
}

// exp2Of is 2^r for |r| <= 1/2, a polynomial.
func exp2Of(r float64) float64 {
	p := 0x1.ec6b6282a685bp-32
	p = ieee.FMA(p, r, 0x1.e60595a88cd51p-28)
	p = ieee.FMA(p, r, 0x1.b52335e6fe3c9p-24)
	p = ieee.FMA(p, r, 0x1.62bfd4df40b7cp-20)
	p = ieee.FMA(p, r, 0x1.ffcbfd479e5bbp-17)
	p = ieee.FMA(p, r, 0x1.4309130944095p-13)
	p = ieee.FMA(p, r, 0x1.5d87fe787493ap-10)
	p = ieee.FMA(p, r, 0x1.3b2ab6fba1ec4p-7)
	p = ieee.FMA(p, r, 0x1.c6b08d704a1d3p-5)
	p = ieee.FMA(p, r, 0x1.ebfbdff82c598p-3)
	p = ieee.FMA(p, r, 0x1.62e42fefa39efp-1)
	return ieee.FMA(p, r, 1)
}

// Exp10 is 10 to the power of x. It is computed as Exp is.
func Exp10(x float64) float64 {
	const (
		log2Of10   = 0x1.a934f0979a371p1
		log10Of2   = 0x1.34413509f8p-2 // a multiple by an exponent is exact
		log10Of2Lo = -0x1.80433b83b532ap-44
	)
	t := ieee.FMA(x, log2Of10, toInteger)
	n := t - toInteger
	r := ieee.FMA(n, -log10Of2Lo, ieee.FMA(n, -log10Of2, x))
	p := 0x1.f4f0a601b11d5p-13
	p = ieee.FMA(p, r, 0x1.2f66eda50380cp-10)
	p = ieee.FMA(p, r, 0x1.489b0b2119e12p-8)
	p = ieee.FMA(p, r, 0x1.41166a4cb94f7p-6)
	p = ieee.FMA(p, r, 0x1.16e4de87f4bd5p-4)
	p = ieee.FMA(p, r, 0x1.a7ed709a9ef5ap-3)
	p = ieee.FMA(p, r, 0x1.1429ffd23abacp-1)
	p = ieee.FMA(p, r, 0x1.2bd7609fd6b47p+0)
	p = ieee.FMA(p, r, 0x1.0470591de2af9p+1)
	p = ieee.FMA(p, r, 0x1.53524c73cea6fp+1)
	p = ieee.FMA(p, r, 0x1.26bb1bbb55516p+1)
	p = ieee.FMA(p, r, 1)
	if isBelow(x, 307) {
		return scale(p, t)
	}
	return scaleAny(p, t, x, 0x1.34413509f79fep+8, -0x1.439b746e36b52p+8)
}

// Expm1 is e^x - 1, also where that is small. It is computed as Exp is, without the 1 of the
// polynomial: 2^n * (e^r - 1) + (2^n - 1). n is 0 up to 0.41, so that what is added does not
// cancel.
func Expm1(x float64) float64 {
	t := ieee.FMA(x, log2E, toInteger)
	if isBelow(x, 0.41) {
		t = toInteger
	}
	n := t - toInteger
	high := ieee.FMA(n, -ln2Hi, x)
	r := ieee.FMA(n, -ln2Lo, high)
	low := ieee.FMA(n, -ln2Lo, high-r)
	p := 0x1.1fc390c2b4bfcp-29
	p = ieee.FMA(p, r, 0x1.afac10d0366abp-26)
	p = ieee.FMA(p, r, 0x1.27e4a651c1863p-22)
	p = ieee.FMA(p, r, 0x1.71ddcbc04a645p-19)
	p = ieee.FMA(p, r, 0x1.a01a01bf381b3p-16)
	p = ieee.FMA(p, r, 0x1.a01a01c0caba5p-13)
	p = ieee.FMA(p, r, 0x1.6c16c16c11b72p-10)
	p = ieee.FMA(p, r, 0x1.111111110d1c1p-7)
	p = ieee.FMA(p, r, 0x1.555555555555ep-5)
	p = ieee.FMA(p, r, 0x1.555555555555ep-3)
	p = ieee.FMA(p, r, 0x1p-1)
	p = r + ieee.FMA(float64(r*r), p, low)
	if isBelow(x, 708) {
		s, one := scale(1, t), float64(0)
		if integer(t) > 53 { // s - 1 is s
			one = -1
		}
		return ieee.Copysign(ieee.FMA(p, s, one)+(s-1), x)
	}
	switch {
	case x > 0x1.62e42fefa39efp+9:
		return ieee.Inf[float64](1)
	case x < 0:
		return -1
	case x != x:
		return x
	}
	s := pow2(integer(t) - 1)
	return float64(ieee.FMA(p, s, s-0.5) * 2)
}

// isBelow reports whether |x| is less than limit, by the upper halves of their bits, as a GPU
// compares integers faster. It is exact for a limit that has no bits in the lower half.
func isBelow(x float64, limit float64) bool {
	return upper(x)&0x7fffffff < upper(limit)
}

// upper and lower are the halves of the bits of x.
func upper(x float64) uint32 { return uint32(ieee.Float64bits(x) >> 32) }
func lower(x float64) uint32 { return uint32(ieee.Float64bits(x)) }

// scale is p * 2^n, where t is toInteger + n and the result is a normal number.
func scale(p, t float64) float64 {
	return ieee.Float64frombits(ieee.Float64bits(p) + uint64(lower(t)<<20)<<32)
}

// scaleAny is p * 2^n, where t is toInteger + n, for p from 1/2 to 2 and x from least to most. It
// rounds once, where the result is subnormal. For other x it is 0, infinite or NaN.
func scaleAny(p, t, x, most, least float64) float64 {
	switch {
	case x > most:
		return ieee.Inf[float64](1)
	case x < least:
		return 0
	case x != x:
		return x
	}
	n := integer(t)
	half := n >> 1
	return float64(p * pow2(half) * pow2(n-half))
}

// integer is n, where t is toInteger + n.
func integer(t float64) int32 { return int32(lower(t)) }

// pow2 is 2^n, for n from -1022 to 1023.
func pow2(n int32) float64 { return ieee.Float64frombits(uint64(n+1023) << 52) }
