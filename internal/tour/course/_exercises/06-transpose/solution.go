// X goes along the columns, so that the loads of a warp are neighbours. The stores are not: a later
// exercise mends that with shared memory.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Transpose(x, y []int32, rows, columns int) {
	c := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	r := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if r < rows && c < columns {
		y[c*rows+r] = x[r*columns+c]
	}
}
