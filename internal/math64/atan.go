package math64

import (
	"github.com/gridstride/gridstride/internal/ieee"
	"github.com/gridstride/gridstride/internal/mathcommon"
)

// Atan is the arc tangent of x.
//
// With q = -1/x it is pi/2 + atan(q), so that q is 1 at most. There the arc tangent is a polynomial
// (Muller, Elementary Functions, third edition, 2016).
func Atan(x float64) float64 { return mathcommon.Atan(x, piBy2A, piBy2B, atanTail) }

// Atan2 is the angle of the point (x, y), from -pi to pi.
//
// It is the arc tangent of the smaller coordinate by the larger one, n/d, and the octant. From 1/2
// on that is pi/4 + atan((n-d)/(n+d)), where a polynomial is short. What the division rounds off is
// added.
func Atan2(y, x float64) float64 { return mathcommon.Atan2(y, x, piBy4A, piBy4B, atanReduced) }

// atanTail is (atan(q) - q)/q for z = q^2 and q up to 1, a polynomial.
//
// The coefficients with 21 bits are constants for which an instruction has room.
func atanTail(z float64) float64 {
	p := 0x1.b8029p-17
	p = ieee.FMA(p, z, -0x1.3cc8fp-13)
	p = ieee.FMA(p, z, 0x1.b134cp-11)
	p = ieee.FMA(p, z, -0x1.78498p-9)
	p = ieee.FMA(p, z, 0x1.d5df6p-8)
	p = ieee.FMA(p, z, -0x1.c6487p-7)
	p = ieee.FMA(p, z, 0x1.6793dp-6)
	p = ieee.FMA(p, z, -0x1.e9757p-6)
	p = ieee.FMA(p, z, 0x1.2c068p-5)
	p = ieee.FMA(p, z, -0x1.5991a83fdd0f4p-5)
	p = ieee.FMA(p, z, 0x1.82d472ee3544ep-5)
	p = ieee.FMA(p, z, -0x1.ae5ccbf69f7ffp-5)
	p = ieee.FMA(p, z, 0x1.e1bb590fef898p-5)
	p = ieee.FMA(p, z, -0x1.110e4ca4aba1p-4)
	p = ieee.FMA(p, z, 0x1.3b136662c3481p-4)
	p = ieee.FMA(p, z, -0x1.745d11b41055dp-4)
	p = ieee.FMA(p, z, 0x1.c71c7180f8b61p-4)
	p = ieee.FMA(p, z, -0x1.2492492389d6ap-3)
	p = ieee.FMA(p, z, 0x1.9999999995aeep-3)
	p = ieee.FMA(p, z, -0x1.555555555552dp-2)
	return float64(p * z)
}

// atanReduced is the arc tangent of q + rest, for q from -1/2 to 1/2.
func atanReduced(q, rest float64) (angle, low float64) {
	z := float64(q * q)
	p := 0x1.4b624p-7
	p = ieee.FMA(p, z, -0x1.c1674p-6)
	p = ieee.FMA(p, z, 0x1.56edep-5)
	p = ieee.FMA(p, z, -0x1.a3957p-5)
	p = ieee.FMA(p, z, 0x1.dfe8cp-5)
	p = ieee.FMA(p, z, -0x1.10f31p-4)
	p = ieee.FMA(p, z, 0x1.3b113c0ab94f3p-4)
	p = ieee.FMA(p, z, -0x1.745cf4a926f74p-4)
	p = ieee.FMA(p, z, 0x1.c71c708f25426p-4)
	p = ieee.FMA(p, z, -0x1.24924921568d3p-3)
	p = ieee.FMA(p, z, 0x1.9999999990f24p-3)
	p = ieee.FMA(p, z, -0x1.5555555555514p-2)
	return q, ieee.FMA(float64(q*z), p, float64(rest*ieee.FMA(z, -0.8, 1))) // the derivative, nearly
}
