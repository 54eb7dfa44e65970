// Package extent computes how many elements vectors, matrices and arrays reach over. The numbers
// may be anything that a caller or a file gives: no sum and no product overflows unnoticed.
package extent

import (
	"fmt"
	"math"
	"math/bits"
)

// Vector is the number of elements from the first to the last of n elements that are inc apart, in
// either direction. Ok is false where n is negative, where inc is 0, and where the number is no int.
func Vector(n, inc int) (length int, ok bool) {
	step := uint64(inc)
	if inc < 0 {
		step = -step
	}
	hi, lo := bits.Mul64(uint64(max(n, 1)-1), step)
	ok = n >= 0 && inc != 0 && hi == 0 && lo < math.MaxInt
	if n == 0 {
		return 0, ok
	}
	return int(lo) + 1, ok
}

// Matrix is the number of elements from the first to the last of rows of cols elements that begin
// stride apart. It is 0 if there are no rows or no columns. Ok is false where one of the numbers is
// negative, where stride is less than cols or 0, and where the result is no int.
func Matrix(rows, cols, stride int) (length int, ok bool) {
	if rows|cols < 0 || stride < max(cols, 1) {
		return 0, false
	}
	if rows == 0 || cols == 0 {
		return 0, true
	}
	hi, lo := bits.Mul64(uint64(rows-1), uint64(stride))
	return int(lo) + cols, hi == 0 && lo <= uint64(math.MaxInt-cols)
}

// Holds reports whether a matrix of at least one element is within length elements. The compiler
// puts it into its callers.
func Holds(length, rows, cols, stride int) bool {
	hi, lo := bits.Mul64(uint64(rows-1), uint64(stride))
	negative := rows | cols | stride | (rows - 1) | (cols - 1) | (stride - cols) | (length - cols)
	return negative >= 0 && hi == 0 && lo <= uint64(length-cols)
}

// Product is the product of lengths, 1 of none. Ok is false where a length is negative, and where
// the product of those that are not 0 is no int, as in NumPy.
func Product(lengths ...int) (n int, ok bool) {
	n = 1
	empty := false
	for _, length := range lengths {
		if length == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(uint64(n), uint64(length))
		if length < 0 || hi != 0 || lo > math.MaxInt {
			return 0, false
		}
		n = int(lo)
	}
	if empty {
		return 0, true
	}
	return n, true
}

// MatrixFault says why a matrix is not within length elements: "has 2 columns and a stride of 1".
// It is "" where the matrix is.
func MatrixFault(length, rows, cols, stride int) string {
	needs, ok := Matrix(rows, cols, stride)
	switch {
	case ok && needs <= length:
		return ""
	case rows < 0 || cols < 0:
		return fmt.Sprintf("has %d rows and %d columns", rows, cols)
	case stride < max(1, cols):
		return fmt.Sprintf("has %d columns and a stride of %d", cols, stride)
	}
	more := "more than any memory holds"
	if ok {
		more = fmt.Sprint(needs)
	}
	return fmt.Sprintf("is %d x %d with a stride of %d and has %d elements: it needs %s", rows, cols, stride, length, more)
}
