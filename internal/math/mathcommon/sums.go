package mathcommon

import "github.com/gridstride/gridstride/internal/math/ieee"

// Numbers with more bits than their type has are sums of two, the second of them small (Dekker, A
// floating-point technique for extending the available precision, 1971).

// FastSum is a + b and what it rounds off, for an a that is not smaller than b.
func FastSum[T ieee.Float](a, b T) (sum, rest T) {
	sum = a + b
	return sum, (a - sum) + b
}

// TwoSum is a + b and what it rounds off (Knuth, The Art of Computer Programming, volume 2).
func TwoSum[T ieee.Float](a, b T) (sum, rest T) {
	sum = a + b
	c := sum - a
	return sum, (a - (sum - c)) + (b - c)
}

// MulSum is the product of two sums.
func MulSum[T ieee.Float](a, aLow, b, bLow T) (high, low T) {
	high = T(a * b)
	return high, ieee.FMA(aLow, b, ieee.FMA(a, bLow, ieee.FMA(a, b, -high)))
}

// LastTerms is c0 + s*(c1 + s*p), where the constants have a second part as well. A polynomial that
// ends so has hardly an error, when c0 is larger than the rest.
func LastTerms[T ieee.Float](s, sLow, p, c1, c1Low, c0, c0Low T) (high, low T) {
	b, bLow := FastSum(c1, T(s*p))
	a := T(s * b)
	aLow := ieee.FMA(s, b, -a) + ieee.FMA(s, bLow+c1Low, T(sLow*b))
	high, low = FastSum(c0, a)
	return high, low + (aLow + c0Low)
}

// Quotient is n/(d+rest) and what the division rounds off, nearly. For float32 d is above 0, and q
// may be off by more than the division's rounding, which is in low.
func Quotient[T ieee.Float](n, d, rest T) (q, low T) {
	if ieee.Single[T]() {
		inverse := ieee.Inverse(d)
		q = T(n * inverse)
		return q, T(ieee.FMA(-q, rest, ieee.FMA(-q, d, n)) * inverse)
	}
	q = n / d
	return q, T(ieee.FMA(-q, rest, ieee.FMA(-q, d, n)) * NearInverse(d))
}

// Ratio is Quotient without a rest.
func Ratio[T ieee.Float](n, d T) (q, low T) {
	if ieee.Single[T]() {
		inverse := ieee.Inverse(d)
		q = T(n * inverse)
		return q, T(ieee.FMA(-q, d, n) * inverse)
	}
	q = n / d
	return q, T(ieee.FMA(-q, d, n) * NearInverse(d))
}

// NearInverse is 1/x to 6 %, for an x that is positive and normal: the subtraction of the exponent
// subtracts from the fraction what is nearly right.
func NearInverse[T ieee.Float](x T) T {
	if ieee.Single[T]() {
		return T(ieee.Float32frombits(0x7ef89375 - ieee.Float32bits(float32(x))))
	}
	return T(ieee.Float64frombits(0x7fdf126e978d4fdf - ieee.Float64bits(float64(x))))
}
