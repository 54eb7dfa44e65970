package host_test

import (
	"math"
	"slices"
)

// The loops that functions are compared with.

func naiveScan[T any](x []T, heads []bool, exclusive bool, identity T, combine func(a, b T) T) (to []T) {
	sum := identity
	for i, v := range x {
		before := sum
		if sum = combine(sum, v); heads != nil && heads[i] {
			before, sum = identity, v
		}
		if exclusive {
			to = append(to, before)
		} else {
			to = append(to, sum)
		}
	}
	return to
}

func naiveHeads[T any](x []T, equal func(a, b T) bool) (heads []bool) {
	for i := range x {
		heads = append(heads, i == 0 || !equal(x[i-1], x[i]))
	}
	return heads
}

func offsetsOf(heads []bool) (offsets []int) {
	offsets = []int{0, 0} // the first segment is empty
	for i, h := range heads {
		if h && i > 0 {
			offsets = append(offsets, i)
		}
	}
	return append(offsets, len(heads))
}

func naiveSort[T any](x []T, less func(a, b T) bool) []T {
	x = slices.Clone(x)
	slices.SortStableFunc(x, func(a, b T) int {
		switch {
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	})
	return x
}

// totalLess is IEEE 754's totalOrder.
func totalLess[T float32 | float64](a, b T) bool {
	word := func(v T) int64 {
		w := int64(math.Float64bits(float64(v)))
		if v, ok := any(v).(float32); ok { // a conversion makes a NaN a quiet one
			w = int64(math.Float32bits(v)) << 32
		}
		return w ^ w>>63&math.MaxInt64
	}
	return word(a) < word(b)
}
