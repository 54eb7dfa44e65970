package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
)

// A reduction reads one or two vectors once and keeps some sums or maxima of them. Its order is the
// same for every instruction set: a unit is 64 bytes, the reduction says how many units of
// accumulators a sum has, and unit i of the vectors goes to accumulator i modulo their number. The
// last unit is padded with zeros. At the end the accumulators are added in pairs, and then the
// upper half of a unit to the lower one until one element remains.
type reduction struct {
	name, doc string
	operands  int
	units     int // accumulators of each sum
	sums      int
	maxima    int  // the number of sums that are maxima, the first ones
	abs       bool // step takes absolute values
	fused     bool // step reads y in memory
	shift     bool // step gets differences from the first elements, with which the last unit is filled
	step      func(m machine, x, y register, acc []register)
}

// register is a vector in a register, or in memory if the instructions allow it.
type register = operand.Op

// machine is the arithmetic of an instruction set with vectors of the element type.
type machine interface {
	fma(sum, x, y register)   // sum += x*y, rounded once
	add(sum, x register)      // sum += x
	sub(x, y register)        // x -= y
	abs(x register)           // x = |x|
	greater(most, x register) // most = x where x is greater
}

var reductions = []reduction{
	{name: "Dot", doc: "is the sum of x*y.", operands: 2, units: 4, sums: 1, fused: true,
		step: func(m machine, x, y register, acc []register) { m.fma(acc[0], x, y) }},
	{name: "Sum", doc: "is the sum of x.", operands: 1, units: 4, sums: 1,
		step: func(m machine, x, _ register, acc []register) { m.add(acc[0], x) }},
	{name: "Asum", doc: "is the sum of |x|.", operands: 1, units: 4, sums: 1, abs: true,
		step: func(m machine, x, _ register, acc []register) {
			m.abs(x)
			m.add(acc[0], x)
		}},
	{name: "SquaredDistance", doc: "is the sum of (x-y)*(x-y).", operands: 2, units: 4, sums: 1,
		step: func(m machine, x, y register, acc []register) {
			m.sub(x, y)
			m.fma(acc[0], x, x)
		}},
	{name: "Differences", doc: "are the largest of |x-y|, except NaN, and the sum of them.",
		operands: 2, units: 2, sums: 2, maxima: 1, abs: true,
		step: func(m machine, x, y register, acc []register) {
			m.sub(x, y)
			m.abs(x)
			m.greater(acc[0], x)
			m.add(acc[1], x)
		}},
	{name: "Cosine", doc: "are the sums of x*y, x*x and y*y.", operands: 2, units: 2, sums: 3,
		step: func(m machine, x, y register, acc []register) {
			m.fma(acc[0], x, y)
			m.fma(acc[1], x, x)
			m.fma(acc[2], y, y)
		}},
	{name: "Compare", doc: "are the sums of x*y, x*x, y*y, (x-y)*(x-y) and |x-y|.",
		operands: 2, units: 1, sums: 5, abs: true,
		step: func(m machine, x, y register, acc []register) {
			m.fma(acc[0], x, y)
			m.fma(acc[1], x, x)
			m.fma(acc[2], y, y)
			m.sub(x, y)
			m.fma(acc[3], x, x)
			m.abs(x)
			m.add(acc[4], x)
		}},
	{name: "Moments", doc: "are the sums of u, v, u*u, v*v and u*v, with u = x-x[0] and v = y-y[0].",
		operands: 2, units: 1, sums: 5, shift: true,
		step: func(m machine, u, v register, acc []register) {
			m.add(acc[0], u)
			m.add(acc[1], v)
			m.fma(acc[2], u, u)
			m.fma(acc[3], v, v)
			m.fma(acc[4], u, v)
		}},
}

// params are the parameters and the result of the reduction in Go.
func (r *reduction) params(elem string) (params, result string) {
	params, result = "x []"+elem, elem
	if r.operands == 2 {
		params = "x, y []" + elem
	}
	if r.sums > 1 {
		params, result = params+fmt.Sprintf(", sums *[%d]%s", r.sums, elem), ""
	}
	return params, result
}

// args are the names of the parameters.
func (r *reduction) args() string {
	args := []string{"x", "y", "sums"}
	if r.operands == 1 {
		args = []string{"x", "sums"}
	}
	if r.sums == 1 {
		args = args[:len(args)-1]
	}
	return strings.Join(args, ", ")
}
