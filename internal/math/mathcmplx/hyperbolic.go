package mathcmplx

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Sinh is the hyperbolic sine of z: sinh x * cos y + i * cosh x * sin y.
func Sinh(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case x == 0 && notFinite(y):
		return complex(x, nan())
	case isInf(x) && y == 0, ieee.IsNaN(x) && y == 0:
		return z
	case isInf(x) && notFinite(y):
		return complex(x, nan())
	}
	sin, cos := math64.Sincos(y)
	if ieee.Abs(x) > large {
		re, im := largeHyperbolic(x, cos, sin)
		return complex(withSign(re, x), im)
	}
	return complex(float64(cos*math64.Sinh(x)), float64(sin*math64.Cosh(x)))
}

// Cosh is the hyperbolic cosine of z: cosh x * cos y + i * sinh x * sin y.
func Cosh(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case x == 0 && notFinite(y):
		return complex(nan(), withSign(x, y))
	case isInf(x) && y == 0:
		return complex(inf(), withSign(y, x))
	case isInf(x) && notFinite(y):
		return complex(inf(), nan())
	case ieee.IsNaN(x) && y == 0:
		return z
	}
	sin, cos := math64.Sincos(y)
	if ieee.Abs(x) > large {
		re, im := largeHyperbolic(x, cos, sin)
		return complex(re, withSign(im, x))
	}
	return complex(float64(cos*math64.Cosh(x)), float64(sin*math64.Sinh(x)))
}

// largeHyperbolic is cosh(x) times a and b, for an x where that is e^|x| / 2 and may overflow while
// the products do not.
func largeHyperbolic(x, a, b float64) (xa, xb float64) {
	half := math64.Exp(ieee.Abs(x) / 2)
	return float64(half / 2 * a * half), float64(half / 2 * b * half)
}

// withSign is x times the sign of s.
func withSign(x, s float64) float64 {
	if ieee.Signbit(s) {
		return -x
	}
	return x
}

// Tanh is the hyperbolic tangent of z, after W. Kahan, "Branch Cuts for Complex Elementary
// Functions", 1987.
func Tanh(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case isInf(x) && notFinite(y):
		return complex(ieee.Copysign(1, x), ieee.Copysign(0, y))
	case isInf(x):
		return complex(ieee.Copysign(1, x), ieee.Copysign(0, math64.Sin(float64(2*y))))
	case ieee.IsNaN(x) && y == 0:
		return z
	case ieee.Abs(x) > flat && !notFinite(y): // 4*sin y*cos y / e^2|x| relative to 1
		sin, cos := math64.Sincos(y)
		e := math64.Exp(-ieee.Abs(x))
		return complex(ieee.Copysign(1, x), float64(4*sin*cos*e*e))
	}
	t, s := math64.Tan(y), math64.Sinh(x)
	beta := 1 + float64(t*t)
	rho := ieee.Sqrt(1 + float64(s*s))
	d := 1 + float64(beta*s*s)
	return complex(beta*rho*s/d, t/d)
}

// Sin is the sine of z: sinh(iz) = i*sin z.
func Sin(z complex128) complex128 { return swap(Sinh(swap(z))) }

// Cos is the cosine of z: cosh(iz) = cos z.
func Cos(z complex128) complex128 {
	if real(z) == 0 && ieee.IsNaN(imag(z)) {
		return complex(nan(), 0)
	}
	return Conj(Cosh(swap(z)))
}

// Tan is the tangent of z: tanh(iz) = i*tan z.
func Tan(z complex128) complex128 { return swap(Tanh(swap(z))) }
