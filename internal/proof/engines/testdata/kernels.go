// Package kernels has the kernels that package engines compiles and measures.
package kernels

import "github.com/gridstride/gridstride/gpu"

// Dot sums products by block, in a tree.
//
//gpu:kernel
func Dot(a, b, sums []float32) {
	part := gpu.Shared[[256]float32]()
	t := gpu.ThreadIdx.X
	var sum float32
	for i := gpu.BlockIdx.X*256 + t; i < len(a); i += gpu.GridDim.X * 256 {
		sum += a[i] * b[i]
	}
	part[t] = sum
	gpu.SyncThreads()
	for d := 128; d > 0; d /= 2 {
		if t < d {
			part[t] += part[t+d]
		}
		gpu.SyncThreads()
	}
	if t == 0 {
		sums[gpu.BlockIdx.X] = part[0]
	}
}

// Product multiplies square matrices of n rows in tiles of 16 by 16. n is a multiple of 16.
//
//gpu:kernel
func Product(a, b, c []float32, n int) {
	left, right := gpu.Shared[[256]float32](), gpu.Shared[[256]float32]()
	x, y := gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	row, col := gpu.BlockIdx.Y*16+y, gpu.BlockIdx.X*16+x
	var sum float32
	for k := 0; k < n; k += 16 {
		left[y*16+x], right[y*16+x] = a[row*n+k+x], b[(k+y)*n+col]
		gpu.SyncThreads()
		for i := range 16 {
			sum += left[y*16+i] * right[i*16+x]
		}
		gpu.SyncThreads()
	}
	c[row*n+col] = sum
}

// Mandelbrot counts the steps of each point of a picture until it is far away, at most 200.
//
//gpu:kernel
func Mandelbrot(steps []int32, width int, left, top, step float64) {
	i := gpu.BlockIdx.X*256 + gpu.ThreadIdx.X
	if i >= len(steps) {
		return
	}
	re, im := left+float64(i%width)*step, top-float64(i/width)*step
	var a, b float64
	n := int32(0)
	for ; n < 200 && a*a+b*b <= 4; n++ {
		a, b = a*a-b*b+re, 2*a*b+im
	}
	steps[i] = n
}

// Stencil is a weighted sum of a point of a square of n by n and its four neighbours.
//
//gpu:kernel
func Stencil(in, out []float32, n int) {
	x, y := gpu.BlockIdx.X*256+gpu.ThreadIdx.X, gpu.BlockIdx.Y
	if x > 0 && y > 0 && x < n-1 && y < n-1 {
		i := y*n + x
		out[i] = 0.125*(in[i-1]+in[i+1]+in[i-n]+in[i+n]) + 0.5*in[i]
	}
}

// Empty does nothing.
//
//gpu:kernel
func Empty(x []float32) {}

// Solve takes steps of the conjugate gradient method for a vector on a line: twice and a bit a point, less
// its neighbours. The grid meets for each sum. sums has a float64 for each block and each step, twice.
//
//gpu:kernel
func Solve(x, r, p, q []float64, sums []float64, steps int) {
	n, rows := len(x), gpu.GridDim.X*256
	first := gpu.BlockIdx.X*256 + gpu.ThreadIdx.X
	rr := gridSum(r, r, sums, 0)
	for s := 1; s <= steps; s++ {
		for i := first; i < n; i += rows {
			v := 2.01 * p[i]
			if i > 0 {
				v -= p[i-1]
			}
			if i < n-1 {
				v -= p[i+1]
			}
			q[i] = v
		}
		alpha := rr / gridSum(p, q, sums, 2*s)
		for i := first; i < n; i += rows {
			x[i] += alpha * p[i]
			r[i] -= alpha * q[i]
		}
		next := gridSum(r, r, sums, 2*s+1)
		for i := first; i < n; i += rows {
			p[i] = r[i] + next/rr*p[i]
		}
		rr = next
		gpu.SyncGrid()
	}
}

// gridSum is the product of two vectors, for all threads of the grid.
func gridSum(a, b, sums []float64, number int) float64 {
	part := gpu.Shared[[256]float64]()
	t := gpu.ThreadIdx.X
	var sum float64
	for i := gpu.BlockIdx.X*256 + t; i < len(a); i += gpu.GridDim.X * 256 {
		sum += a[i] * b[i]
	}
	part[t] = sum
	gpu.SyncThreads()
	for d := 128; d > 0; d /= 2 {
		if t < d {
			part[t] += part[t+d]
		}
		gpu.SyncThreads()
	}
	if t == 0 {
		sums[number*gpu.GridDim.X+gpu.BlockIdx.X] = part[0]
	}
	gpu.SyncGrid()
	var all float64
	for i := range gpu.GridDim.X {
		all += sums[number*gpu.GridDim.X+i]
	}
	return all
}
