package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// Y0 is the Bessel function of the second kind and order 0 of x, NaN for a negative x, computed as
// math64's.
func Y0(x float32) float32 {
	switch {
	case !(x > 0):
		if x == 0 {
			return ieee.Inf[float32](-1)
		}
		return ieee.NaN[float32]()
	case x < 0.6 || x >= 1.2 && x < 2.6:
		z := float32(x * x)
		high, low := logSum(x)
		return ieee.FMA(float32(0x1.45f306p-1*(high+low)), j0Small(z), y0Small(z))
	case x < 1.2:
		return y0Zero1(x)
	case x < 5.5:
		return y0Zero2(x)
	case x < 8.1:
		return y0Zero3(x)
	case x == ieee.Inf[float32](1):
		return 0
	}
	n, high, low := besselPhase(x, besselShift0(x))
	return float32(quadrant(n, sinReduced(high, low), cosReduced(high, low)) * besselModulus0(x))
}

// Y1 is the Bessel function of the second kind and order 1 of x, NaN for a negative x. It is
// computed as Y0 is.
func Y1(x float32) float32 {
	switch {
	case !(x > 0):
		if x == 0 {
			return ieee.Inf[float32](-1)
		}
		return ieee.NaN[float32]()
	case x < 1.6:
		z := float32(x * x)
		high, low := logSum(x)
		smooth := float32(x * ieee.FMA(float32(0x1.45f306p-1*(high+low)), j1Small(z), y1Small(z)))
		return smooth - 0x1.45f306p-1/x
	case x < 3.7:
		return y1Zero1(x)
	case x < 7.1:
		return y1Zero2(x)
	case x == ieee.Inf[float32](1):
		return 0
	}
	n, high, low := besselPhase(x, besselShift1(x))
	return float32(-quadrant(n+1, sinReduced(high, low), cosReduced(high, low)) * besselModulus1(x))
}

// y0Zero1 is Y0 from 0.6 to 1.2, around its zero at 0.8936.
func y0Zero1(x float32) float32 {
	s := x - 0x1.ccp-1
	p := float32(-0x1.e88b88p-3)
	p = ieee.FMA(p, s, 0x1.e0f1ap-3)
	p = ieee.FMA(p, s, -0x1.74851ep-3)
	p = ieee.FMA(p, s, 0x1.7e70c4p-3)
	p = ieee.FMA(p, s, -0x1.985c08p-3)
	p = ieee.FMA(p, s, 0x1.b6a10cp-3)
	p = ieee.FMA(p, s, -0x1.c678d6p-3)
	p = ieee.FMA(p, s, 0x1.bcffd8p-3)
	p = ieee.FMA(p, s, -0x1.f5b5aep-2)
	p = ieee.FMA(p, s, 0x1.c10aa2p-1)
	return float32(((x - 0x1.c982ecp-1) - -0x1.cafa06p-27) * p)
}

// y0Zero2 is Y0 from 2.6 to 5.5, around its zero at 3.958.
func y0Zero2(x float32) float32 {
	s := x - 0x1.04p+2
	p := float32(-0x1.c3b126p-23)
	p = ieee.FMA(p, s, -0x1.5dfeeap-18)
	p = ieee.FMA(p, s, 0x1.8ab2eep-15)
	p = ieee.FMA(p, s, 0x1.da8f3ep-13)
	p = ieee.FMA(p, s, -0x1.0fb0c8p-9)
	p = ieee.FMA(p, s, -0x1.fb9d1ap-8)
	p = ieee.FMA(p, s, 0x1.cc9d28p-5)
	p = ieee.FMA(p, s, 0x1.019822p-4)
	p = ieee.FMA(p, s, -0x1.961848p-2)
	return float32(((x - 0x1.fa9534p+1) - 0x1.b30ad4p-24) * p)
}

// y0Zero3 is Y0 from 5.5 to 8.1, around its zero at 7.086.
func y0Zero3(x float32) float32 {
	s := x - 0x1.b4p+2
	p := float32(0x1.49f6a8p-21)
	p = ieee.FMA(p, s, 0x1.5f055cp-20)
	p = ieee.FMA(p, s, -0x1.a221b6p-15)
	p = ieee.FMA(p, s, -0x1.0219e4p-14)
	p = ieee.FMA(p, s, 0x1.2f6e66p-9)
	p = ieee.FMA(p, s, 0x1.be636ep-11)
	p = ieee.FMA(p, s, -0x1.9783ccp-5)
	p = ieee.FMA(p, s, 0x1.73124cp-8)
	p = ieee.FMA(p, s, 0x1.357ea6p-2)
	return float32(((x - 0x1.c581dcp+2) - 0x1.39c84p-24) * p)
}

// y1Zero1 is Y1 from 1.6 to 3.7, around its zero at 2.197.
func y1Zero1(x float32) float32 {
	s := x - 0x1.54p+1
	p := float32(-0x1.11ab6cp-18)
	p = ieee.FMA(p, s, 0x1.50e408p-17)
	p = ieee.FMA(p, s, -0x1.b94ap-17)
	p = ieee.FMA(p, s, 0x1.36fac6p-15)
	p = ieee.FMA(p, s, -0x1.c4905ep-14)
	p = ieee.FMA(p, s, 0x1.104514p-12)
	p = ieee.FMA(p, s, -0x1.1474a4p-10)
	p = ieee.FMA(p, s, 0x1.dd29c6p-9)
	p = ieee.FMA(p, s, 0x1.3d2a96p-8)
	p = ieee.FMA(p, s, -0x1.068a54p-5)
	p = ieee.FMA(p, s, -0x1.31cdc6p-3)
	p = ieee.FMA(p, s, 0x1.d64afap-2)
	return float32(((x - 0x1.193beep+1) - -0x1.6401b8p-24) * p)
}

// y1Zero2 is Y1 from 3.7 to 7.1, around its zero at 5.43.
func y1Zero2(x float32) float32 {
	s := x - 0x1.5ap+2
	p := float32(0x1.60525p-26)
	p = ieee.FMA(p, s, -0x1.11e75ap-21)
	p = ieee.FMA(p, s, -0x1.70f768p-19)
	p = ieee.FMA(p, s, 0x1.88b5b2p-15)
	p = ieee.FMA(p, s, 0x1.25af88p-13)
	p = ieee.FMA(p, s, -0x1.1e16b2p-9)
	p = ieee.FMA(p, s, -0x1.0347d2p-8)
	p = ieee.FMA(p, s, 0x1.a3b3cp-5)
	p = ieee.FMA(p, s, 0x1.da39a6p-6)
	p = ieee.FMA(p, s, -0x1.5d357ap-2)
	return float32(((x - 0x1.5b7fe4p+2) - 0x1.d0f606p-23) * p)
}

// y0Small is Y0 without its logarithm, for z = x*x, from 0 to 2.6 squared.
func y0Small(z float32) float32 {
	p := float32(-0x1.741c7p-31)
	p = ieee.FMA(p, z, 0x1.b9469cp-24)
	p = ieee.FMA(p, z, -0x1.3e7876p-17)
	p = ieee.FMA(p, z, 0x1.1a60dp-11)
	p = ieee.FMA(p, z, -0x1.075b1p-6)
	p = ieee.FMA(p, z, 0x1.6bbcb4p-3)
	p = ieee.FMA(p, z, -0x1.2e4d6ap-4)
	return p
}

// y1Small is (Y1(x)+2/(pi*x))/x without its logarithm, for z = x*x, from 0 to 1.6 squared.
func y1Small(z float32) float32 {
	p := float32(-0x1.f70deep-21)
	p = ieee.FMA(p, z, 0x1.2bf91p-14)
	p = ieee.FMA(p, z, -0x1.8357d2p-9)
	p = ieee.FMA(p, z, 0x1.bd3962p-5)
	p = ieee.FMA(p, z, -0x1.918662p-3)
	return p
}
