// Softmax of rows
//
// x is a matrix of rows with the given number of columns. Block r writes the softmax of row r to y:
// exp(x - largest) divided by the sum of all of those. A block has 64 threads. An answer may differ
// by rounding.
//
// Without the largest taken away, exp overflows for large x. collective.BlockMax and
// collective.BlockSum help.
package main

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//gpu:kernel block=64
func Softmax(x, y []float32, columns int) {
	row := x[gpu.BlockIdx.X*columns:][:columns]
	out := y[gpu.BlockIdx.X*columns:][:columns]
	var sum float32
	for i := gpu.ThreadIdx.X; i < columns; i += 64 {
		sum += gpu.Exp(row[i])
	}
	sum = collective.BlockSum(sum)
	for i := gpu.ThreadIdx.X; i < columns; i += 64 {
		out[i] = gpu.Exp(row[i]) / sum
	}
}
