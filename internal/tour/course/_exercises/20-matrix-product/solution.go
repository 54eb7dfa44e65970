// A thread goes along a row of a and down a column of b. The lanes of a warp have neighbouring
// columns, so their loads of b are neighbours, and all lanes load the same element of a.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel
func Product(a, b, c []int32, m, n, l int) {
	col := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	row := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if row >= m || col >= l {
		return
	}
	var sum int32
	for k := range n {
		sum += a[row*n+k] * b[k*l+col]
	}
	c[row*l+col] = sum
}
