package host

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/gpu"
)

// Number is the types of elements of functions that need no operator.
type Number = gpu.Number

// isFloat reports whether a type is of floating-point numbers.
func isFloat[T Number]() bool { return T(1)/2 != 0 }

// lowest is the smallest number of a type, -Inf if it has one.
func lowest[T Number]() T {
	switch {
	case isFloat[T]():
		return T(math.Inf(-1))
	case T(0)-1 > 0:
		return 0
	}
	return T(int64(-1) << (8*unsafe.Sizeof(T(0)) - 1))
}

// largest is the largest number of a type, +Inf if it has one.
func largest[T Number]() T {
	if isFloat[T]() {
		return T(math.Inf(1))
	}
	return T(0) - 1 - lowest[T]()
}
