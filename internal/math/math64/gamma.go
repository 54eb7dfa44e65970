package math64

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Gamma is the gamma function of x. It is infinite at 0, with the sign of x, and NaN at negative
// integers.
//
// Below 8 it goes back to a polynomial between 1 and 2, from 8 on it is Stirling's formula, whose
// series is a polynomial in 1/x (Hart et al., Computer Approximations, 1968). A negative x is
// reflected.
func Gamma(x float64) float64 {
	a := ieee.Abs(x)
	switch {
	case x != x || x == ieee.Inf[float64](-1) || x < 0 && ieee.Trunc(x) == x:
		return ieee.NaN[float64]()
	case x == 0:
		return ieee.Copysign(ieee.Inf[float64](1), x)
	case x > 171.7:
		return ieee.Inf[float64](1)
	case a < 0x1p-60:
		return 1 / x
	case x < -184:
		a -= float64(2 * ieee.Trunc(float64(0.5*a)))
		return ieee.Copysign(0, a-1) // as sin(pi*x)
	}
	n, high, low := gammaSum(a)
	if x > 0 {
		return timesPower(high, low, n)
	}
	sine := Sinpi(a)
	high, low = mathcommon.MulSum(high, low, float64(a*sine), float64(ieee.FMA(a, sine, -float64(a*sine))))
	q, rest := mathcommon.Quotient(-0x1.921fb54442d18p+1, high, low)
	return timesPower(q, rest, -n)
}

// gammaSum is the gamma function of x, from 0x1p-60 to 184: 2^n * (high + low).
func gammaSum(x float64) (n int32, high, low float64) {
	if x >= 8 {
		n, e, eLow := expSum(stirling(x))
		high, low = stirlingSeries(1 / x)
		high, low = mathcommon.MulSum(high, low, e, eLow)
		return n, high, low
	}
	product := float64(1)
	y := x
	for y >= 2 {
		y -= 1
		product = float64(product * y)
	}
	if y >= 1 {
		y -= 1
	}
	s := y - 0x1p-1
	p := 0x1.773bf2f086911p-13
	p = ieee.FMA(p, s, -0x1.11608e6bb0c2fp-12)
	p = ieee.FMA(p, s, 0x1.18ba4cc8e94d8p-13)
	p = ieee.FMA(p, s, -0x1.bb369d5131455p-13)
	p = ieee.FMA(p, s, 0x1.f4f6063ddea2cp-12)
	p = ieee.FMA(p, s, -0x1.746bdca834ae4p-11)
	p = ieee.FMA(p, s, 0x1.08491270ad524p-10)
	p = ieee.FMA(p, s, -0x1.8cef2e0fb4fdcp-10)
	p = ieee.FMA(p, s, 0x1.2b52f283afd49p-9)
	p = ieee.FMA(p, s, -0x1.c0c969f4f367ep-9)
	p = ieee.FMA(p, s, 0x1.504cc3b99e256p-8)
	p = ieee.FMA(p, s, -0x1.f7fa6e1c4905cp-8)
	p = ieee.FMA(p, s, 0x1.7991eeb85af7p-7)
	p = ieee.FMA(p, s, -0x1.1a2c311283b1ap-6)
	p = ieee.FMA(p, s, 0x1.a752c64c7ae1cp-6)
	p = ieee.FMA(p, s, -0x1.374fd5a7c43b1p-5)
	p = ieee.FMA(p, s, 0x1.e022b74498c06p-5)
	p = ieee.FMA(p, s, -0x1.3d88cfe568fadp-4)
	p = ieee.FMA(p, s, 0x1.283bd374ea0ep-3)
	p = ieee.FMA(p, s, -0x1.b77ac1ca2dc52p-4)
	p = ieee.FMA(p, s, 0x1.a8c4dba620d63p-2)
	high, low = mathcommon.LastTerms(s, 0, p, 0x1.08ea88ee5619bp-5, 0x1.3a783beb18704p-61, 0x1.c5bf891b4ef6bp-1, -0x1.66ec85bc5f70fp-55)
	if x < 1 {
		q, rest := mathcommon.Quotient(high, x, 0)
		return 0, q, rest + low/x
	}
	high, low = mathcommon.MulSum(high, low, product, 0)
	return 0, high, low
}

// stirlingSeries is the gamma function of 1/q relative to e^stirling(1/q), for a small q.
func stirlingSeries(q float64) (high, low float64) {
	p := 0x1.56a3c9666b44cp-10
	p = ieee.FMA(p, q, 0x1.3c20f100a292bp-13)
	p = ieee.FMA(p, q, -0x1.91139e8f918d7p-10)
	p = ieee.FMA(p, q, 0x1.777e767b20f63p-13)
	p = ieee.FMA(p, q, 0x1.01903e11263afp-9)
	p = ieee.FMA(p, q, -0x1.2d91189a45f3cp-11)
	p = ieee.FMA(p, q, -0x1.b879307845fbep-8)
	p = ieee.FMA(p, q, 0x1.1d32d71cc4c6ep-7)
	return mathcommon.LastTerms(q, 0, p, 0x1.abcc42a9d8883p-3, -0x1.4577170406dd8p-59, 0x1.40d931ff62706p+1, -0x1.9ddd593fc3f1dp-53)
}

// stirling is (x - 1/2)*log(x) - x, for an x of 2 and more.
func stirling(x float64) (high, low float64) {
	log, logLow := logSum(x)
	high, low = mathcommon.MulSum(log, logLow, x-0.5, 0)
	high, rest := mathcommon.TwoSum(high, -x)
	return high, rest + low
}
