package gpu

import "github.com/gridstride/gridstride/internal/math/ieee"

// What these functions have in common is said in the package's comment.

// Sqrt is the square root of x, rounded to nearest. It is NaN for x < 0.
func Sqrt[T Float](x T) T { return ieee.Sqrt(x) }

// Abs is the absolute value of x.
func Abs[T Float](x T) T { return ieee.Abs(x) }

// Min is the smaller of x and y as [math.Min] defines it: -0 is smaller than +0, and NaN is the
// result where one is NaN, unless the other is -Inf. The built-in min differs in that last point
// only.
func Min[T Float](x, y T) T { return ieee.Min(x, y) }

// Max is the larger of x and y as [math.Max] defines it: +0 is larger than -0, and NaN is the
// result where one is NaN, unless the other is +Inf. The built-in max differs in that last point
// only.
func Max[T Float](x, y T) T { return ieee.Max(x, y) }

// Floor is the greatest integer value not above x.
func Floor[T Float](x T) T { return ieee.Floor(x) }

// Ceil is the least integer value not below x.
func Ceil[T Float](x T) T { return ieee.Ceil(x) }

// Trunc is the integer part of x.
func Trunc[T Float](x T) T { return ieee.Trunc(x) }

// RoundToEven is the nearest integer value to x, the even one of two.
func RoundToEven[T Float](x T) T { return ieee.RoundToEven(x) }

// FMA is x*y + z, rounded once. Nothing else is ever fused.
func FMA[T Float](x, y, z T) T { return ieee.FMA(x, y, z) }

// Copysign is the value of x with the sign of sign.
func Copysign[T Float](x, sign T) T { return ieee.Copysign(x, sign) }

// IsNaN reports whether x is not a number.
func IsNaN[T Float](x T) bool { return ieee.IsNaN(x) }

// IsInf reports whether x is +Inf (sign > 0), -Inf (sign < 0) or either (sign == 0).
func IsInf[T Float](x T, sign int) bool { return ieee.IsInf(x, sign) }

// Signbit reports whether x is negative or -0, or a NaN with its sign bit set.
func Signbit[T Float](x T) bool { return ieee.Signbit(x) }
