package math32

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Gamma is the gamma function of x, computed as math64's. It is infinite at 0, with the sign of x,
// and NaN at negative integers.
func Gamma(x float32) float32 {
	a := ieee.Abs(x)
	switch {
	case x != x || x == ieee.Inf[float32](-1) || x < 0 && ieee.Trunc(x) == x:
		return ieee.NaN[float32]()
	case x == 0:
		return ieee.Copysign(ieee.Inf[float32](1), x)
	case x > 35.1:
		return ieee.Inf[float32](1)
	case a < 0x1p-30:
		return 1 / x
	case x < -43:
		a -= float32(2 * ieee.Trunc(float32(0.5*a)))
		return ieee.Copysign(0, a-1) // as sin(pi*x)
	}
	n, high, low := gammaSum(a)
	if x > 0 {
		return timesPower(high, low, n)
	}
	sine := Sinpi(a)
	pi := ieee.Copysign(0x1.921fb6p+1, -sine)
	sine = ieee.Abs(sine)
	high, low = mathcommon.MulSum(high, low, float32(a*sine), float32(ieee.FMA(a, sine, -float32(a*sine))))
	q, rest := mathcommon.Quotient(pi, high, low)
	return timesPower(q, rest, -n)
}

// gammaSum is the gamma function of x, from 0x1p-30 to 43: 2^n * (high + low).
func gammaSum(x float32) (n int32, high, low float32) {
	if x >= 5 {
		n, e, eLow := expSum(stirling(x))
		high, low = stirlingSeries(1 / x)
		high, low = mathcommon.MulSum(high, low, e, eLow)
		return n, high, low
	}
	product := float32(1)
	y := x
	for y >= 2 {
		y -= 1
		product = float32(product * y)
	}
	if y >= 1 {
		y -= 1
	}
	s := y - 0x1p-1
	p := float32(-0x1.6ff06ep-7)
	p = ieee.FMA(p, s, 0x1.0bcf8p-6)
	p = ieee.FMA(p, s, -0x1.06a35p-6)
	p = ieee.FMA(p, s, 0x1.8f766cp-6)
	p = ieee.FMA(p, s, -0x1.38d548p-5)
	p = ieee.FMA(p, s, 0x1.e1bcecp-5)
	p = ieee.FMA(p, s, -0x1.3d7a4ap-4)
	p = ieee.FMA(p, s, 0x1.2835bp-3)
	p = ieee.FMA(p, s, -0x1.b77b38p-4)
	p = ieee.FMA(p, s, 0x1.a8c4ecp-2)
	high, low = mathcommon.LastTerms(s, 0, p, 0x1.08ea8cp-5, -0x1.e0ae7cp-30, 0x1.c5bf8ap-1, -0x1.d8b9ap-26)
	if x < 1 {
		q, rest := mathcommon.Quotient(high, x, 0)
		return 0, q, rest + low/x
	}
	high, low = mathcommon.MulSum(high, low, product, 0)
	return 0, high, low
}

// stirlingSeries is the gamma function of 1/q relative to e^stirling(1/q), for a small q.
func stirlingSeries(q float32) (high, low float32) {
	p := float32(0x1.868a9ap-12)
	p = ieee.FMA(p, q, -0x1.c318p-8)
	p = ieee.FMA(p, q, 0x1.1d9282p-7)
	return mathcommon.LastTerms(q, 0, p, 0x1.abcc1cp-3, 0x1.90c57ap-28, 0x1.40d932p+1, 0x1.ca816ap-31)
}

// stirling is (x - 1/2)*log(x) - x, for an x of 2 and more.
func stirling(x float32) (high, low float32) {
	log, logLow := logSum(x)
	high, low = mathcommon.MulSum(log, logLow, x-0.5, 0)
	high, rest := mathcommon.TwoSum(high, -x)
	return high, rest + low
}
