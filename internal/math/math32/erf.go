package math32

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Erf is the error function of x, as math64's.
func Erf(x float32) float32 {
	if ieee.Abs(x) < 1 {
		return erfNear(x)
	}
	return erfFar(x)
}

// ErfBranchFree is Erf without a branch, which takes longer for one x, and less time for several
// that a thread has at once: none waits for another.
func ErfBranchFree(x float32) float32 {
	near, far := erfNear(x), erfFar(x)
	if ieee.Abs(x) < 1 {
		return near
	}
	return far
}

// erfNear is the error function of an x below 1.
func erfNear(x float32) float32 { return ieee.FMA(x, erfReduced(ieee.Abs(x)), x) }

// erfFar is the error function of an x of 1 or more, which is 1 from 3.93 on.
func erfFar(x float32) float32 {
	a := ieee.Abs(x)
	z := a - 2.25
	p := float32(-0x1.10d73p-20)
	p = ieee.FMA(p, z, 0x1.897bfep-19)
	p = ieee.FMA(p, z, 0x1.af885ep-17)
	p = ieee.FMA(p, z, -0x1.0c8286p-14)
	p = ieee.FMA(p, z, 0x1.fcd32ap-16)
	p = ieee.FMA(p, z, 0x1.7bf324p-12)
	p = ieee.FMA(p, z, -0x1.0b100ep-10)
	p = ieee.FMA(p, z, 0x1.640ab8p-11)
	p = ieee.FMA(p, z, 0x1.7e116ap-9)
	p = ieee.FMA(p, z, -0x1.5d6084p-7)
	p = ieee.FMA(p, z, 0x1.389d64p-6)
	p = ieee.FMA(p, z, -0x1.63eb7cp-6)
	p = ieee.FMA(p, z, 0x1.074cacp-6)
	p = ieee.FMA(p, z, -0x1.d4151ep-8)
	p = ieee.FMA(p, z, 0x1.7f70ep-10)
	if a >= 3.93 {
		p = 0
	}
	return ieee.Copysign(1-p, x)
}

// erfReduced is erf(x)/x - 1, for z = x*x up to 1. What rounding takes from z and from the larger
// part of the polynomial is added, as it shows where x is close to 1.
func erfReduced(x float32) float32 {
	z := float32(x * x)
	p := float32(0x1.4b2a36p-14)
	p = ieee.FMA(p, z, -0x1.a4a22p-11)
	p = ieee.FMA(p, z, 0x1.541e5ep-8)
	p = ieee.FMA(p, z, -0x1.b7fc5ep-6)
	p = ieee.FMA(p, z, 0x1.ce2d2cp-4)
	p, rest := mathcommon.FastSum(-0x1.81274p-2, float32(z*p))
	rest = ieee.FMA(z, rest+0x1.a2a664p-27, float32(ieee.FMA(x, x, -z)*p))
	return ieee.FMA(p, z, rest+0x1.06eba8p-3)
}

// Erfc is 1 - Erf(x), without its loss of digits for an x above 1, as math64's.
func Erfc(x float32) float32 {
	a := ieee.Abs(x)
	if a < 0.5 {
		high, low := mathcommon.FastSum(1, -x)
		return high + ieee.FMA(-x, erfReduced(a), low)
	}
	if !(x > -4 && x < 10.1) {
		switch {
		case x > 0:
			return 0
		case x < 0:
			return 2
		}
		return x
	}
	n, high, low := erfcSum(a)
	if x < 0 {
		high, low = float32(high*pow2(n)), float32(low*pow2(n))
		two, rest := mathcommon.FastSum(2, -high)
		return two + (rest - low)
	}
	return timesPower(high, low, n)
}

// erfcSum is the complementary error function of x, from 1/2 to 10.1: 2^n * (high + low).
func erfcSum(x float32) (n int32, high, low float32) {
	square := float32(x * x)
	n, e, eLow := expSum(-square, -ieee.FMA(x, x, -square))
	d, rest := mathcommon.TwoSum(x, 1)
	q, qLow := mathcommon.Quotient(1, d, rest)
	s := q - 0x1.83p-2
	p := float32(0x1.f1c2fap+0)
	p = ieee.FMA(p, s, -0x1.bb1248p+0)
	p = ieee.FMA(p, s, -0x1.bcdf18p-5)
	p = ieee.FMA(p, s, 0x1.fda086p-1)
	p = ieee.FMA(p, s, -0x1.774a82p-1)
	p = ieee.FMA(p, s, -0x1.3bd10cp-5)
	p = ieee.FMA(p, s, 0x1.125054p-1)
	p = ieee.FMA(p, s, -0x1.64166ap-2)
	p = ieee.FMA(p, s, -0x1.33620ep-2)
	w, wLow := mathcommon.LastTerms(s, qLow, p, 0x1.1ef144p-1, 0x1.1fabb2p-26, 0x1.955f86p-1, -0x1.5936bap-28)
	w, wLow = mathcommon.MulSum(w, wLow, q, qLow)
	high, low = mathcommon.MulSum(w, wLow, e, eLow)
	return n, high, low
}
