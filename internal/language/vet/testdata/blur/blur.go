// Package blur has kernels that may work in place, and kernels that may not; package overlap launches them.
package blur

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Scale may work in place.
//
//gpu:kernel T=float32,float64
func Scale[T gpu.Float](x, y []T, f T) {
	y = y[:len(x)]
	for i := range gpu.GridStride(len(x)) {
		y[i] = f * x[i]
	}
}

// Blur reads its neighbours' elements.
//
//gpu:kernel T=float32,float64
func Blur[T gpu.Float](x, y []T) {
	for i := range gpu.GridStride(len(x) - 2) {
		y[i] = x[i] + x[i+1]
	}
}

// Sums writes a sum a block.
//
//gpu:kernel
func Sums(x, sums []float32) {
	var sum float32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	sum = collective.BlockSum(sum)
	if gpu.ThreadIdx.X == 0 {
		sums[gpu.BlockIdx.X] = sum
	}
}

// Fours has four elements a thread, which it loads first: it may work in place.
//
//gpu:kernel
func Fours(x, y []float32) {
	i := 4 * (gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X)
	var v [4]float32
	for j := range v {
		v[j] = x[i+j]
	}
	for j := 0; j < 4; j++ {
		y[j+i] = v[3-j]
	}
}

// Reverse is for one block, which reads before it writes: it may work in place.
//
//gpu:kernel
func Reverse(x, y []float32) {
	v := x[len(x)-1-gpu.ThreadIdx.X]
	gpu.SyncThreads()
	y[gpu.ThreadIdx.X] = v
}

// Total is for one thread.
//
//gpu:kernel
func Total(x, y []float32) {
	var sum float32
	for _, v := range x {
		sum += v
	}
	y[0] = sum
}

// Product is a matrix product, one element a thread.
//
//gpu:kernel
func Product(a, b, c []float32, n int) {
	row, col := gpu.BlockIdx.Y*gpu.BlockDim.Y+gpu.ThreadIdx.Y, gpu.BlockIdx.X*gpu.BlockDim.X+gpu.ThreadIdx.X
	if row >= n || col >= n {
		return
	}
	var sum float32
	for k := range n {
		sum += a[row*n+k] * b[k*n+col]
	}
	c[row*n+col] = sum
}

// Gather is not followed where it calls a function.
//
//gpu:kernel
func Gather(x, y []float32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	y[i] = at(x, i+1)
}

func at(x []float32, i int) float32 { return x[i] }
