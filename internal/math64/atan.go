package math64

import (
	"github.com/gridstride/gridstride/internal/ieee"
	"github.com/gridstride/gridstride/internal/mathcommon"
)

// Atan is the arc tangent of x.
//
// With q = (x-1)/(x+1) it is pi/4 + atan(q), with q = -1/x it is pi/2 + atan(q), so that q is 1/2
// at most, where a polynomial is short (Muller, Elementary Functions, third edition, 2016). What
// the division rounds off is added.
func Atan(x float64) float64 {
	a := ieee.Abs(x)
	if !(a < 0x1p60) {
		if a != a {
			return x
		}
		return ieee.Copysign[float64](piBy2A+piBy2B, x)
	}
	if a > 0.5 {
		n, d, rest := float64(-1), a, float64(0)
		if a <= 2 {
			n, d = a-1, a+1
			rest = (1 - d) + a
		}
		angle, low := atanReduced(mathcommon.Quotient(n, d, rest))
		angle, low = addAngle(choose(a <= 2, piBy2A, piBy4A), choose(a <= 2, piBy2B, piBy4B), angle, low)
		return ieee.Copysign(angle+low, x)
	}
	angle, low := atanReduced(a, 0)
	return ieee.Copysign(angle+low, x)
}

// Atan2 is the angle of the point (x, y), from -pi to pi.
//
// It is the arc tangent of the smaller coordinate by the larger one, computed as Atan is, and the
// octant.
func Atan2(y, x float64) float64 {
	n, d := ieee.Abs(y), ieee.Abs(x)
	swapped := n > d
	if swapped {
		n, d = d, n
	}
	if !(d < 0x1p1000 && d > 0x1p-900) {
		n, d = atan2Scaled(n, d)
	}
	eighth := n > float64(0.5*d) // of a circle
	rest := float64(0)
	if eighth {
		sum := n + d
		rest = (d - sum) + n
		n, d = n-d, sum
	}
	angle, low := atanReduced(mathcommon.Quotient(n, d, rest))
	if eighth {
		angle, low = addAngle(piBy4A, piBy4B, angle, low)
	}
	if swapped {
		angle, low = addAngle(piBy2A, piBy2B, -angle, -low)
	}
	if ieee.Signbit(x) {
		angle, low = addAngle(2*piBy2A, 2*piBy2B, -angle, -low)
	}
	return ieee.Copysign(angle+low, y)
}

// addAngle adds two angles, the first of which is larger. Their second parts are small.
func addAngle(a, aLow, b, bLow float64) (sum, low float64) {
	sum = a + b
	return sum, ((a - sum) + b) + (aLow + bLow)
}

// atan2Scaled is two numbers with the ratio n/d, where d is extreme, which n is not more than.
func atan2Scaled(n, d float64) (n1, d1 float64) {
	inf := ieee.Inf[float64](1)
	switch {
	case n != n || d != d:
		return n + d, 1
	case d == 0: // has the angle 0
		return 0, 1
	case n == inf:
		return 1, 1
	case d == inf:
		return 0, 1
	case d >= 0x1p1000:
		return float64(n * 0x1p-200), float64(d * 0x1p-200)
	}
	return float64(n * 0x1p100), float64(d * 0x1p100)
}

// atanReduced is the arc tangent of q + rest, for q from -1/2 to 1/2.
func atanReduced(q, rest float64) (angle, low float64) {
	z := float64(q * q)
	p := 0x1.4c2a164f5650fp-7
	p = ieee.FMA(p, z, -0x1.c1fbdcda579b7p-6)
	p = ieee.FMA(p, z, 0x1.571e493183427p-5)
	p = ieee.FMA(p, z, -0x1.a3a7959c4dc2cp-5)
	p = ieee.FMA(p, z, 0x1.dfed12a00d925p-5)
	p = ieee.FMA(p, z, -0x1.10f3674ceeb97p-4)
	p = ieee.FMA(p, z, 0x1.3b1145443ae11p-4)
	p = ieee.FMA(p, z, -0x1.745cf54e5af31p-4)
	p = ieee.FMA(p, z, 0x1.c71c7096893c3p-4)
	p = ieee.FMA(p, z, -0x1.249249216fdc5p-3)
	p = ieee.FMA(p, z, 0x1.99999999914d8p-3)
	p = ieee.FMA(p, z, -0x1.5555555555518p-2)
	return q, ieee.FMA(float64(q*z), p, float64(rest*ieee.FMA(z, -0.8, 1))) // the derivative, nearly
}
