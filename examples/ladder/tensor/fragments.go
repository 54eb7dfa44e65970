package tensor

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

// A block of fragmentWarps warps of Fragments computes fragmentRows by fragmentCols elements of C.
const (
	fragmentWarps              = 8
	fragmentRows, fragmentCols = 32, 32
)

// Fragments has each warp compute 16 by 8 elements of C. One instruction multiplies 16 rows of A by
// 8 rows of B, 16 numbers deep. What a lane needs of them it loads from memory, number by number.
// The tensor cores wait for that.
//
// Launch with one block for each 32 by 32 elements of C, the columns along X.
//
//gpu:kernel block=256 target=sm_80
//gpu:nobounds
func Fragments(a, b []gpu.BFloat16, c []float32, m, n, l int) {
	lane, warp := gpu.LaneID(), gpu.WarpID()
	row := gpu.BlockIdx.Y*fragmentRows + warp/4*16
	col := gpu.BlockIdx.X*fragmentCols + warp%4*8
	var sum gpu.C16x8[float32]
	for k := 0; k < n; k += 16 {
		var x gpu.A16x16[gpu.BFloat16]
		for i := range x {
			r, s := x.At(lane, i)
			x[i] = element(a, row+r, k+s, m, n)
		}
		var y gpu.B16x8[gpu.BFloat16]
		for i := range y {
			r, s := y.At(lane, i)
			y[i] = element(b, col+s, k+r, l, n)
		}
		sum = gpu.MMA16x8x16(x, y, sum)
	}
	for i := range sum {
		r, s := sum.At(lane, i)
		put(c, row+r, col+s, m, l, sum[i])
	}
}

// element is an element of a matrix, or 0 outside it.
func element(x []gpu.BFloat16, row, col, rows, cols int) gpu.BFloat16 {
	if row < rows && col < cols {
		return x[row*cols+col]
	}
	return gpu.BFloat16{}
}

// put writes an element of C, if C has it.
func put(c []float32, row, col, rows, cols int, x float32) {
	if row < rows && col < cols {
		c[row*cols+col] = x
	}
}
