package blas

import (
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride/internal/asm/kernel"
)

// Min is the smallest element of x, NaN if one is NaN. Of -0 and +0 the first one counts. An empty
// vector panics.
func Min[T Float](x []T) T { return x[argOf("Min", x, smallest[T]())] }

// Max is the largest element of x, NaN if one is NaN. Of -0 and +0 the first one counts. An empty
// vector panics.
func Max[T Float](x []T) T { return x[argOf("Max", x, largest[T]())] }

// ArgMin is the index of the smallest element of x, the first one if several are as small, and that
// of the first NaN if there is one. For an empty vector it is -1.
func ArgMin[T Float](x []T) int { return arg(x, smallest[T]()) }

// ArgMax is the index of the largest element of x, the first one if several are as large, and that
// of the first NaN if there is one. For an empty vector it is -1.
func ArgMax[T Float](x []T) int { return arg(x, largest[T]()) }

// Iamax is the index of the element of x with the largest absolute value, the first one if several
// are as large, and that of the first NaN if there is one. For an empty vector it is -1.
func Iamax[T Float](x []T) int { return arg(x, largestAbs[T]()) }

// IamaxInc is [Iamax] of n elements of x with an increment.
func IamaxInc[T Float](n int, x []T, incX int) int {
	checkInc("IamaxInc", "x", n, len(x), incX)
	if incX == 1 {
		return Iamax(x[:n])
	}
	best, at, seen := T(0), -1, 0
	for xs := newStrided(n, x, incX); xs.read(); seen += xs.n {
		i := Iamax(xs.buf[:xs.n])
		if v := max(xs.buf[i], -xs.buf[i]); at < 0 || best == best && !(v <= best) {
			best, at = v, seen+i
		}
	}
	return at
}

// extremum is one of the searches.
type extremum[T Float] struct {
	units  func(x []T) (T, bool) // of whole units
	better func(v, best T) bool
	key    func(v T) T
}

func smallest[T Float]() extremum[T] {
	return extremum[T]{kernel.Min[T], func(v, best T) bool { return v < best }, func(v T) T { return v }}
}

func largest[T Float]() extremum[T] {
	return extremum[T]{kernel.Max[T], func(v, best T) bool { return v > best }, func(v T) T { return v }}
}

func largestAbs[T Float]() extremum[T] {
	return extremum[T]{kernel.MaxAbs[T], func(v, best T) bool { return v > best }, func(v T) T { return max(v, -v) }}
}

func argOf[T Float](function string, x []T, e extremum[T]) int {
	if len(x) == 0 {
		panic(fmt.Sprintf("blas: %s: the vector is empty", function))
	}
	return arg(x, e)
}

// arg reads the vector once, in blocks that stay in the cache, and then the block of the best one
// once more for the index.
func arg[T Float](x []T, e extremum[T]) int {
	const block = 4096
	unit := int(64 / unsafe.Sizeof(T(0)))
	at, whole := -1, len(x)&^(unit-1)
	var best T
	for i := 0; i < whole; i += block {
		v, nan := e.units(x[i:min(i+block, whole)])
		if nan {
			return i + find(x[i:], func(v T) bool { return v != v })
		}
		if at < 0 || e.better(v, best) {
			best, at = v, i
		}
	}
	for i, v := range x[whole:] {
		if v != v {
			return whole + i
		}
		if v = e.key(v); at < 0 || e.better(v, best) {
			best, at = v, whole+i
		}
	}
	if at < 0 {
		return at
	}
	return at + find(x[at:], func(v T) bool { return e.key(v) == best })
}

// find is the index of the first element that is what is looked for. There is one.
func find[T Float](x []T, is func(v T) bool) int {
	for i, v := range x {
		if is(v) {
			return i
		}
	}
	panic("BUG: blas: an element that was found is not there")
}
