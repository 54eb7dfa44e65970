// Add one
//
// Add 1 to each element of x. The launch has at least as many threads as x has elements, and may have
// more: the last block is not always full.
//
// Each thread has one element. Its number in the grid is gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func AddOne(x []int32) {
	i := gpu.ThreadIdx.X
	x[i]++
}
