package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// J0 is the Bessel function of the first kind and order 0 of x, computed as math64's.
func J0(x float32) float32 {
	x = ieee.Abs(x)
	switch {
	case x < 1.25:
		return j0Small(float32(x * x))
	case x < 4:
		return j0Zero1(x)
	case x < 7.1:
		return j0Zero2(x)
	case x == ieee.Inf[float32](1):
		return 0
	}
	n, high, low := besselPhase(x, besselShift0(x))
	return float32(quadrant(n+1, sinReduced(high, low), cosReduced(high, low)) * besselModulus0(x))
}

// J1 is the Bessel function of the first kind and order 1 of x. It is computed as J0 is.
func J1(x float32) float32 {
	if ieee.IsInf(x, 0) {
		return 0
	}
	return float32(ieee.Copysign(1, x) * j1Positive(ieee.Abs(x)))
}

// j1Positive is J1 for an x that is not negative.
func j1Positive(x float32) float32 {
	switch {
	case x < 2:
		return float32(x * j1Small(float32(x*x)))
	case x < 5.4:
		return j1Zero1(x)
	case x < 8.1:
		return j1Zero2(x)
	case x == ieee.Inf[float32](1):
		return 0
	}
	n, high, low := besselPhase(x, besselShift1(x))
	return float32(quadrant(n, sinReduced(high, low), cosReduced(high, low)) * besselModulus1(x))
}

// j0Zero1 is J0 from 1.25 to 4, around its zero at 2.405.
func j0Zero1(x float32) float32 {
	s := x - 0x1.5p+1
	p := float32(-0x1.bfa1cap-22)
	p = ieee.FMA(p, s, -0x1.4d5fe2p-18)
	p = ieee.FMA(p, s, 0x1.30d25cp-15)
	p = ieee.FMA(p, s, 0x1.4c841ep-12)
	p = ieee.FMA(p, s, -0x1.eb01e2p-10)
	p = ieee.FMA(p, s, -0x1.568484p-7)
	p = ieee.FMA(p, s, 0x1.9bd9a6p-5)
	p = ieee.FMA(p, s, 0x1.0d570cp-3)
	p = ieee.FMA(p, s, -0x1.f88fb6p-2)
	return float32(((x - 0x1.33d152p+1) - 0x1.d2e368p-24) * p)
}

// j0Zero2 is J0 from 4 to 7.1, around its zero at 5.52.
func j0Zero2(x float32) float32 {
	s := x - 0x1.64p+2
	p := float32(-0x1.2aa40ep-25)
	p = ieee.FMA(p, s, 0x1.1d2444p-21)
	p = ieee.FMA(p, s, 0x1.c64776p-19)
	p = ieee.FMA(p, s, -0x1.7d9198p-15)
	p = ieee.FMA(p, s, -0x1.87f27p-13)
	p = ieee.FMA(p, s, 0x1.22d8d8p-9)
	p = ieee.FMA(p, s, 0x1.486484p-8)
	p = ieee.FMA(p, s, -0x1.ad0e2ep-5)
	p = ieee.FMA(p, s, -0x1.2119fcp-5)
	p = ieee.FMA(p, s, 0x1.5afebap-2)
	return float32(((x - 0x1.6148f6p+2) - -0x1.34f46ep-24) * p)
}

// j1Zero1 is J1 from 2 to 5.4, around its zero at 3.832.
func j1Zero1(x float32) float32 {
	s := x - 0x1.dap+1
	p := float32(0x1.a5f9bp-26)
	p = ieee.FMA(p, s, -0x1.32c162p-21)
	p = ieee.FMA(p, s, -0x1.456802p-19)
	p = ieee.FMA(p, s, 0x1.978aa4p-15)
	p = ieee.FMA(p, s, 0x1.217474p-13)
	p = ieee.FMA(p, s, -0x1.31e062p-9)
	p = ieee.FMA(p, s, -0x1.066cbp-8)
	p = ieee.FMA(p, s, 0x1.c40ffep-5)
	p = ieee.FMA(p, s, 0x1.3c1316p-5)
	p = ieee.FMA(p, s, -0x1.a26e4p-2)
	return float32(((x - 0x1.ea7558p+1) - -0x1.4a121ep-24) * p)
}

// j1Zero2 is J1 from 5.4 to 8.1, around its zero at 7.016.
func j1Zero2(x float32) float32 {
	s := x - 0x1.bp+2
	p := float32(0x1.3e5654p-21)
	p = ieee.FMA(p, s, 0x1.22c396p-20)
	p = ieee.FMA(p, s, -0x1.94db5cp-15)
	p = ieee.FMA(p, s, -0x1.aa0cb2p-15)
	p = ieee.FMA(p, s, 0x1.2368p-9)
	p = ieee.FMA(p, s, 0x1.af0386p-11)
	p = ieee.FMA(p, s, -0x1.8dbfc2p-5)
	p = ieee.FMA(p, s, 0x1.0a37p-8)
	p = ieee.FMA(p, s, 0x1.35b19ap-2)
	return float32(((x - 0x1.c0ff6p+2) - -0x1.8971b6p-23) * p)
}

// j0Small is J0 for z = x*x, from 0 to 2.6 squared.
func j0Small(z float32) float32 {
	p := float32(0x1.cab8e4p-32)
	p = ieee.FMA(p, z, -0x1.212a86p-24)
	p = ieee.FMA(p, z, 0x1.c6f602p-18)
	p = ieee.FMA(p, z, -0x1.c71b08p-12)
	p = ieee.FMA(p, z, 0x1.fffff4p-7)
	p = ieee.FMA(p, z, -0x1p-2)
	p = ieee.FMA(p, z, 0x1p+0)
	return p
}

// j1Small is J1(x)/x for z = x*x, from 0 to 2 squared.
func j1Small(z float32) float32 {
	p := float32(-0x1.698a6ep-28)
	p = ieee.FMA(p, z, 0x1.6b2818p-21)
	p = ieee.FMA(p, z, -0x1.c714c2p-15)
	p = ieee.FMA(p, z, 0x1.555538p-9)
	p = ieee.FMA(p, z, -0x1p-4)
	p = ieee.FMA(p, z, 0x1p-1)
	return p
}
