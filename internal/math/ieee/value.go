package ieee

// Inf is +Inf for a sign of 0 or more, or -Inf.
func Inf[T Float](sign int) T {
	if sign >= 0 {
		return T(Float32frombits(0x7f800000))
	}
	return T(Float32frombits(0xff800000))
}

// NaN is a quiet NaN.
func NaN[T Float]() T { return T(Float32frombits(0x7fc00000)) }

// IsNaN reports whether x is not a number.
func IsNaN[T Float](x T) bool { return x != x }

// IsInf reports whether x is +Inf (sign > 0), -Inf (sign < 0) or either (sign == 0).
func IsInf[T Float](x T, sign int) bool {
	return sign >= 0 && x == Inf[T](1) || sign <= 0 && x == Inf[T](-1)
}

// Signbit reports whether x is negative or -0, or a NaN with its sign bit set.
func Signbit[T Float](x T) bool {
	if Single[T]() {
		return Float32bits(float32(x))>>31 != 0
	}
	return Float64bits(float64(x))>>63 != 0
}

// Min is the smaller of x and y as math.Min defines it.
func Min[T Float](x, y T) T {
	if inf := Inf[T](-1); x == inf || y == inf {
		return inf
	}
	return min(x, y)
}

// Max is the larger of x and y as math.Max defines it.
func Max[T Float](x, y T) T {
	if inf := Inf[T](1); x == inf || y == inf {
		return inf
	}
	return max(x, y)
}

// Limit is x, which is not negative, but where that is limit or more it is a number between limit
// and twice that, also for NaN.
func Limit[T Float](x, limit T) T { return withUpper(x, min(upper(x), upper(limit))) }

// toBits is the bits of x, and fromBits the number of some bits.
func toBits[T Float](x T) uint64 {
	if Single[T]() {
		return uint64(Float32bits(float32(x)))
	}
	return Float64bits(float64(x))
}

func fromBits[T Float](bits uint64) T {
	if Single[T]() {
		return T(Float32frombits(uint32(bits)))
	}
	return T(Float64frombits(bits))
}
