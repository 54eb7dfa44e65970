package gpu

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Exp is e to the power of x.
func Exp[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Exp(float32(x)))
	}
	return T(math64.Exp(float64(x)))
}

// Exp2 is 2 to the power of x.
func Exp2[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Exp2(float32(x)))
	}
	return T(math64.Exp2(float64(x)))
}

// Exp10 is 10 to the power of x.
func Exp10[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Exp10(float32(x)))
	}
	return T(math64.Exp10(float64(x)))
}

// Log is the natural logarithm of x.
func Log[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Log(float32(x)))
	}
	return T(math64.Log(float64(x)))
}

// Log2 is the binary logarithm of x.
func Log2[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Log2(float32(x)))
	}
	return T(math64.Log2(float64(x)))
}

// Log10 is the decimal logarithm of x.
func Log10[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Log10(float32(x)))
	}
	return T(math64.Log10(float64(x)))
}

// Expm1 is e^x - 1, also where that is small.
func Expm1[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Expm1(float32(x)))
	}
	return T(math64.Expm1(float64(x)))
}

// Log1p is log(1 + x), also where x is small.
func Log1p[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Log1p(float32(x)))
	}
	return T(math64.Log1p(float64(x)))
}
