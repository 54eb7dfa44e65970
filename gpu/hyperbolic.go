package gpu

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Sinh is the hyperbolic sine of x.
func Sinh[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Sinh(float32(x)))
	}
	return T(math64.Sinh(float64(x)))
}

// Cosh is the hyperbolic cosine of x.
func Cosh[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Cosh(float32(x)))
	}
	return T(math64.Cosh(float64(x)))
}

// Tanh is the hyperbolic tangent of x.
func Tanh[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Tanh(float32(x)))
	}
	return T(math64.Tanh(float64(x)))
}

// Asinh is the inverse hyperbolic sine of x.
func Asinh[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Asinh(float32(x)))
	}
	return T(math64.Asinh(float64(x)))
}

// Acosh is the inverse hyperbolic cosine of x, NaN for x < 1.
func Acosh[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Acosh(float32(x)))
	}
	return T(math64.Acosh(float64(x)))
}

// Atanh is the inverse hyperbolic tangent of x, NaN for |x| > 1.
func Atanh[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Atanh(float32(x)))
	}
	return T(math64.Atanh(float64(x)))
}
