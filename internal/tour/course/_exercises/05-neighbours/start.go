// Neighbours in memory
//
// This kernel copies x to y, and it is right. But each thread copies a run of neighbours, as a
// goroutine would. So the 32 lanes of a warp touch 32 different sectors of memory with each load.
//
// Let the lanes of a warp load neighbours. The limit is on the sectors. Look at the picture of the
// memory before and after.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Copy(x, y []int32) {
	self := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	threads := gpu.GridDim.X * gpu.BlockDim.X
	each := (len(x) + threads - 1) / threads
	for i := self * each; i < min((self+1)*each, len(x)); i++ {
		y[i] = x[i]
	}
}
