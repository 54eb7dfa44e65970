// Transposed through shared memory
//
// x is a square matrix of n by n, n a multiple of 32, and y becomes its transpose. A block has 32
// by 4 threads and handles a tile of 32 by 32. The stores of this kernel touch a sector for each
// lane.
//
// Go through shared memory, so that loads and stores both are neighbours. The limits are on the
// sectors, and on the passes: look at the banks.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32x4
func Transpose(x, y []int32, n int) {
	col := gpu.BlockIdx.X*32 + gpu.ThreadIdx.X
	for r := gpu.ThreadIdx.Y; r < 32; r += 4 {
		row := gpu.BlockIdx.Y*32 + r
		y[col*n+row] = x[row*n+col]
	}
}
