package gpu

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Erf is the error function of x.
func Erf[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Erf(float32(x)))
	}
	return T(math64.Erf(float64(x)))
}

// Erfc is 1 - Erf(x), without its loss of digits for an x above 1.
func Erfc[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Erfc(float32(x)))
	}
	return T(math64.Erfc(float64(x)))
}

// Erfinv is the inverse of Erf. It is NaN outside [-1, 1].
func Erfinv[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Erfinv(float32(x)))
	}
	return T(math64.Erfinv(float64(x)))
}

// Erfcinv is the inverse of Erfc. It is NaN outside [0, 2].
func Erfcinv[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Erfcinv(float32(x)))
	}
	return T(math64.Erfcinv(float64(x)))
}

// Gamma is the gamma function of x: ±Inf at ±0, and NaN at negative integers and at -Inf.
func Gamma[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Gamma(float32(x)))
	}
	return T(math64.Gamma(float64(x)))
}

// Lgamma is the natural logarithm of the absolute value of Gamma(x), and the sign of Gamma(x), 1 or
// -1. It is +Inf at 0, negative integers and both infinities. Near its zeros at negative x, the
// first at -2.46, the error is small compared with 1, but not with the result.
func Lgamma[T Float](x T) (lgamma T, sign int) {
	if ieee.Single[T]() {
		l, s := math32.Lgamma(float32(x))
		return T(l), s
	}
	l, s := math64.Lgamma(float64(x))
	return T(l), s
}

// J0 is the Bessel function of the first kind and order 0 of x. Near a zero beyond 8 the error is
// small compared with the function's swing there, sqrt(2/(pi*x)), but not with the result.
func J0[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.J0(float32(x)))
	}
	return T(math64.J0(float64(x)))
}

// J1 is the Bessel function of the first kind and order 1 of x. Its error is as J0's.
func J1[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.J1(float32(x)))
	}
	return T(math64.J1(float64(x)))
}

// Jn is the Bessel function of the first kind and order n of x. Its time grows with n. So does its
// error, a little: it is small compared with the function's swing.
func Jn[T Float](n int, x T) T {
	if ieee.Single[T]() {
		return T(math32.Jn(n, float32(x)))
	}
	return T(math64.Jn(n, float64(x)))
}

// Y0 is the Bessel function of the second kind and order 0 of x, NaN for a negative x. Its error is
// as J0's.
func Y0[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Y0(float32(x)))
	}
	return T(math64.Y0(float64(x)))
}

// Y1 is the Bessel function of the second kind and order 1 of x, NaN for a negative x. Its error is
// as J0's.
func Y1[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Y1(float32(x)))
	}
	return T(math64.Y1(float64(x)))
}

// Yn is the Bessel function of the second kind and order n of x, NaN for a negative x. Its time
// grows with n, and its error as Jn's.
func Yn[T Float](n int, x T) T {
	if ieee.Single[T]() {
		return T(math32.Yn(n, float32(x)))
	}
	return T(math64.Yn(n, float64(x)))
}
