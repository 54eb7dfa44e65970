package gpu

// What these functions have in common is said in the package's comment.

// Sqrt is the square root of x, rounded to nearest. It is NaN for x < 0.
func Sqrt[T Float](x T) T {
	panic(hostCall("Sqrt"))
}

// Abs is the absolute value of x.
func Abs[T Float](x T) T {
	panic(hostCall("Abs"))
}

// Min is the smaller of x and y as [math.Min] defines it: -0 is smaller than +0, and NaN is the
// result where one is NaN, unless the other is -Inf. The built-in min differs in that last point
// only.
func Min[T Float](x, y T) T {
	panic(hostCall("Min"))
}

// Max is the larger of x and y as [math.Max] defines it: +0 is larger than -0, and NaN is the
// result where one is NaN, unless the other is +Inf. The built-in max differs in that last point
// only.
func Max[T Float](x, y T) T {
	panic(hostCall("Max"))
}

// Floor is the greatest integer value not above x.
func Floor[T Float](x T) T {
	panic(hostCall("Floor"))
}

// Ceil is the least integer value not below x.
func Ceil[T Float](x T) T {
	panic(hostCall("Ceil"))
}

// Trunc is the integer part of x.
func Trunc[T Float](x T) T {
	panic(hostCall("Trunc"))
}

// FMA is x*y + z, rounded once. Nothing else is ever fused.
func FMA[T Float](x, y, z T) T {
	panic(hostCall("FMA"))
}

// Copysign is the value of x with the sign of sign.
func Copysign[T Float](x, sign T) T {
	panic(hostCall("Copysign"))
}

// IsNaN reports whether x is not a number.
func IsNaN[T Float](x T) bool {
	panic(hostCall("IsNaN"))
}

// IsInf reports whether x is +Inf (sign > 0), -Inf (sign < 0) or either (sign == 0).
func IsInf[T Float](x T, sign int) bool {
	panic(hostCall("IsInf"))
}
