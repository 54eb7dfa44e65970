package math32

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// expSum is e to the power of x + rest: 2^n * (high + low), with a high of about 1. It is computed
// as Exp is, but keeps what that rounds off. x is at most 2^7.
func expSum(x, rest float32) (n int32, high, low float32) {
	t := ieee.FMA[float32](x, log2E, toInteger)
	m := t - toInteger
	r, rest := mathcommon.FastSum(ieee.FMA(m, -ln2Hi, x), ieee.FMA(m, -ln2Lo, rest))
	p := float32(0x1.a273eap-13)
	p = ieee.FMA(p, r, 0x1.6d53c4p-10)
	p = ieee.FMA(p, r, 0x1.110feep-7)
	p = ieee.FMA(p, r, 0x1.5554e2p-5)
	p = ieee.FMA(p, r, 0x1.555556p-3)
	p = ieee.FMA(p, r, 0x1p-1)
	high, low = mathcommon.FastSum(1, r)
	high, low = mathcommon.FastSum(high, low+ieee.FMA(high, rest, float32(r*r)*p))
	return int32(ieee.Float32bits(t)<<10) >> 10, high, low
}

// logSum is the natural logarithm of x, which is positive and finite, as a sum.
//
// x = 2^n * m with m from sqrt(1/2) to sqrt(2), and log m = 2*atanh((m-1)/(m+1)), whose series is
// short (Muller, Elementary Functions, third edition, 2016).
func logSum(x float32) (high, low float32) {
	exponent := float32(0)
	if x < 0x1p-126 {
		x = float32(x * 0x1p25)
		exponent = -25
	}
	bits := ieee.Float32bits(x)
	n := (bits - 0x3f3504f3) >> 23 << 23
	m := ieee.Float32frombits(bits - n)
	exponent += float32(int32(n) >> 23)
	sum := m + 1
	q, rest := mathcommon.Quotient(m-1, sum, (1-sum)+m)
	z := float32(q * q)
	p := float32(0x1.ec00fep-3)
	p = ieee.FMA(p, z, 0x1.23f25p-2)
	p = ieee.FMA(p, z, 0x1.999bd2p-2)
	p = ieee.FMA(p, z, 0x1.555554p-1)
	high, low = mathcommon.FastSum(float32(exponent*ln2Hi), float32(2*q))
	return mathcommon.FastSum(high, low+ieee.FMA(exponent, ln2Lo, ieee.FMA(float32(q*z), p, float32(2*rest))))
}

// timesPower is (x+rest) * 2^n, for x near 1 and n from -240 to 240. It rounds once more where the
// result is subnormal.
func timesPower(x, rest float32, n int32) float32 {
	half := n / 2
	return float32((x + rest) * pow2(half) * pow2(n-half))
}
