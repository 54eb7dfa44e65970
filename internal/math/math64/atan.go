package math64

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/mathcommon"
)

// Atan is the arc tangent of x.
//
// It is atan(q) for q = x up to 1/2, pi/4 + atan(q) for q = (x-1)/(x+1) up to 2, and pi/2 + atan(q)
// for q = -1/x beyond, so that |q| is 1/2 at most. There the arc tangent is a polynomial (Muller,
// Elementary Functions, third edition, 2016). The rounding error of the division is added.
func Atan(x float64) float64 {
	if !isBelow(x, 1<<60) {
		if x != x {
			return x
		}
		return ieee.Copysign(piBy2A, x)
	}
	a := ieee.Abs(x)
	// q is (a*f + g) / (a*h + k), exact except for the last sum.
	f, g, h, k, octants := 1.0, 0.0, 0.0, 1.0, 0.0
	if !isBelow(x, 0.5) {
		g, h, octants = -1, 1, 1
	}
	if !isBelow(x, 2) {
		f, k, octants = 0, 0, 2
	}
	n, d := ieee.FMA(a, f, g), ieee.FMA(a, h, k)
	rest := ieee.FMA(a, h, k-d)
	inverse := nearInverse(d)
	q := float64(n * inverse)
	low := float64(ieee.FMA(-q, rest, ieee.FMA(-q, d, n)) * inverse)
	z := float64(q * q)
	low = ieee.FMA(float64(q*z), atanPolynomial(z), low)
	sum := ieee.FMA(octants, piBy4A, q)
	rest = ieee.FMA(octants, piBy4A, -sum) + q
	return ieee.Copysign(sum+(rest+ieee.FMA(octants, piBy4B, low)), x)
}

// nearInverse is 1/x within a unit in the last place, for x from 2^-125 to 2^125.
func nearInverse(x float64) float64 {
	y := float64(ieee.Inverse(float32(x)))
	e := ieee.FMA(-x, y, 1)
	return ieee.FMA(y, ieee.FMA(e, e, e), y)
}

// Atan2 is the angle of the point (x, y), from -pi to pi.
//
// It is the arc tangent of the smaller coordinate by the larger one, n/d, and the octant. From an
// angle of 1/2 on that is pi/4 + atan((n-d)/(n+d)), where a polynomial is short. What the division
// rounds off is added.
func Atan2(y, x float64) float64 { return mathcommon.Atan2(y, x, piBy4A, piBy4B, atanReduced) }

// atanReduced is the arc tangent of q + rest without q, for q from -tan(1/2) to tan(1/2).
func atanReduced(q, rest float64) float64 {
	z := float64(q * q)
	p := -0x1.dbd4ep-8
	p = ieee.FMA(p, z, 0x1.6773fp-6)
	p = ieee.FMA(p, z, -0x1.2696ap-5)
	p = ieee.FMA(p, z, 0x1.74526p-5)
	p = ieee.FMA(p, z, -0x1.ab911p-5)
	p = ieee.FMA(p, z, 0x1.e15fcp-5)
	p = ieee.FMA(p, z, -0x1.110abp-4)
	p = ieee.FMA(p, z, 0x1.3b13452d62ed9p-4)
	p = ieee.FMA(p, z, -0x1.745d12aa3f3bcp-4)
	p = ieee.FMA(p, z, 0x1.c71c71a92095ep-4)
	p = ieee.FMA(p, z, -0x1.249249245fabap-3)
	p = ieee.FMA(p, z, 0x1.9999999999577p-3)
	p = ieee.FMA(p, z, -0x1.5555555555555p-2)
	return ieee.FMA(z, ieee.FMA(q, p, -rest), rest) // the derivative is 1-z, nearly
}

// atanPolynomial is (atan(q) - q)/q^3 for z = q^2 up to 1/4.
//
// The coefficients with 21 bits are constants for which an instruction has room.
func atanPolynomial(z float64) float64 {
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
	return ieee.FMA(p, z, -0x1.5555555555514p-2)
}
