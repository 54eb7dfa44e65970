package math64

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// expSum is e to the power of x + rest: 2^n * (high + low), with a high of about 1. It is computed
// as Exp is, but keeps what that rounds off. x is at most 2^10.
func expSum(x, rest float64) (n int32, high, low float64) {
	t := ieee.FMA[float64](x, log2E, toInteger)
	m := t - toInteger
	r, rest := mathcommon.FastSum(ieee.FMA(m, -ln2Hi, x), ieee.FMA(m, -ln2Lo, rest))
	p := 0x1.3bac98e939be8p-29
	p = ieee.FMA(p, r, 0x1.af6b462b9155cp-26)
	p = ieee.FMA(p, r, 0x1.27cfafe9c8183p-22)
	p = ieee.FMA(p, r, 0x1.71ddf0a8bbe4p-19)
	p = ieee.FMA(p, r, 0x1.a01a0da585061p-16)
	p = ieee.FMA(p, r, 0x1.a01a01b32fb3ap-13)
	p = ieee.FMA(p, r, 0x1.6c16c168ee025p-10)
	p = ieee.FMA(p, r, 0x1.111111110ed85p-7)
	p = ieee.FMA(p, r, 0x1.5555555556162p-5)
	p = ieee.FMA(p, r, 0x1.555555555555bp-3)
	p = ieee.FMA(p, r, 0x1.ffffffffffffcp-2)
	high, low = mathcommon.FastSum(1, r)
	high, low = mathcommon.FastSum(high, low+ieee.FMA(high, rest, float64(r*r)*p))
	return int32(ieee.Float64bits(t)), high, low
}

// logSum is the natural logarithm of x, which is positive and finite, as a sum.
//
// x = 2^n * m with m from sqrt(1/2) to sqrt(2), and log m = 2*atanh((m-1)/(m+1)), whose series is
// short (Muller, Elementary Functions, third edition, 2016).
func logSum(x float64) (high, low float64) {
	exponent := float64(0)
	if x < 0x1p-1022 {
		x = float64(x * 0x1p54)
		exponent = -54
	}
	bits := ieee.Float64bits(x)
	n := (bits - 0x3fe6a09e667f3bcd) >> 52 << 52
	m := ieee.Float64frombits(bits - n)
	exponent += float64(int64(n) >> 52)
	sum := m + 1
	q, rest := mathcommon.Quotient(m-1, sum, (1-sum)+m)
	z := float64(q * q)
	p := 0x1.0f12e1cdeb014p-3
	p = ieee.FMA(p, z, 0x1.0f66c70eaba2bp-3)
	p = ieee.FMA(p, z, 0x1.3b20292c1edfap-3)
	p = ieee.FMA(p, z, 0x1.745ce1b365011p-3)
	p = ieee.FMA(p, z, 0x1.c71c724b95723p-3)
	p = ieee.FMA(p, z, 0x1.24924924396c8p-2)
	p = ieee.FMA(p, z, 0x1.9999999999d11p-2)
	p = ieee.FMA(p, z, 0x1.5555555555555p-1)
	high, low = mathcommon.FastSum(float64(exponent*ln2Hi), float64(2*q))
	return mathcommon.FastSum(high, low+ieee.FMA(exponent, ln2Lo, ieee.FMA(float64(q*z), p, float64(2*rest))))
}

// timesPower is (x+rest) * 2^n, for x near 1 and n from -1100 to 1100. It rounds once more where
// the result is subnormal.
func timesPower(x, rest float64, n int32) float64 {
	half := n / 2
	return float64((x + rest) * pow2(half) * pow2(n-half))
}
