package mathcmplx

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Exp is e to the power of z: e^x * (cos y + i*sin y).
func Exp(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case isInf(x) && x > 0 && y == 0, ieee.IsNaN(x) && y == 0:
		return z
	case isInf(x) && notFinite(y) && x < 0:
		return complex(0, ieee.Copysign(0, y))
	case isInf(x) && notFinite(y):
		return complex(x, nan())
	}
	sin, cos := math64.Sincos(y)
	if x > large { // e^x may overflow where a product with it does not
		half := math64.Exp(x / 2)
		return complex(float64(half*cos*half), float64(half*sin*half))
	}
	r := math64.Exp(x)
	return complex(float64(r*cos), float64(r*sin))
}

// Pow is x to the power of y: e^(y*log x), with the Phase of x. Pow(0, y) is infinite where the
// real part of y is negative, 1 if it is 0, and 0 if it is positive.
func Pow(x, y complex128) complex128 {
	a, b := real(y), imag(y)
	if x == 0 {
		switch {
		case a == 0:
			return 1
		case a < 0 && b == 0:
			return complex(inf(), 0)
		case a < 0:
			return Inf()
		case a > 0:
			return 0
		}
		return NaN()
	}
	modulus := Abs(x)
	if modulus == 0 {
		return 0
	}
	r, phase := math64.Pow(modulus, a), Phase(x)
	theta := float64(a * phase)
	if b != 0 {
		r = float64(r * math64.Exp(float64(-b*phase)))
		theta = ieee.FMA(b, logAbs(x), theta)
	}
	return Rect(r, theta)
}
