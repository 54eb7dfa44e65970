package gpu

import (
	"github.com/gridstride/gridstride/internal/math/ieee"
	"github.com/gridstride/gridstride/internal/math/math32"
	"github.com/gridstride/gridstride/internal/math/math64"
)

// Rsqrt is 1 / sqrt(x).
func Rsqrt[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Rsqrt(float32(x)))
	}
	return T(math64.Rsqrt(float64(x)))
}

// Cbrt is the cube root of x.
func Cbrt[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Cbrt(float32(x)))
	}
	return T(math64.Cbrt(float64(x)))
}

// Hypot is sqrt(x*x + y*y), without overflow on the way.
func Hypot[T Float](x, y T) T {
	if ieee.Single[T]() {
		return T(math32.Hypot(float32(x), float32(y)))
	}
	return T(math64.Hypot(float64(x), float64(y)))
}

// Pow is x to the power of y. Its special values are [math.Pow]'s.
func Pow[T Float](x, y T) T {
	if ieee.Single[T]() {
		return T(math32.Pow(float32(x), float32(y)))
	}
	return T(math64.Pow(float64(x), float64(y)))
}
