package ieee

import "math"

// A GPU approximates 1/x and 1/sqrt(x), each generation perhaps in its own way. The steps below
// lead from every approximation within a bound to the same bits, the correctly rounded
// result's: the test of this package tries all approximations of all arguments. So the host
// just rounds.

// Inverse is 1/x, rounded to nearest, for a float32 from 2^-125 to 2^125 or any float64.
func Inverse[T Float](x T) T { return 1 / x }

// InverseRoot is 1/sqrt(x), rounded to nearest, for a normal x above 0. It is that or NaN for any
// other x: in a kernel it is NaN.
func InverseRoot(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// InverseRootLimit is 1/sqrt(x), rounded to nearest, for an x that is not subnormal: its limits for
// 0, with its sign, and for +Inf, and NaN for other numbers.
func InverseRootLimit(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// inverseFrom is Inverse for an approximation y within 8 units in the last place, by two steps of
// Newton's. The first one's rounding up keeps the second from staying below the result for a
// fraction of all ones (P. Markstein, Computation of elementary functions on the IBM RISC
// System/6000 processor, 1990).
func inverseFrom(x, y float32) float32 {
	y = FMAUp(y, FMA(-x, y, 1), y)
	return FMA(y, FMA(-x, y, 1), y)
}

// inverseRootFrom is InverseRoot for an approximation y within 2^-22.8, by a step of Householder's
// in e = 1 - x*y^2. e takes along what x*y rounds off.
func inverseRootFrom(x, y float32) float32 {
	g := float32(x * y)
	e := FMA(-FMA(x, y, -g), y, FMA(-g, y, 1))
	return FMA(float32(0.5*y), FMA(float32(e*e), 0.75, e), y)
}
