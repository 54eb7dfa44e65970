// The number of a thread in the grid is made of its block's number and its own. The last block may have
// threads whose number is no index of x. The test of i keeps them away.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func AddOne(x []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(x) {
		x[i]++
	}
}
