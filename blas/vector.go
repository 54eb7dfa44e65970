package blas

import "fmt"

// checkLengths panics where two vectors are not equally long.
func checkLengths(function string, x, y int) {
	if x != y {
		panic(fmt.Sprintf("blas: %s: x has %d elements and y has %d", function, x, y))
	}
}

// checkInc panics where n elements at an increment are not in a vector.
func checkInc(function, name string, n, length, inc int) {
	switch {
	case n < 0:
		panic(fmt.Sprintf("blas: %s: n is %d", function, n))
	case inc == 0:
		panic(fmt.Sprintf("blas: %s: the increment of %s is 0", function, name))
	case n > 0 && length <= (n-1)*max(inc, -inc):
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
const chunk = 512

// strided is a vector with an increment, read and written chunk by chunk.
type strided[T Float] struct {
	data []T
	next int
	inc  int
}

func newStrided[T Float](n int, data []T, inc int) strided[T] {
	return strided[T]{data, first(n, inc), inc}
}

// read copies the next elements, as many as there are in into.
func (s *strided[T]) read(into []T) {
	for i := range into {
		into[i] = s.data[s.next+i*s.inc]
	}
}

// write stores the next elements and goes on to those after them.
func (s *strided[T]) write(from []T) {
	for i, v := range from {
		s.data[s.next+i*s.inc] = v
	}
	s.skip(len(from))
}

func (s *strided[T]) skip(n int) { s.next += n * s.inc }

// chunks1 calls f for the elements of a vector, copied together, chunk by chunk. What f changes is
// written back if write is set.
func chunks1[T Float](n int, x []T, incX int, write bool, f func(x []T)) {
	var buf [chunk]T
	xs := newStrided(n, x, incX)
	for ; n > 0; n -= chunk {
		part := buf[:min(n, chunk)]
		xs.read(part)
		f(part)
		if write {
			xs.write(part)
		} else {
			xs.skip(len(part))
		}
	}
}

// chunks2 calls f for the elements of two vectors as chunks1 does.
func chunks2[T Float](n int, x []T, incX int, writeX bool, y []T, incY int, writeY bool, f func(x, y []T)) {
	var buf [2 * chunk]T
	xs, ys := newStrided(n, x, incX), newStrided(n, y, incY)
	for ; n > 0; n -= chunk {
		px, py := buf[:min(n, chunk)], buf[chunk:][:min(n, chunk)]
		xs.read(px)
		ys.read(py)
		f(px, py)
		if writeX {
			xs.write(px)
		} else {
			xs.skip(len(px))
		}
		if writeY {
			ys.write(py)
		} else {
			ys.skip(len(py))
		}
	}
}
