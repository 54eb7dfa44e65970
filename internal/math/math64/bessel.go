package math64

import "github.com/gridstride/gridstride/internal/math/ieee"

// J0 is the Bessel function of the first kind and order 0 of x.
//
// It is a polynomial up to 1, then one times the distance to a zero, and beyond a modulus times the
// sine of a phase, both polynomials in 1/x (Harrison, Fast and accurate Bessel function
// computation, 2009). So its error is small relative to the result for x up to 8, also near zeros.
// Beyond, it is small relative to sqrt(2/(pi*x)).
func J0(x float64) float64 {
	x = ieee.Abs(x)
	switch {
	case x < 1.25:
		return j0Small(float64(x * x))
	case x < 4:
		return j0Zero1(x)
	case x < 7.1:
		return j0Zero2(x)
	case x == ieee.Inf[float64](1):
		return 0
	}
	n, high, low := besselPhase(x, besselShift0(x))
	return float64(quadrant(n+1, sinReduced(high, low), cosReduced(high, low)) * besselModulus0(x))
}

// J1 is the Bessel function of the first kind and order 1 of x. It is computed as J0 is.
func J1(x float64) float64 {
	if ieee.IsInf(x, 0) {
		return 0
	}
	return float64(ieee.Copysign(1, x) * j1Positive(ieee.Abs(x)))
}

// j1Positive is J1 for an x that is not negative.
func j1Positive(x float64) float64 {
	switch {
	case x < 2:
		return float64(x * j1Small(float64(x*x)))
	case x < 5.4:
		return j1Zero1(x)
	case x < 8.1:
		return j1Zero2(x)
	case x == ieee.Inf[float64](1):
		return 0
	}
	n, high, low := besselPhase(x, besselShift1(x))
	return float64(quadrant(n, sinReduced(high, low), cosReduced(high, low)) * besselModulus1(x))
}

// j0Zero1 is J0 from 1.25 to 4, around its zero at 2.405.
func j0Zero1(x float64) float64 {
	s := x - 0x1.5p+1
	p := -0x1.0de40e33113bap-47
	p = ieee.FMA(p, s, 0x1.8350aeac27b64p-44)
	p = ieee.FMA(p, s, 0x1.120e4f1b17e95p-39)
	p = ieee.FMA(p, s, -0x1.630b039dee92fp-36)
	p = ieee.FMA(p, s, -0x1.9e83e13a2c1f3p-32)
	p = ieee.FMA(p, s, 0x1.decfa982c5c7bp-29)
	p = ieee.FMA(p, s, 0x1.ca1049f7bc745p-25)
	p = ieee.FMA(p, s, -0x1.d0ff29ec2830ep-22)
	p = ieee.FMA(p, s, -0x1.5c4a6b5e24008p-18)
	p = ieee.FMA(p, s, 0x1.310b77a6d262bp-15)
	p = ieee.FMA(p, s, 0x1.4cd82462474f5p-12)
	p = ieee.FMA(p, s, -0x1.eb0316509d5fp-10)
	p = ieee.FMA(p, s, -0x1.5685e39308b0dp-7)
	p = ieee.FMA(p, s, 0x1.9bd9a84c9a666p-5)
	p = ieee.FMA(p, s, 0x1.0d570e6387bdbp-3)
	p = ieee.FMA(p, s, -0x1.f88fb544980cbp-2)
	return float64(((x - 0x1.33d152e971b4p+1) - -0x1.0f539d7da258ep-53) * p)
}

// j0Zero2 is J0 from 4 to 7.1, around its zero at 5.52.
func j0Zero2(x float64) float64 {
	s := x - 0x1.64p+2
	p := 0x1.c634ae5b23b9fp-52
	p = ieee.FMA(p, s, 0x1.97bf0d4626f8p-48)
	p = ieee.FMA(p, s, -0x1.080fadb058951p-43)
	p = ieee.FMA(p, s, -0x1.984af749ba8cep-40)
	p = ieee.FMA(p, s, 0x1.d53603de30dc7p-36)
	p = ieee.FMA(p, s, 0x1.2c29dd10e4768p-32)
	p = ieee.FMA(p, s, -0x1.394e596bbe99cp-28)
	p = ieee.FMA(p, s, -0x1.3e7b0c0bc604cp-25)
	p = ieee.FMA(p, s, 0x1.2b808ac5721ecp-21)
	p = ieee.FMA(p, s, 0x1.c7321de0820dp-19)
	p = ieee.FMA(p, s, -0x1.7e0967155ef37p-15)
	p = ieee.FMA(p, s, -0x1.87f706693027ep-13)
	p = ieee.FMA(p, s, 0x1.22da71b4d4d23p-9)
	p = ieee.FMA(p, s, 0x1.4864968f15594p-8)
	p = ieee.FMA(p, s, -0x1.ad0e3659ec8e1p-5)
	p = ieee.FMA(p, s, -0x1.2119fc9759329p-5)
	p = ieee.FMA(p, s, 0x1.5afeba8ec451cp-2)
	return float64(((x - 0x1.6148f5b2c2e45p+2) - 0x1.75054cd60a517p-54) * p)
}

// j1Zero1 is J1 from 2 to 5.4, around its zero at 3.832.
func j1Zero1(x float64) float64 {
	s := x - 0x1.dap+1
	p := -0x1.0044c99a810ffp-51
	p = ieee.FMA(p, s, -0x1.1aa33fe0ec11ap-48)
	p = ieee.FMA(p, s, 0x1.2b2dfffe3173cp-43)
	p = ieee.FMA(p, s, 0x1.1d588ef4dfe9fp-40)
	p = ieee.FMA(p, s, -0x1.06d44a7cbbe93p-35)
	p = ieee.FMA(p, s, -0x1.a5298d0d6b35bp-33)
	p = ieee.FMA(p, s, 0x1.5a395b22f4823p-28)
	p = ieee.FMA(p, s, 0x1.c1fc378a65d8cp-26)
	p = ieee.FMA(p, s, -0x1.45c1a3fa7cb79p-21)
	p = ieee.FMA(p, s, -0x1.46175a82cc04dp-19)
	p = ieee.FMA(p, s, 0x1.984909d67d833p-15)
	p = ieee.FMA(p, s, 0x1.217831530ee9ep-13)
	p = ieee.FMA(p, s, -0x1.31e36f6a02b21p-9)
	p = ieee.FMA(p, s, -0x1.066cc00c5e085p-8)
	p = ieee.FMA(p, s, 0x1.c4100fdf9fefp-5)
	p = ieee.FMA(p, s, 0x1.3c13166ae73c2p-5)
	p = ieee.FMA(p, s, -0x1.a26e3f2509d17p-2)
	return float64(((x - 0x1.ea75575af6f09p+1) - -0x1.60155a9d1b256p-53) * p)
}

// j1Zero2 is J1 from 5.4 to 8.1, around its zero at 7.016.
func j1Zero2(x float64) float64 {
	s := x - 0x1.bp+2
	p := 0x1.735858248463p-49
	p = ieee.FMA(p, s, -0x1.3108460634523p-43)
	p = ieee.FMA(p, s, -0x1.6249df5b57f7bp-41)
	p = ieee.FMA(p, s, 0x1.10fa8aa4a11c3p-35)
	p = ieee.FMA(p, s, 0x1.ec84541488b1cp-34)
	p = ieee.FMA(p, s, -0x1.6485ffeee4904p-28)
	p = ieee.FMA(p, s, -0x1.e2e6bc47753aep-27)
	p = ieee.FMA(p, s, 0x1.4acd59b2ddf14p-21)
	p = ieee.FMA(p, s, 0x1.31e546d7b5dbbp-20)
	p = ieee.FMA(p, s, -0x1.952a63c42491p-15)
	p = ieee.FMA(p, s, -0x1.aab0ee32e57d3p-15)
	p = ieee.FMA(p, s, 0x1.2368cd5cbd28p-9)
	p = ieee.FMA(p, s, 0x1.af08b39db7571p-11)
	p = ieee.FMA(p, s, -0x1.8dbfc419d2c18p-5)
	p = ieee.FMA(p, s, 0x1.0a36e873499e2p-8)
	p = ieee.FMA(p, s, 0x1.35b199b15d40ap-2)
	return float64(((x - 0x1.c0ff5f3b4725p+2) - -0x1.b226d9d243827p-54) * p)
}

// j0Small is J0 for z = x*x, from 0 to 2.6 squared.
func j0Small(z float64) float64 {
	p := 0x1.3cada94d8afb5p-64
	p = ieee.FMA(p, z, -0x1.0a6860c53c618p-55)
	p = ieee.FMA(p, z, 0x1.52233140f175bp-47)
	p = ieee.FMA(p, z, -0x1.522a1c43db6d4p-39)
	p = ieee.FMA(p, z, 0x1.02e85b794dea1p-31)
	p = ieee.FMA(p, z, -0x1.234567871307fp-24)
	p = ieee.FMA(p, z, 0x1.c71c71c70d6bp-18)
	p = ieee.FMA(p, z, -0x1.c71c71c71c3f1p-12)
	p = ieee.FMA(p, z, 0x1.ffffffffffff5p-7)
	p = ieee.FMA(p, z, -0x1p-2)
	p = ieee.FMA(p, z, 0x1p+0)
	return p
}

// j1Small is J1(x)/x for z = x*x, from 0 to 2 squared.
func j1Small(z float64) float64 {
	p := 0x1.1deaae5c50be1p-51
	p = ieee.FMA(p, z, -0x1.51bd167b02a8fp-43)
	p = ieee.FMA(p, z, 0x1.27e343ad59439p-35)
	p = ieee.FMA(p, z, -0x1.845c81f899a4ap-28)
	p = ieee.FMA(p, z, 0x1.6c16c155c0619p-21)
	p = ieee.FMA(p, z, -0x1.c71c71c6d707bp-15)
	p = ieee.FMA(p, z, 0x1.5555555554e94p-9)
	p = ieee.FMA(p, z, -0x1.ffffffffffffp-5)
	p = ieee.FMA(p, z, 0x1p-1)
	return p
}
