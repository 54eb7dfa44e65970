package gpu

import "github.com/gridstride/gridstride/internal/math/ieee"

// Round is the integer nearest to x, of two the one farther from 0. Otherwise see [math.Round].
func Round[T Float](x T) T { return ieee.Round(x) }

// Modf is the integer part of x and the rest, both with the sign of x. Otherwise see [math.Modf].
func Modf[T Float](x T) (whole, frac T) { return ieee.Modf(x) }

// Frexp takes x apart: it is frac * 2^exp, with 1/2 <= |frac| < 1. Otherwise see [math.Frexp].
func Frexp[T Float](x T) (frac T, exp int) { return ieee.Frexp(x) }

// Ldexp is frac * 2^exp, rounded once. Otherwise see [math.Ldexp].
func Ldexp[T Float](frac T, exp int) T { return ieee.Ldexp(frac, exp) }

// Ilogb is the exponent of x: x is y * 2^Ilogb(x), with 1 <= |y| < 2. Otherwise see [math.Ilogb].
func Ilogb[T Float](x T) int { return ieee.Ilogb(x) }

// Logb is Ilogb as a number. Otherwise see [math.Logb].
func Logb[T Float](x T) T { return ieee.Logb(x) }

// Nextafter is the number after x in the direction of y. Otherwise see [math.Nextafter].
func Nextafter[T Float](x, y T) T { return ieee.Nextafter(x, y) }

// Dim is x-y, or 0 where that is less. Otherwise see [math.Dim].
func Dim[T Float](x, y T) T { return ieee.Dim(x, y) }

// Mod is the exact remainder of x/y, less than |y|, with the sign of x. Otherwise see [math.Mod].
func Mod[T Float](x, y T) T { return ieee.Mod(x, y) }

// Remainder is x - n*y, exactly, with n nearest to x/y, of two the even one. See [math.Remainder].
func Remainder[T Float](x, y T) T { return ieee.Remainder(x, y) }
