package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// log2E is log2(e). ln2Hi and ln2Lo are ln2 in two parts: a multiple of the first by an exponent is
// exact.
const (
	log2E = 0x1.715476p+0
	ln2Hi = 0x1.62e4p-1
	ln2Lo = 0x1.7f7d1cp-20
)

// toInteger added to a number of less than 2^22 leaves the nearest integer in the low bits.
const toInteger = 0x1.8p23

// Exp is e to the power of x.
//
// x = n*ln2 + r with |r| <= ln2/2, in the way of Cody and Waite, Software Manual for the Elementary
// Functions, 1980. e^r is a polynomial.
func Exp(x float32) float32 {
	t := ieee.FMA(x, log2E, toInteger)
	n := t - toInteger
	r := ieee.FMA(n, -ln2Lo, ieee.FMA(n, -ln2Hi, x))
	p := float32(0x1.68674ap-10)
	p = ieee.FMA(p, r, 0x1.123ecap-7)
	p = ieee.FMA(p, r, 0x1.555b8ap-5)
	p = ieee.FMA(p, r, 0x1.55548ap-3)
	p = ieee.FMA(p, r, 0x1.fffff8p-2)
	p = ieee.FMA(p, r, 1)
	p = ieee.FMA(p, r, 1)
	if ieee.Abs(x) < 87 {
		return scale(p, t)
	}
	return scaleAny(p, t, x, 0x1.62e42ep+6, -0x1.9fe368p+6)
}

// Exp2 is 2 to the power of x, exact where x is an integer. It is computed as Exp is.
func Exp2(x float32) float32 {
	t := x + toInteger
	p := exp2Of(x - (t - toInteger))
	if ieee.Abs(x) < 126 {
		return scale(p, t)
	}
	return scaleAny(p, t, x, 0x1.fffffep+6, -150)
}

// exp2Of is 2^r for |r| <= 1/2, a polynomial.
func exp2Of(r float32) float32 {
	p := float32(0x1.44292ap-13)
	p = ieee.FMA(p, r, 0x1.5f0dccp-10)
	p = ieee.FMA(p, r, 0x1.3b2a44p-7)
	p = ieee.FMA(p, r, 0x1.c6af72p-5)
	p = ieee.FMA(p, r, 0x1.ebfbep-3)
	p = ieee.FMA(p, r, 0x1.62e43p-1)
	return ieee.FMA(p, r, 1)
}

// Exp10 is 10 to the power of x. It is computed as Exp is.
func Exp10(x float32) float32 {
	const (
		log2Of10  = 0x1.a934fp+1
		log10Of2  = 0x1.344p-2 // a multiple by an exponent is exact
		log10Of2L = 0x1.3509f8p-18
	)
	t := ieee.FMA(x, log2Of10, toInteger)
	n := t - toInteger
	r := ieee.FMA(n, -log10Of2L, ieee.FMA(n, -log10Of2, x))
	p := float32(0x1.aac632p-3)
	p = ieee.FMA(p, r, 0x1.156f5cp-1)
	p = ieee.FMA(p, r, 0x1.2bd574p0)
	p = ieee.FMA(p, r, 0x1.046f9p1)
	p = ieee.FMA(p, r, 0x1.53524ep1)
	p = ieee.FMA(p, r, 0x1.26bb1cp1)
	p = ieee.FMA(p, r, 1)
	if ieee.Abs(x) < 37.5 {
		return scale(p, t)
	}
	return scaleAny(p, t, x, 0x1.344134p+5, -0x1.693c6ap+5)
}

// Expm1 is e^x - 1, also where that is small. It is computed as Exp is, without the 1 of the
// polynomial: 2^n * (e^r - 1) + (2^n - 1). n is 0 up to 0.41, so that what is added does not
// cancel.
func Expm1(x float32) float32 {
	t := ieee.FMA(x, log2E, toInteger)
	if ieee.Abs(x) < 0.41 {
		t = toInteger
	}
	n := t - toInteger
	high := ieee.FMA(n, -ln2Hi, x)
	r := ieee.FMA(n, -ln2Lo, high)
	low := ieee.FMA(n, -ln2Lo, high-r)
	p := float32(0x1.a27bcap-13)
	p = ieee.FMA(p, r, 0x1.6d9f8ep-10)
	p = ieee.FMA(p, r, 0x1.110fe2p-7)
	p = ieee.FMA(p, r, 0x1.5554bp-5)
	p = ieee.FMA(p, r, 0x1.555556p-3)
	p = ieee.FMA(p, r, 0x1p-1)
	p = r + ieee.FMA(float32(r*r), p, low)
	if ieee.Abs(x) < 16.9 { // s - 1 is exact
		s := scale(1, t)
		return ieee.Copysign(ieee.FMA(p, s, s-1), x)
	}
	switch {
	case x > 0x1.62e42ep+6:
		return ieee.Inf[float32](1)
	case x < 0:
		return -1
	case x != x:
		return x
	}
	s := pow2(integer(t) - 1)
	high = s - 0.5
	return float32((ieee.FMA(p, s, (s-high)-0.5) + high) * 2)
}

// scale is p * 2^n, where t is toInteger + n and the result is a normal number.
func scale(p, t float32) float32 {
	return ieee.Float32frombits(ieee.Float32bits(p) + ieee.Float32bits(t)<<23)
}

// scaleAny is p * 2^n, where t is toInteger + n, for p from 1/2 to 2 and x from least to most. It
// rounds once, where the result is subnormal. For other x it is 0, infinite or NaN.
func scaleAny(p, t, x, most, least float32) float32 {
	switch {
	case x > most:
		return ieee.Inf[float32](1)
	case x < least:
		return 0
	case x != x:
		return x
	}
	n := integer(t)
	half := n >> 1
	return float32(p * pow2(half) * pow2(n-half))
}

// integer is n, where t is toInteger + n.
func integer(t float32) int32 { return int32(ieee.Float32bits(t)<<10) >> 10 }

// pow2 is 2^n, for n from -126 to 127.
func pow2(n int32) float32 { return ieee.Float32frombits(uint32(n+127) << 23) }
