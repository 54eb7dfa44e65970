// A matrix, transposed
//
// x is a matrix of rows by columns, row after row. Write its transpose to y: element (r, c) of x is
// element (c, r) of y, which has rows columns.
//
// The block has two dimensions. gpu.ThreadIdx.Y and gpu.BlockIdx.Y are the place in the second one.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Transpose(x, y []int32, rows, columns int) {
	c := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	r := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	y[r*columns+c] = x[r*columns+c]
}
