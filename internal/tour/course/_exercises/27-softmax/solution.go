// The row is gone through three times: for the largest, for the sum, for the results. A thread
// without elements begins with row[0], which is no larger than the largest.
package main

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//gpu:kernel block=64
func Softmax(x, y []float32, columns int) {
	row := x[gpu.BlockIdx.X*columns:][:columns]
	out := y[gpu.BlockIdx.X*columns:][:columns]
	largest, sum := row[0], float32(0)
	for i := gpu.ThreadIdx.X; i < columns; i += 64 {
		largest = max(largest, row[i])
	}
	largest = collective.BlockMax(largest)
	for i := gpu.ThreadIdx.X; i < columns; i += 64 {
		sum += gpu.Exp(row[i] - largest)
	}
	total := collective.BlockSum(sum)
	for i := gpu.ThreadIdx.X; i < columns; i += 64 {
		out[i] = gpu.Exp(row[i]-largest) / total
	}
}
