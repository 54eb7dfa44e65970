package math32

import (
	"github.com/gridstride/gridstride/internal/ieee"
	"github.com/gridstride/gridstride/internal/mathcommon"
)

// Atan is the arc tangent of x, computed as math64's.
func Atan(x float32) float32 {
	a := ieee.Abs(x)
	if !(a < 0x1p30) {
		if a != a {
			return x
		}
		return ieee.Copysign[float32](piBy2A+piBy2B, x)
	}
	if a > 0.5 {
		n, d, rest := float32(-1), a, float32(0)
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

// Atan2 is the angle of the point (x, y), from -pi to pi, computed as math64's.
func Atan2(y, x float32) float32 {
	n, d := ieee.Abs(y), ieee.Abs(x)
	swapped := n > d
	if swapped {
		n, d = d, n
	}
	if !(d < 0x1p120 && d > 0x1p-90) {
		n, d = atan2Scaled(n, d)
	}
	eighth := n > float32(0.5*d) // of a circle
	rest := float32(0)
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
func addAngle(a, aLow, b, bLow float32) (sum, low float32) {
	sum = a + b
	return sum, ((a - sum) + b) + (aLow + bLow)
}

// atan2Scaled is two numbers with the ratio n/d, where d is extreme, which n is not more than.
func atan2Scaled(n, d float32) (n1, d1 float32) {
	inf := ieee.Inf[float32](1)
	switch {
	case n != n || d != d:
		return n + d, 1
	case d == 0: // has the angle 0
		return 0, 1
	case n == inf:
		return 1, 1
	case d == inf:
		return 0, 1
	case d >= 0x1p120:
		return float32(n * 0x1p-30), float32(d * 0x1p-30)
	}
	return float32(n * 0x1p40), float32(d * 0x1p40)
}

// atanReduced is the arc tangent of q + rest, for q from -1/2 to 1/2.
func atanReduced(q, rest float32) (angle, low float32) {
	z := float32(q * q)
	p := float32(-0x1.a50a3ep-5)
	p = ieee.FMA(p, z, 0x1.a053dap-4)
	p = ieee.FMA(p, z, -0x1.22527p-3)
	p = ieee.FMA(p, z, 0x1.997bb2p-3)
	p = ieee.FMA(p, z, -0x1.555514p-2)
	return q, ieee.FMA(float32(q*z), p, float32(rest*ieee.FMA(z, -0.8, 1))) // the derivative, nearly
}
