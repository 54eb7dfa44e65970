package gpu

import (
	"github.com/gridstride/gridstride/internal/ieee"
	"github.com/gridstride/gridstride/internal/math32"
	"github.com/gridstride/gridstride/internal/math64"
)

// Round is the integer nearest to x, of two the one farther from 0. Otherwise see [math.Round].
func Round[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Round(float32(x)))
	}
	return T(math64.Round(float64(x)))
}

// Modf is the integer part of x and the rest, both with the sign of x. Otherwise see [math.Modf].
func Modf[T Float](x T) (whole, frac T) {
	if ieee.Single[T]() {
		w, f := math32.Modf(float32(x))
		return T(w), T(f)
	}
	w, f := math64.Modf(float64(x))
	return T(w), T(f)
}

// Frexp takes x apart: it is frac * 2^exp, with 1/2 <= |frac| < 1. Otherwise see [math.Frexp].
func Frexp[T Float](x T) (frac T, exp int) {
	if ieee.Single[T]() {
		f, e := math32.Frexp(float32(x))
		return T(f), e
	}
	f, e := math64.Frexp(float64(x))
	return T(f), e
}

// Ldexp is frac * 2^exp, rounded once. Otherwise see [math.Ldexp].
func Ldexp[T Float](frac T, exp int) T {
	if ieee.Single[T]() {
		return T(math32.Ldexp(float32(frac), exp))
	}
	return T(math64.Ldexp(float64(frac), exp))
}

// Ilogb is the exponent of x: x is y * 2^Ilogb(x), with 1 <= |y| < 2. Otherwise see [math.Ilogb].
func Ilogb[T Float](x T) int {
	if ieee.Single[T]() {
		return math32.Ilogb(float32(x))
	}
	return math64.Ilogb(float64(x))
}

// Logb is Ilogb as a number. Otherwise see [math.Logb].
func Logb[T Float](x T) T {
	if ieee.Single[T]() {
		return T(math32.Logb(float32(x)))
	}
	return T(math64.Logb(float64(x)))
}

// Nextafter is the number after x in the direction of y. Otherwise see [math.Nextafter].
func Nextafter[T Float](x, y T) T {
	if ieee.Single[T]() {
		return T(math32.Nextafter(float32(x), float32(y)))
	}
	return T(math64.Nextafter(float64(x), float64(y)))
}

// Dim is x-y, or 0 where that is less. Otherwise see [math.Dim].
func Dim[T Float](x, y T) T {
	if ieee.Single[T]() {
		return T(math32.Dim(float32(x), float32(y)))
	}
	return T(math64.Dim(float64(x), float64(y)))
}

// Mod is the exact remainder of x/y, less than |y|, with the sign of x. Otherwise see [math.Mod].
func Mod[T Float](x, y T) T {
	if ieee.Single[T]() {
		return T(math32.Mod(float32(x), float32(y)))
	}
	return T(math64.Mod(float64(x), float64(y)))
}

// Remainder is x - n*y, exactly, with n nearest to x/y, of two the even one. See [math.Remainder].
func Remainder[T Float](x, y T) T {
	if ieee.Single[T]() {
		return T(math32.Remainder(float32(x), float32(y)))
	}
	return T(math64.Remainder(float64(x), float64(y)))
}
