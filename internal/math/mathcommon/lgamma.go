package mathcommon

import "github.com/gridstride/gridstride/internal/math/ieee"

// Lgamma is the natural logarithm of the absolute value of Gamma(x), and the sign of Gamma(x), for
// 1/pi as a sum of two numbers. It is +Inf at 0, negative integers and both infinities. sum is
// Lgamma of a positive number and logSum a logarithm, each as a sum of two numbers.
func Lgamma[T ieee.Float](
	x, inversePi, inversePiLow T, logSum, sum func(x T) (high, low T), sinpi func(x T) T,
) (lgamma T, sign int) {
	least, most := 0x1p-60, 0x1p1000
	if ieee.Single[T]() {
		least, most = 0x1p-30, 0x1p100
	}
	sign = 1
	a := ieee.Abs(x)
	switch {
	case x != x:
		return x, sign
	case a < T(least):
		if ieee.Signbit(x) {
			sign = -1
		}
		if x == 0 {
			return ieee.Inf[T](1), sign
		}
		high, low := logSum(a)
		return -(high + low), sign
	case x < 0 && ieee.Trunc(x) == x || a == ieee.Inf[T](1):
		return ieee.Inf[T](1), sign
	case x > T(most):
		high, _ := logSum(x)
		return T(x * (high - 1)), sign
	}
	high, low := sum(a)
	if x > 0 {
		return high + low, sign
	}
	sine := sinpi(a)
	if sine > 0 {
		sign = -1
	}
	product, rest := MulSum(a, 0, ieee.Abs(sine), 0)
	product, rest = MulSum(product, rest, inversePi, inversePiLow)
	log, logLow := logSum(product)
	high, more := TwoSum(log, high)
	return -(high + (more + (low + ieee.FMA(rest, NearInverse(product), logLow)))), sign
}

// LgammaShifted is Lgamma of a positive x below 8, as a sum: Lgamma of a number near 1 or 2, and
// the logarithm of the factors between. nearOne(y) is Lgamma of 1+y, for y from -1/4 to 1/4, and
// nearTwo(y) Lgamma of 2+y, for y from -1/2 to 1/2.
func LgammaShifted[T ieee.Float](x T, logSum, nearOne, nearTwo func(y T) (high, low T)) (high, low T) {
	product, y := T(1), x
	for y >= 2.5 {
		y -= 1
		product = T(product * y)
	}
	switch {
	case x >= 1.5:
		y -= 2
	case x >= 0.5:
		y -= 1
		product = x
	case x > 0.25:
		product = T(x * (x + 1))
	}
	aroundOne := ieee.Abs(x-1) <= 0.25
	if aroundOne || x <= 0.25 { // y is x-1 or x
		high, low = nearOne(y)
		product = x
	} else {
		high, low = nearTwo(y)
	}
	if aroundOne || product == 1 {
		return high, low
	}
	log, logLow := logSum(product)
	if x < 1.5 {
		log, logLow = -log, -logLow
	}
	high, rest := TwoSum(log, high)
	return high, rest + (low + logLow)
}
