package math64

import "github.com/gridstride/gridstride/internal/ieee"

// Round is the nearest integer value to x, the one farther from 0 of two.
func Round(x float64) float64 {
	whole := ieee.Trunc(x)
	if ieee.Abs(x-whole) >= 0.5 {
		return whole + ieee.Copysign[float64](1, x)
	}
	return whole
}

// Modf is the integer part of x and the rest, both with the sign of x. As package math has it, the
// rest of an infinity is NaN.
func Modf(x float64) (whole, frac float64) {
	whole = ieee.Trunc(x)
	return whole, ieee.Copysign(x-whole, x)
}

// Frexp takes x apart: it is frac * 2^exp, with |frac| from 1/2 up to but not including 1. exp is 0
// for 0, infinities and NaN, and frac is x.
func Frexp(x float64) (frac float64, exp int) {
	if x == 0 || !isFinite(x) {
		return x, 0
	}
	bits, exponent := normalParts(x)
	return ieee.Float64frombits(bits&^(0x7ff<<52) | 1022<<52), int(exponent) - 1022
}

// Ldexp is frac * 2^exp, rounded once.
func Ldexp(frac float64, exp int) float64 {
	if frac == 0 || !isFinite(frac) {
		return frac
	}
	bits, exponent := normalParts(frac)
	exponent += int32(min(max(exp, -5000), 5000)) // beyond that it is infinite or 0
	switch {
	case exponent >= 0x7ff:
		return ieee.Copysign(ieee.Inf[float64](1), frac)
	case exponent > 0:
		return ieee.Float64frombits(bits&^(0x7ff<<52) | uint64(exponent)<<52)
	case exponent <= -54:
		return ieee.Copysign(0, frac)
	}
	return float64(ieee.Float64frombits(bits&^(0x7ff<<52)|uint64(exponent+54)<<52) * 0x1p-54)
}

// Ilogb is the exponent of x: it is y * 2^Ilogb(x), with |y| from 1 up to but not including 2. It
// is the greatest int32 for infinities and NaN, and the least for 0.
func Ilogb(x float64) int {
	switch {
	case x == 0:
		return -1 << 31
	case !isFinite(x):
		return 1<<31 - 1
	}
	_, exponent := normalParts(x)
	return int(exponent) - 1023
}

// Logb is Ilogb as a number, +Inf for infinities, -Inf for 0, and NaN for NaN.
func Logb(x float64) float64 {
	switch {
	case x == 0:
		return ieee.Inf[float64](-1)
	case !isFinite(x):
		return ieee.Abs(x)
	}
	_, exponent := normalParts(x)
	return float64(exponent - 1023)
}

// normalParts are the bits of x, a number that is not 0, or, where it is subnormal, of x * 2^54,
// and the exponent of x as a normal number's bits would have it.
func normalParts(x float64) (bits uint64, exponent int32) {
	bits = ieee.Float64bits(x)
	exponent = int32(bits >> 52 & 0x7ff)
	if exponent == 0 {
		bits = ieee.Float64bits(float64(x * 0x1p54))
		exponent = int32(bits>>52&0x7ff) - 54
	}
	return bits, exponent
}

// Nextafter is the number after x in the direction of y: x where they are equal, NaN where one is.
func Nextafter(x, y float64) float64 {
	switch {
	case x != x || y != y:
		return x + y
	case x == y:
		return x
	case x == 0:
		return ieee.Copysign(ieee.Float64frombits(1), y)
	case (y > x) == (x > 0):
		return ieee.Float64frombits(ieee.Float64bits(x) + 1)
	}
	return ieee.Float64frombits(ieee.Float64bits(x) - 1)
}

// Dim is x-y, or 0 where that is less. It is NaN for two equal infinities, as package math has it.
func Dim(x, y float64) float64 {
	if d := x - y; !(d <= 0) {
		return d
	}
	return 0
}

// Mod is x - n*y for the n that gives the remainder the sign of x and less than |y|. It is exact. y
// times a power of 2 is taken away as often as it goes, by a quotient that is at most 1 too large,
// until y itself was.
func Mod(x, y float64) float64 {
	if y == 0 || y != y || !isFinite(x) {
		return ieee.NaN[float64]()
	}
	return ieee.Copysign(mod(ieee.Abs(x), ieee.Abs(y)), x)
}

// mod is Mod of numbers above 0, y possibly infinite.
func mod(x, y float64) float64 {
	for x >= y {
		part := y
		if ratio := x / y; !(ratio < 0x1p51) {
			_, from := normalParts(y)
			_, to := normalParts(x)
			part = Ldexp(y, int(to-from)-50)
		}
		x = ieee.FMA(-ieee.Trunc(x/part), part, x)
		if x < 0 {
			x += part
		}
	}
	return x
}

// Remainder is x - n*y for the integer n nearest to x/y, the even one of two. It is exact.
func Remainder(x, y float64) float64 {
	if y == 0 || y != y || !isFinite(x) {
		return ieee.NaN[float64]()
	}
	a, b := ieee.Abs(x), ieee.Abs(y)
	if twice := b + b; isFinite(twice) {
		a = mod(a, twice)
	}
	// b - a is exact where it decides: a is less than 2*b, and n is 0, 1 or 2.
	if a > b-a {
		a -= b
		if a >= b-a {
			a -= b
		}
	}
	if ieee.Signbit(x) {
		return -a
	}
	return a
}
