// Scale and add
//
// Write a*x[i] + y[i] to y[i], for each i.
//
// The grid may be much smaller than the vectors: one thread takes many elements. gpu.GridStride(n)
// gives a thread its share of n elements, in a loop.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func ScaleAndAdd(a int32, x, y []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(x) {
		y[i] = a*x[i] + y[i]
	}
}
