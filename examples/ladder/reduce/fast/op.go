package fast

import (
	"errors"
	"fmt"
)

// Number is the element types. A vector of int is one of int64: gridstride.Cast[int64](x).
type Number interface {
	float32 | float64 | int32 | int64
}

// ErrEmpty: the smallest or largest element of a vector without elements was asked for.
var ErrEmpty = errors.New("the vector has no elements")

// Op is the operation.
type Op int

// The reductions. NaN counts as smaller and larger than every number: a vector that has one has NaN
// for its smallest and largest element, and OpArgMin and OpArgMax give the index of the first.
// OpMin and OpMax order -0 before +0, as the built-in min and max do. OpArgMin and OpArgMax give
// the first of equal elements, as -0 and +0 are. OpSumSquares is infinite where a square is too
// large, unlike the square of BLAS's nrm2.
const (
	OpSum        Op = iota // x[0] + x[1] + …, 0 for an empty vector; integers wrap
	OpSumSquares           // x[0]*x[0] + x[1]*x[1] + …, 0 for an empty vector; integers wrap
	OpMin                  // the smallest element
	OpMax                  // the largest element
	OpArgMin               // the index of the smallest element
	OpArgMax               // the index of the largest element
)

// Ops is every Op, in their order.
var Ops = []Op{OpSum, OpSumSquares, OpMin, OpMax, OpArgMin, OpArgMax}

var opNames = []string{"sum", "sumsquares", "min", "max", "argmin", "argmax"}

// String is the name: "sum", "sumsquares", "min", "max", "argmin", "argmax".
func (op Op) String() string {
	if op < 0 || int(op) >= len(opNames) {
		return fmt.Sprintf("Op(%d)", int(op))
	}
	return opNames[op]
}
