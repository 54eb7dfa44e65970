// Mean squared error
//
// Write the mean of (x[i]-y[i])² to out[0]. One block of 128 threads does it. An answer may differ
// by rounding.
//
// Squares of float32 are added in float32. collective.BlockSum(v) is the sum over the block, for
// all of its threads: use it, or write a tree.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=128
func Error(x, y, out []float32) {
	var sum float32
	for i := gpu.ThreadIdx.X; i < len(x); i += 128 {
		sum += x[i] - y[i]
	}
	if gpu.ThreadIdx.X == 0 {
		out[0] = sum
	}
}
