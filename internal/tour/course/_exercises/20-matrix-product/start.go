// A matrix product
//
// a is m by n, b is n by l, and c is m by l, all row after row. Write the product of a and b to c.
// Threads have two dimensions, X for columns of c and Y for rows.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Product(a, b, c []int32, m, n, l int) {
	col := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	row := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if row < m && col < l {
		c[row*l+col] = a[row*n] * b[col]
	}
}
