package math64

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Erf is the error function of x.
//
// Up to 1 it is a polynomial. Beyond it is 1 - e^-q(x) with a polynomial q for -log(erfc(x)), which
// needs fewer terms than erf itself, the further out the less precise (Muller, Elementary
// Functions, third edition, 2016, on choosing what to approximate).
func Erf(x float64) float64 {
	a := ieee.Abs(x)
	if a < 1 {
		return ieee.FMA(x, erfReduced(a), x)
	}
	if !(a < 5.93) {
		if x != x {
			return x
		}
		return ieee.Copysign(1, x)
	}
	z := a - 1
	p := 0x1.5661e28420b2ep-38
	p = ieee.FMA(p, z, -0x1.066cb52c718a4p-33)
	p = ieee.FMA(p, z, 0x1.6a9ee83468e99p-30)
	p = ieee.FMA(p, z, -0x1.24b8fb98fea3dp-27)
	p = ieee.FMA(p, z, 0x1.1ed8cee889c9bp-25)
	p = ieee.FMA(p, z, -0x1.f25cbb02a6af5p-25)
	p = ieee.FMA(p, z, -0x1.b7cf2292ceca5p-23)
	p = ieee.FMA(p, z, 0x1.1e247370b21cep-19)
	p = ieee.FMA(p, z, -0x1.44846446ee7fbp-17)
	p = ieee.FMA(p, z, 0x1.c852aa0c12761p-16)
	p = ieee.FMA(p, z, -0x1.b92dd97899e18p-16)
	p = ieee.FMA(p, z, -0x1.f1b04a8f378bcp-13)
	p = ieee.FMA(p, z, 0x1.033f5a12fc663p-9)
	p = ieee.FMA(p, z, -0x1.48c9d37fc20b4p-7)
	p = ieee.FMA(p, z, 0x1.5477f099b6c88p-5)
	p = ieee.FMA(p, z, 0x1.afabc11a2afd9p-1)
	p = ieee.FMA(p, z, 0x1.51c9b0006c21ap+1)
	p = ieee.FMA(p, z, 0x1.d97fbf27aa2a1p+0)
	return ieee.Copysign(1-Exp(-p), x)
}

// erfReduced is erf(x)/x - 1, for z = x*x up to 1. What rounding takes from z and from the larger
// part of the polynomial is added, as it shows where x is close to 1.
func erfReduced(x float64) float64 {
	z := float64(x * x)
	p := -0x1.ac0c5509253b6p-31
	p = ieee.FMA(p, z, 0x1.d738837a3fcd6p-27)
	p = ieee.FMA(p, z, -0x1.5c0b0072a1b43p-23)
	p = ieee.FMA(p, z, 0x1.b9805d1d69163p-20)
	p = ieee.FMA(p, z, -0x1.f4ca57fb209fep-17)
	p = ieee.FMA(p, z, 0x1.f9a2bb0871a7ap-14)
	p = ieee.FMA(p, z, -0x1.c02db03ce08b7p-11)
	p = ieee.FMA(p, z, 0x1.565bccf8f1ac1p-8)
	p = ieee.FMA(p, z, -0x1.b82ce311f63e1p-6)
	p = ieee.FMA(p, z, 0x1.ce2f21a040ac9p-4)
	p, rest := mathcommon.FastSum(-0x1.812746b0379b5p-2, float64(z*p))
	rest = ieee.FMA(z, rest+0x1.85d2c472cdccap-56, float64(ieee.FMA(x, x, -z)*p))
	return ieee.FMA(p, z, rest+0x1.06eba8214db68p-3)
}

// Erfc is 1 - Erf(x), without its loss of digits for an x above 1.
//
// From 1/2 on it is e^(-x*x)/(x+1) times a polynomial in 1/(x+1) (Shepherd and Laframboise,
// Chebyshev approximation of (1+2x)exp(x^2)erfc(x), 1981). x*x and the factors are sums of two,
// since each would add an error.
func Erfc(x float64) float64 {
	a := ieee.Abs(x)
	if a < 0.5 {
		high, low := mathcommon.FastSum(1, -x)
		return high + ieee.FMA(-x, erfReduced(a), low)
	}
	if !(x > -6 && x < 27.3) {
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
		high, low = float64(high*pow2(n)), float64(low*pow2(n))
		two, rest := mathcommon.FastSum(2, -high)
		return two + (rest - low)
	}
	return timesPower(high, low, n)
}

// erfcSum is the complementary error function of x, from 1/2 to 27.3: 2^n * (high + low).
func erfcSum(x float64) (n int32, high, low float64) {
	square := float64(x * x)
	n, e, eLow := expSum(-square, -ieee.FMA(x, x, -square))
	d, rest := mathcommon.TwoSum(x, 1)
	q, qLow := mathcommon.Quotient(1, d, rest)
	s := q - 0x1.678p-2
	p := 0x1.548a49feb1917p+14
	p = ieee.FMA(p, s, -0x1.0a30aeed7973cp+14)
	p = ieee.FMA(p, s, -0x1.0814292661baap+13)
	p = ieee.FMA(p, s, 0x1.65b9c01599232p+13)
	p = ieee.FMA(p, s, -0x1.94c2edeeb9de6p+10)
	p = ieee.FMA(p, s, -0x1.edb8f80a4228dp+10)
	p = ieee.FMA(p, s, 0x1.19443b944375fp+10)
	p = ieee.FMA(p, s, -0x1.660eea6a5c3bcp+8)
	p = ieee.FMA(p, s, 0x1.fda340341ae3fp+5)
	p = ieee.FMA(p, s, 0x1.3461fc6ea7616p+6)
	p = ieee.FMA(p, s, -0x1.90bb202ca110bp+6)
	p = ieee.FMA(p, s, 0x1.be0975703fb53p+5)
	p = ieee.FMA(p, s, -0x1.1e1515f0c59ffp+3)
	p = ieee.FMA(p, s, -0x1.b22e5f96355afp+3)
	p = ieee.FMA(p, s, 0x1.d614b4fcd77bbp+3)
	p = ieee.FMA(p, s, -0x1.ab7bedde8ae51p+2)
	p = ieee.FMA(p, s, -0x1.403f41b3535bap-1)
	p = ieee.FMA(p, s, 0x1.b2129a8bb4f95p+1)
	p = ieee.FMA(p, s, -0x1.38819febcd4b8p+1)
	p = ieee.FMA(p, s, 0x1.4b72692af6ea9p-2)
	p = ieee.FMA(p, s, 0x1.f4770b33b9b0cp-1)
	p = ieee.FMA(p, s, -0x1.d47174d968e9ap-1)
	p = ieee.FMA(p, s, 0x1.80733c16b16f6p-4)
	p = ieee.FMA(p, s, 0x1.108979a1ceceep-1)
	p = ieee.FMA(p, s, -0x1.9efcd63149392p-2)
	p = ieee.FMA(p, s, -0x1.14518cd429918p-2)
	w, wLow := mathcommon.LastTerms(s, qLow, p, 0x1.26ca75661d068p-1, 0x1.7d22d428ac436p-55, 0x1.8d8f5624c0a4dp-1, -0x1.8b91d64db5e5p-55)
	w, wLow = mathcommon.MulSum(w, wLow, q, qLow)
	high, low = mathcommon.MulSum(w, wLow, e, eLow)
	return n, high, low
}
