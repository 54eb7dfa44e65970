package blas

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/math/extent"
)

// checkLengths panics where two vectors are not equally long.
func checkLengths(function string, x, y int) {
	if x != y {
		panic(fmt.Sprintf("blas: %s: x has %d elements and y has %d", function, x, y))
	}
}

// checkInc panics where n elements at an increment are not in a vector.
func checkInc(function, name string, n, length, inc int) {
	needs, ok := extent.Vector(n, inc)
	switch {
	case ok && needs <= length:
	case n < 0:
		panic(fmt.Sprintf("blas: %s: n is %d", function, n))
	case inc == 0:
		panic(fmt.Sprintf("blas: %s: the increment of %s is 0", function, name))
	default:
		panic(fmt.Sprintf("blas: %s: %s has %d elements, too few for %d with an increment of %d",
			function, name, length, n, inc))
	}
}

// first is the index of the first of n elements: with a negative increment, that is the far end.
func first(n, inc int) int {
	if inc < 0 {
		return (1 - n) * inc
	}
	return 0
}

// chunk is how many elements of vectors with increments are copied at once, so that the kernels
// find them side by side.
const chunk = 256

// strided reads n elements of a vector with an increment chunk by chunk, and writes what has become
// of them. It is used so:
//
//	for s := newStrided(n, x, incX); s.read(); {
//		... s.buf[:s.n] ...
//		s.write()
//	}
type strided[T Float] struct {
	data  []T
	inc   int
	next  int // index in data of the element after the chunk
	left  int // elements after the chunk
	start int // index in data of the chunk's first element
	n     int // elements of the chunk
	buf   [chunk]T
}

func newStrided[T Float](n int, data []T, inc int) strided[T] {
	return strided[T]{data: data, inc: inc, next: first(n, inc), left: n}
}

// read copies the next chunk. It reports whether there is one.
func (s *strided[T]) read() bool {
	s.n = min(chunk, s.left)
	s.left -= s.n
	s.start = s.next
	for i := range s.buf[:s.n] {
		s.buf[i] = s.data[s.next]
		s.next += s.inc
	}
	return s.n > 0
}

// write puts the chunk back.
func (s *strided[T]) write() {
	for i, v := range s.buf[:s.n] {
		s.data[s.start+i*s.inc] = v
	}
}
