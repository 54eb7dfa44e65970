package p

import "github.com/gridstride/gridstride/gpu"

// Naive is the matrix product as one writes it first. Its loop is split: a fast one without checks, and one that goes on where a check would fail.
//
//gpu:kernel
func Naive(a, b, c []float32, m, n, k int) {
	row := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	col := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if row >= m || col >= n {
		return
	}
	var sum float32
	for i := range k {
		sum += a[row*k+i] * b[i*n+col]
	}
	c[row*n+col] = sum
}
