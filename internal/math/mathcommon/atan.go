package mathcommon

import "github.com/gridstride/gridstride/internal/math/ieee"

// Atan2 is the angle of the point (x, y), from -pi to pi, for pi/4 as a sum of two numbers, where 3
// times the first is exact. reduced(q, rest) is the arc tangent of q + rest without q, for q from
// -tan(1/2) to tan(1/2).
//
// With n + d for a denominator the angle is 1/2 or more, so that what the sum rounds off shows
// little.
func Atan2[T ieee.Float](y, x, quarterPi, quarterPiLow T, reduced func(q, rest T) T) T {
	const tanHalf = 0.546302
	most, tiny := 0x1p1000, 0x1p-960
	if ieee.Single[T]() {
		most, tiny = 0x1p120, 0x1p-100
	}
	n, d := ieee.Abs(y), ieee.Abs(x)
	steep, left := n > d, ieee.Signbit(x)
	if steep {
		n, d = d, n
	}
	if !(d < T(most) && n > T(tiny)) { // then what n/d rounds off could be too small
		n, d = atan2Scaled(n, d, T(tiny))
	}
	octants := T(0)
	if n > T(tanHalf*d) {
		n, d, octants = n-d, n+d, 1
	}
	if steep != left {
		n = -n
	}
	if steep {
		octants = 2 - octants
	}
	if left {
		octants = 4 - octants
	}
	q, rest := Ratio(n, d)
	low := reduced(q, rest)
	sum := ieee.FMA(octants, quarterPi, q)
	rest = ieee.FMA(octants, quarterPi, -sum) + q
	return ieee.Copysign(sum+(rest+ieee.FMA(octants, quarterPiLow, low)), y)
}

// atan2Scaled is two numbers with the ratio n/d, as it is rounded, where d is extreme or n is tiny,
// which is not more than d.
func atan2Scaled[T ieee.Float](n, d, tiny T) (n1, d1 T) {
	inf := ieee.Inf[T](1)
	up, down, great := 0x1p100, 0x1p-200, 0x1p800
	if ieee.Single[T]() {
		up, down, great = 0x1p64, 0x1p-30, 0x1p51
	}
	switch {
	case n != n || d != d:
		return n + d, 1
	case d == 0: // has the angle 0
		return 0, 1
	case n == inf:
		return 1, 1
	case d == inf || n <= tiny && d > T(great): // the ratio is too small for a number
		return 0, 1
	case n <= tiny || d < 1:
		return T(n * T(up)), T(d * T(up))
	}
	return T(n * T(down)), T(d * T(down))
}
