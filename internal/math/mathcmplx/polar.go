package mathcmplx

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Abs is the distance of z from 0.
func Abs(z complex128) float64 { return math64.Hypot(real(z), imag(z)) }

// Phase is the angle of z, from -π to π. The cut is along the negative real axis.
func Phase(z complex128) float64 { return math64.Atan2(imag(z), real(z)) }

// Polar is Abs and Phase.
func Polar(z complex128) (r, theta float64) { return Abs(z), Phase(z) }

// Rect is the number at a distance from 0 and an angle.
func Rect(r, theta float64) complex128 {
	sin, cos := math64.Sincos(theta)
	return complex(float64(r*cos), float64(r*sin))
}

// Conj is z with the other sign of its imaginary part.
func Conj(z complex128) complex128 { return complex(real(z), -imag(z)) }

// Inf is an infinity, and NaN no number.
func Inf() complex128 { return complex(inf(), inf()) }
func NaN() complex128 { return complex(nan(), nan()) }

// IsInf reports whether a part of z is infinite.
func IsInf(z complex128) bool { return isInf(real(z)) || isInf(imag(z)) }

// IsNaN reports whether a part of z is NaN and none is infinite.
func IsNaN(z complex128) bool {
	return !IsInf(z) && (ieee.IsNaN(real(z)) || ieee.IsNaN(imag(z)))
}
