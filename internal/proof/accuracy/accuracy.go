// Package accuracy says what a computation in floating point should have given, and how far from it
// rounding alone can take it. Tests and benchmarks hold results to it.
package accuracy

import "math"

// Float is the element types.
type Float interface{ float32 | float64 }

// Unit is half the distance from 1 to the next number of the type: what one rounding adds at most,
// as a share of the result.
func Unit[T Float]() float64 {
	if _, single := any(T(0)).(float32); single {
		return 0x1p-24
	}
	return 0x1p-53
}

// smallest is the smallest positive number of the type.
func smallest[T Float]() float64 {
	if _, single := any(T(0)).(float32); single {
		return 0x1p-149
	}
	return 0x1p-1074
}

// Bound bounds how far a sum of terms, each a product of two T, may be from the exact one, where
// the way of each into the sum has at most k roundings in T, magnitude is the sum of the terms'
// absolute values and terms their number: γ(k)·magnitude with γ(k) = k·u/(1-k·u) (N. J. Higham,
// "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1), and half the smallest
// number for each product that may underflow. A few roundings in float64 besides are allowed for.
// From 1/u roundings on there is no bound: it is infinite.
func Bound[T Float](k, terms int, magnitude float64) float64 {
	ku := float64(k)*Unit[T]() + 4*0x1p-53
	if ku >= 1 {
		return math.Inf(1)
	}
	return ku/(1-ku)*magnitude + float64(terms)*smallest[T]()
}

// Sum adds numbers and keeps what each addition rounds off: the result is as good as a sum in twice
// the precision that is rounded once. It is A. Neumaier's form of W. Kahan's compensated sum
// ("Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54, 1974). The
// zero Sum is 0.
type Sum struct {
	sum, rest float64
}

// Add adds x.
func (s *Sum) Add(x float64) {
	next := s.sum + x
	if math.Abs(s.sum) >= math.Abs(x) {
		s.rest += (s.sum - next) + x
	} else {
		s.rest += (x - next) + s.sum
	}
	s.sum = next
}

// AddProduct adds x*y without the rounding of the product: what it rounds off is x*y - product in
// one fused operation. With Add it makes the algorithm Dot2 of T. Ogita, S. M. Rump and S. Oishi,
// "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005).
func (s *Sum) AddProduct(x, y float64) {
	product := x * y
	s.Add(product)
	s.rest += math.FMA(x, y, -product)
}

// Value is the sum. After an infinity or NaN it equals Go's sum.
func (s *Sum) Value() float64 {
	if math.IsInf(s.sum, 0) || math.IsNaN(s.sum) {
		return s.sum // rest is NaN: infinity minus infinity
	}
	return s.sum + s.rest
}

// Dot is the dot product of a and b, vectors of one length, as exactly as float64 holds it, and the
// sum of the absolute values of its terms.
func Dot[T Float](a, b []T) (dot, magnitude float64) {
	var s Sum
	for i, x := range a {
		x, y := float64(x), float64(b[i])
		s.AddProduct(x, y)
		magnitude += math.Abs(x * y)
	}
	return s.Value(), magnitude
}
