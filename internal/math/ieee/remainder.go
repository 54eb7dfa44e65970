package ieee

// quotientLimit is a size below which a rounded quotient is less than 1/4 from the exact one.
func quotientLimit[T Float]() T {
	if Single[T]() {
		return 0x1p22
	}
	return 0x1p51
}

// Mod is x - n*y for the n that gives the remainder the sign of x and less than |y|. It is exact.
// The integer part of the rounded quotient is at most 1 too large.
func Mod[T Float](x, y T) T {
	a, b := Abs(x), Abs(y)
	ratio := a / b
	if !(ratio < quotientLimit[T]() && b < Inf[T](1)) {
		return modFar(x, y)
	}
	a = FMA(-Trunc(ratio), b, a)
	if a < 0 {
		a += b
	}
	return Copysign(a, x)
}

// modFar is Mod where the quotient is large, or no number.
func modFar[T Float](x, y T) T {
	if y == 0 || y != y || !IsFinite(x) {
		return NaN[T]()
	}
	return Copysign(modLong(Abs(x), Abs(y)), x)
}

// modLong is Mod of numbers above 0, y possibly infinite. It subtracts y times a power of 2 as
// often as possible, down to y itself.
func modLong[T Float](x, y T) T {
	for x >= y {
		part := y
		if !(x/y < quotientLimit[T]()) {
			_, from := Frexp(y)
			_, to := Frexp(x)
			part = Ldexp(y, to-from-digits[T]()+3)
		}
		x = FMA(-Trunc(x/part), part, x)
		if x < 0 {
			x += part
		}
	}
	return x
}

// Remainder is x - n*y for the integer n nearest to x/y, the even one of two. It is exact. The
// nearest integer to the rounded quotient is a wrong n only where the exact quotient is near the
// middle of two, which the remainder shows.
func Remainder[T Float](x, y T) T {
	a, b := Abs(x), Abs(y)
	ratio := a / b
	if !(ratio < quotientLimit[T]() && b < Inf[T](1)) {
		return remainderFar(x, y)
	}
	a = FMA(-RoundToEven(ratio), b, a)
	if part := Abs(a); part+part > b {
		a -= Copysign(b, a)
	}
	return withSignOf(a, x)
}

// withSignOf is a, or -a where x is negative.
func withSignOf[T Float](a, x T) T {
	if Signbit(x) {
		return -a
	}
	return a
}

// remainderFar is Remainder where the quotient is large, or no number.
func remainderFar[T Float](x, y T) T {
	if y == 0 || y != y || !IsFinite(x) {
		return NaN[T]()
	}
	a, b := Abs(x), Abs(y)
	if twice := b + b; IsFinite(twice) {
		a = modLong(a, twice)
	}
	// b - a is exact if it decides: a is less than 2*b, and n is 0, 1 or 2.
	if a > b-a {
		a -= b
		if a >= b-a {
			a -= b
		}
	}
	return withSignOf(a, x)
}
