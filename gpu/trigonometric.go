package gpu

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Sin is the sine of x radians.
func Sin[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Sin(float32(x)))
	}
	return T(math64.Sin(float64(x)))
}

// Cos is the cosine of x radians.
func Cos[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Cos(float32(x)))
	}
	return T(math64.Cos(float64(x)))
}

// Sincos is Sin(x) and Cos(x), in less time than both.
func Sincos[T Float](x T) (sin, cos T) {
	if ieee.Single[T]() {
		s, c := math32.Sincos(float32(x))
		return T(s), T(c)
	}
	s, c := math64.Sincos(float64(x))
	return T(s), T(c)
}

// Tan is the tangent of x radians.
func Tan[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Tan(float32(x)))
	}
	return T(math64.Tan(float64(x)))
}

// Sinpi is the sine of pi*x. It is exactly 0, with the sign of x, for integers.
func Sinpi[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Sinpi(float32(x)))
	}
	return T(math64.Sinpi(float64(x)))
}

// Cospi is the cosine of pi*x. It is exactly 0 for an integer and a half.
func Cospi[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Cospi(float32(x)))
	}
	return T(math64.Cospi(float64(x)))
}

// Asin is the arc sine of x, from -pi/2 to pi/2. It is NaN outside [-1, 1].
func Asin[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Asin(float32(x)))
	}
	return T(math64.Asin(float64(x)))
}

// Acos is the arc cosine of x, from 0 to pi. It is NaN outside [-1, 1].
func Acos[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Acos(float32(x)))
	}
	return T(math64.Acos(float64(x)))
}

// Atan is the arc tangent of x, from -pi/2 to pi/2.
func Atan[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Atan(float32(x)))
	}
	return T(math64.Atan(float64(x)))
}

// Atan2 is the angle of the point (x, y), from -pi to pi. It has the sign of y, also where that is
// a zero.
func Atan2[T Float](y, x T) T {
	if ieee.Single[T]() {
		return T(math32.Atan2(float32(y), float32(x)))
	}
	return T(math64.Atan2(float64(y), float64(x)))
}
