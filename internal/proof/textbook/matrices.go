package main

import "github.com/gridstride/gridstride/gpu"

// Matrices: of few bits, of a vector's width, of equations.

const (
	group   = 32 // the weights that share a scale, in 16 bytes
	unknown = 64 // the unknowns of a small system, and the threads of a block
)

// DotInt8 multiplies a matrix of bytes and a vector of bytes, a warp for each row.
//
//gpu:kernel block=256
func DotInt8(a, x []int8, y []int32) {
	row := (gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X) / 32
	lane := gpu.ThreadIdx.X % 32
	if row >= len(y) {
		return
	}
	var sum int32
	for k := lane; k < len(x); k += 32 {
		sum += int32(a[row*len(x)+k]) * int32(x[k])
	}
	for d := 16; d > 0; d /= 2 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, d)
	}
	if lane == 0 {
		y[row] = sum
	}
}

// DotQ4 multiplies a matrix of 4-bit weights and a vector, a warp for each row. A byte has two
// weights, of 8 more than they are. Each group has a scale.
//
//gpu:kernel block=256
func DotQ4(weights []uint8, scales, x, y []float32) {
	row := (gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X) / 32
	lane := gpu.ThreadIdx.X % 32
	if row >= len(y) {
		return
	}
	groups := len(x) / group
	var sum float32
	for g := lane; g < groups; g += 32 {
		var part float32
		for k := 0; k < group/2; k++ {
			b := weights[(row*groups+g)*(group/2)+k]
			part += float32(int(b&15)-8) * x[g*group+k]
			part += float32(int(b>>4)-8) * x[g*group+group/2+k]
		}
		sum += scales[row*groups+g] * part
	}
	for d := 16; d > 0; d /= 2 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, d)
	}
	if lane == 0 {
		y[row] = sum
	}
}

// Columns multiplies the transpose of a matrix in rows and a vector, a thread for each column.
//
//gpu:kernel block=256
func Columns(a, x, y []float32) {
	j := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if j >= len(y) {
		return
	}
	var sum float32
	for i := range x {
		sum += a[i*len(y)+j] * x[i]
	}
	y[j] = sum
}

// Eliminate is a step of Gaussian elimination: it takes multiples of row k from the rows below.
//
//gpu:kernel block=32x8
func Eliminate(in, out []float64, n, k int) {
	j := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	i := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if i >= n || j >= n {
		return
	}
	v := in[i*n+j]
	if i > k && j >= k {
		v -= in[i*n+k] / in[k*n+k] * in[k*n+j]
	}
	out[i*n+j] = v
}

// Solve solves a system of a lower triangular matrix in each block.
//
//gpu:kernel block=64
func Solve(a, b, x []float32) {
	solution := gpu.Shared[[unknown]float32]()
	t := gpu.ThreadIdx.X
	mine := a[gpu.BlockIdx.X*unknown*unknown:][:unknown*unknown]
	rest := b[gpu.BlockIdx.X*unknown+t]
	for k := 0; k < unknown; k++ {
		if t == k {
			solution[k] = rest / mine[k*unknown+k]
		}
		gpu.SyncThreads()
		if t > k {
			rest -= mine[t*unknown+k] * solution[k]
		}
	}
	x[gpu.BlockIdx.X*unknown+t] = solution[t]
}

// Horner evaluates a polynomial at each element: W. Horner, 1819.
//
//gpu:kernel block=256
func Horner(coefficients, x, y []float64) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i >= len(x) {
		return
	}
	var sum float64
	for _, c := range coefficients {
		sum = sum*x[i] + c
	}
	y[i] = sum
}
