package ieee

// The functions of this file take numbers apart, and their results are exact or rounded once. They
// work on the upper 32 bits of a number's bits, which have its sign and its exponent, as a GPU
// computes with 32 bits at a time.

// upper is the upper 32 bits of x.
func upper[T Float](x T) uint32 {
	if Single[T]() {
		return Float32bits(float32(x))
	}
	return uint32(Float64bits(float64(x)) >> 32)
}

// withUpper is x with other upper bits.
func withUpper[T Float](x T, bits uint32) T {
	if Single[T]() {
		return T(Float32frombits(bits))
	}
	return T(Float64frombits(Float64bits(float64(x))&(1<<32-1) | uint64(bits)<<32))
}

// exponentShift is where the exponent begins in the upper bits.
func exponentShift[T Float]() int {
	if Single[T]() {
		return 23
	}
	return 20
}

// bias is the difference between an exponent's bits and the exponent. A finite number's are at most
// twice that.
func bias[T Float]() int32 {
	if Single[T]() {
		return 127
	}
	return 1023
}

// digits is how many bits the fractions of normal numbers have, with the one before the point.
func digits[T Float]() int {
	if Single[T]() {
		return 24
	}
	return 53
}

// pow2 is 2^n, for the exponent of a normal number.
func pow2[T Float](n int32) T {
	return withUpper[T](0, uint32(n+bias[T]())<<exponentShift[T]())
}

// exponentMask is the upper bits of an exponent.
func exponentMask[T Float]() uint32 { return uint32(2*bias[T]()+1) << exponentShift[T]() }

// exponentBits are the bits of the exponent of x.
func exponentBits[T Float](x T) int32 {
	return int32(upper(x)>>exponentShift[T]()) & (2*bias[T]() + 1)
}

// isNormal reports whether these are the bits of a normal number's exponent.
func isNormal[T Float](exponent int32) bool {
	return uint32(exponent-1) < uint32(2*bias[T]())
}

// IsFinite reports whether x is a number. A GPU compares integers faster than float64.
func IsFinite[T Float](x T) bool {
	if Single[T]() {
		return Abs(x) < Inf[T](1)
	}
	return upper(x)&exponentMask[T]() != exponentMask[T]()
}

// Round is the nearest integer value to x, the one farther from 0 of two. The sum of x and the
// number before 1/2 rounds to an integer that is too large for none.
func Round[T Float](x T) T {
	half := T(0x1.fffffffffffffp-2)
	if Single[T]() {
		half = 0x1.fffffep-2
	}
	return Trunc(x + Copysign(half, x))
}

// Modf is the integer part of x and the rest, both with the sign of x. As in package math, the rest
// of an infinity is NaN.
func Modf[T Float](x T) (whole, frac T) {
	whole = Trunc(x)
	return whole, Copysign(x-whole, x)
}

// Frexp takes x apart: it is frac * 2^exp, with |frac| from 1/2 up to but not including 1. exp is 0
// for 0, infinities and NaN, and frac is x.
func Frexp[T Float](x T) (frac T, exp int) {
	e, more := exponentBits(x), int32(0)
	if !isNormal[T](e) {
		if x == 0 || e != 0 {
			return x, 0
		}
		x, e, more = normalized(x)
	}
	half := bias[T]() - 1 // the bits of 1/2
	frac = withUpper(x, upper(x)&^exponentMask[T]()|uint32(half)<<exponentShift[T]())
	return frac, int(e - more - half)
}

// normalized is x * 2^more, a normal number, for a subnormal x, and the bits of its exponent.
func normalized[T Float](x T) (y T, exponent, more int32) {
	more = int32(digits[T]())
	y = T(x * pow2[T](more))
	return y, exponentBits(y), more
}

// subnormalExponent is the exponent of a subnormal x.
func subnormalExponent[T Float](x T) int32 {
	_, e, more := normalized(x)
	return e - more - bias[T]()
}

// Ldexp is frac * 2^exp, rounded once.
func Ldexp[T Float](frac T, exp int) T {
	most := int(bias[T]())
	if uint(exp+most-1) >= uint(2*most) {
		frac, exp = ldexpFar(frac, exp)
	}
	return T(frac * pow2[T](int32(exp)))
}

// ldexpFar takes two steps towards frac * 2^exp, or all of them. Steps down are so short that what
// follows a subnormal number gives 0: only one of the products rounds.
func ldexpFar[T Float](frac T, exp int) (T, int) {
	most := int(bias[T]())
	least := 1 - most
	step := most
	if exp < 0 {
		step = least + digits[T]()
	}
	for range 2 {
		if exp > most || exp < least {
			frac, exp = T(frac*pow2[T](int32(step))), exp-step
		}
	}
	return frac, min(max(exp, least), most)
}

// Ilogb is the exponent of x: it is y * 2^Ilogb(x), with |y| from 1 up to but not including 2. It
// is the greatest int32 for infinities and NaN, and the least for 0.
func Ilogb[T Float](x T) int {
	e := exponentBits(x)
	switch {
	case isNormal[T](e):
		return int(e - bias[T]())
	case e != 0:
		return 1<<31 - 1
	case x == 0:
		return -1 << 31
	}
	return int(subnormalExponent(x))
}

// Logb is Ilogb as a number, +Inf for infinities, -Inf for 0, and NaN for NaN.
func Logb[T Float](x T) T {
	e := exponentBits(x)
	switch {
	case isNormal[T](e):
		return T(e - bias[T]())
	case e != 0:
		return Abs(x)
	case x == 0:
		return Inf[T](-1)
	}
	return T(subnormalExponent(x))
}

// Nextafter is the number after x in the direction of y: x if they are equal, NaN where one is.
func Nextafter[T Float](x, y T) T {
	switch {
	case x != x || y != y:
		return x + y
	case x == y:
		return x
	case x == 0:
		return Copysign(fromBits[T](1), y)
	case (y > x) == (x > 0):
		return fromBits[T](toBits(x) + 1)
	}
	return fromBits[T](toBits(x) - 1)
}

// Dim is x-y, or 0 where that is less. It is NaN for two equal infinities, as in package math.
func Dim[T Float](x, y T) T {
	if d := x - y; !(d <= 0) {
		return d
	}
	return 0
}
