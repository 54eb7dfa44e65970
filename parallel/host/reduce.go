package host

import "slices"

// Sum returns the sum of the elements of x, 0 if it has none. Elements are added in an order that
// depends on their number alone.
func Sum[T Number](x []T) T {
	if !isFloat[T]() { // the order does not matter
		return partly(x, 0, sumOf[T], plus[T])
	}
	tail := loadOf(x)
	return reduce(len(x), 0, plus[T], func(s *lanes[T], from, n int) {
		if n == tile {
			addTile(&s.v, (*[tile]T)(x[from:]))
			return
		}
		s.combine(from, n, tail, plus[T])
	})
}

// Min returns the smallest element of x: NaN if there is one, and +Inf or the largest number of the
// type if x has no elements.
func Min[T Number](x []T) T {
	return partly(x, largest[T](), slices.Min[[]T], func(a, b T) T { return min(a, b) })
}

// Max returns the largest element of x: NaN if there is one, and -Inf or the smallest number of the
// type if x has no elements.
func Max[T Number](x []T) T {
	return partly(x, lowest[T](), slices.Max[[]T], func(a, b T) T { return max(a, b) })
}

// Reduce combines the elements of x, and returns the operator's identity if x has none. The operator
// is associative, up to rounding, and commutative. C++'s std::reduce.
func Reduce[T any](x []T, identity T, combine func(a, b T) T) T {
	return reduceLoaded(len(x), identity, combine, loadOf(x))
}

// TransformReduce combines what m makes of the elements of x, and returns the operator's identity if
// x has none. The operator is associative, up to rounding, and commutative. C++'s
// std::transform_reduce.
func TransformReduce[T, U any](x []T, m func(T) U, identity U, combine func(a, b U) U) U {
	return reduceLoaded(len(x), identity, combine, func(to []U, i int) {
		for k := range to {
			to[k] = m(x[i+k*block])
		}
	})
}

// loadOf loads elements that are a block apart.
func loadOf[T any](x []T) func(to []T, i int) {
	return func(to []T, i int) {
		for k := range to {
			to[k] = x[i+k*block]
		}
	}
}

func plus[T Number](a, b T) T { return a + b }

func sumOf[T Number](x []T) (sum T) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// partly combines what of makes of the parts of x, by an operator for which no order matters.
func partly[T any](x []T, identity T, of func(x []T) T, combine func(a, b T) T) T {
	results := make([]T, ceil(len(x), wide))
	each(len(x), wide, func(from, to int) { results[from/wide] = of(x[from:to]) })
	for _, v := range results {
		identity = combine(identity, v)
	}
	return identity
}

// wide is a part for loops that take less than a nanosecond an element.
const wide = 4 * Part
