package blas

import (
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// Min is the smallest element of x, NaN if one is NaN. Of -0 and +0 the first one counts. An empty
// vector panics.
func Min[T Float](x []T) T { return x[argOf("Min", x, smallest)] }

// Max is the largest element of x, NaN if one is NaN. Of -0 and +0 the first one counts. An empty
// vector panics.
func Max[T Float](x []T) T { return x[argOf("Max", x, largest)] }

// ArgMin is the index of the smallest element of x, the first one if several are as small, or the
// index of the first NaN if there is one. For an empty vector it is -1.
func ArgMin[T Float](x []T) int { return arg(x, smallest) }

// ArgMax is the index of the largest element of x, the first one if several are as large, or the
// index of the first NaN if there is one. For an empty vector it is -1.
func ArgMax[T Float](x []T) int { return arg(x, largest) }

// Iamax is the index of the element of x with the largest absolute value, the first one if several
// are as large, or the index of the first NaN if there is one. For an empty vector it is -1.
func Iamax[T Float](x []T) int { return arg(x, largestAbs) }

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

// extremum is the goal of a search.
type extremum int

const (
	smallest extremum = iota
	largest
	largestAbs
)

// ofUnits is the extreme element of whole units, and whether one is NaN.
func ofUnits[T Float](e extremum, x []T) (T, bool) {
	switch e {
	case smallest:
		return kernel.Min(x)
	case largest:
		return kernel.Max(x)
	}
	return kernel.MaxAbs(x)
}

// better reports whether v is more extreme than what was found before.
func better[T Float](e extremum, v, best T) bool {
	if e == smallest {
		return v < best
	}
	return v > best
}

// key is the value of an element that the search compares.
func key[T Float](e extremum, v T) T {
	if e == largestAbs {
		return max(v, -v)
	}
	return v
}

func argOf[T Float](function string, x []T, e extremum) int {
	if len(x) == 0 {
		panic(fmt.Sprintf("blas: %s: the vector is empty", function))
	}
	return arg(x, e)
}

// place is where an extreme element was found: in the block that begins at the index at, or if it
// is NaN, at this index. If there are no elements it is -1.
type place[T Float] struct {
	value T
	at    int
}

// arg reads the vector once, and then the block of the best element once more for the index.
func arg[T Float](x []T, e extremum) int {
	best := place[T]{at: -1}
	if len(x) <= cores.Piece {
		best = search(e, x, 0, len(x))
	} else {
		parts := make([]place[T], cores.CountPieces(len(x)))
		cores.Pieces(len(x), func(i, from, to int) { parts[i] = search(e, x, from, to) })
		for _, p := range parts {
			if p.value != p.value {
				return p.at
			}
			if best.at < 0 || better(e, p.value, best.value) {
				best = p
			}
		}
	}
	if best.at < 0 || best.value != best.value {
		return best.at
	}
	return best.at + find(x[best.at:], func(v T) bool { return key(e, v) == best.value })
}

// search reads the elements from one index up to another, in blocks that stay in the cache.
func search[T Float](e extremum, x []T, from, to int) place[T] {
	const block = 4096
	unit := int(64 / unsafe.Sizeof(T(0)))
	best, whole := place[T]{at: -1}, from+(to-from)&^(unit-1)
	for i := from; i < whole; i += block {
		v, nan := ofUnits(e, x[i:min(i+block, whole)])
		if nan {
			i += find(x[i:], func(v T) bool { return v != v })
			return place[T]{x[i], i}
		}
		if best.at < 0 || better(e, v, best.value) {
			best = place[T]{v, i}
		}
	}
	for i, v := range x[whole:to] {
		if v != v {
			return place[T]{v, whole + i}
		}
		if v = key(e, v); best.at < 0 || better(e, v, best.value) {
			best = place[T]{v, whole + i}
		}
	}
	return best
}

// find is the index of the first element for which is returns true. There is one.
func find[T Float](x []T, is func(v T) bool) int {
	for i, v := range x {
		if is(v) {
			return i
		}
	}
	panic("BUG: blas: an element that was found is not there")
}
