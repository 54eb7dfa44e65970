package cmp

type Ordered interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64 | ~string
}

func Less[T Ordered](x, y T) bool { return x < y || x != x && y == y }

func Compare[T Ordered](x, y T) int {
	if Less(x, y) {
		return -1
	}
	if Less(y, x) {
		return +1
	}
	return 0
}

func Or[T comparable](vals ...T) T {
	var zero T
	for _, v := range vals {
		if v != zero {
			return v
		}
	}
	return zero
}
