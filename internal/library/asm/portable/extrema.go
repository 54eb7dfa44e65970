package portable

import "github.com/gridstride/gridstride/internal/library/asm"

// Min is the smallest of x, which is not empty, and whether one is NaN.
func Min[T asm.Float](x []T) (m T, nan uint32) {
	m = x[0]
	for _, v := range x {
		if v < m {
			m = v
		}
		if v != v {
			nan = 1
		}
	}
	return m, nan
}

// Max is the largest of x, which is not empty, and whether one is NaN.
func Max[T asm.Float](x []T) (m T, nan uint32) {
	m = x[0]
	for _, v := range x {
		if v > m {
			m = v
		}
		if v != v {
			nan = 1
		}
	}
	return m, nan
}

// MaxAbs is the largest of |x|, which is not empty, and whether one is NaN.
func MaxAbs[T asm.Float](x []T) (m T, nan uint32) {
	for _, v := range x {
		if v = abs(v); v > m {
			m = v
		}
		if v != v {
			nan = 1
		}
	}
	return m, nan
}
