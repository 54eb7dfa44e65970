// Package products holds products of matrices by tensor cores to the host: of each format and shape
// that package gpu has, and of matrices of any size.
package products

import "github.com/gridstride/gridstride/gpu"

// fragment is one of package gpu's.
type fragment[T any] interface {
	~[1]T | ~[2]T | ~[4]T | ~[8]T | ~[16]T
	At(lane, i int) (row, col int)
}

// deepest is the most columns of A that an instruction takes.
const deepest = 32

// multiply computes c = a*b, of m by k and k by n elements, row by row. A block of two warps makes
// 16 columns of c, and as many rows as the fragments have: each warp eight of the columns. The
// tiles in shared memory have zeros beyond the edge.
func multiply[A fragment[T], B fragment[U], C fragment[S], T, U, S any](
	a []T, b []U, c []S, m, n, k, rows, depth int, mma func(a A, b B, c C) C,
) {
	tileA := gpu.Shared[[16 * deepest]T]()
	tileB := gpu.Shared[[16 * deepest]U]()
	row, col := rows*gpu.BlockIdx.Y, 16*gpu.BlockIdx.X
	lane, mine := gpu.LaneID(), 8*gpu.WarpID()
	var sum C
	for at := 0; at < k; at += depth {
		stage(tileA[:rows*depth], depth, a, m, k, row, at)
		stage(tileB[:depth*16], 16, b, k, n, at, col)
		gpu.SyncThreads()
		var x A
		for i := 0; i < len(x); i++ {
			r, c := x.At(lane, i)
			x[i] = tileA[r*depth+c]
		}
		var y B
		for i := 0; i < len(y); i++ {
			r, c := y.At(lane, i)
			y[i] = tileB[r*16+mine+c]
		}
		sum = mma(x, y, sum)
		gpu.SyncThreads()
	}
	for i := 0; i < len(sum); i++ {
		r, s := sum.At(lane, i)
		if r, s = row+r, col+mine+s; r < m && s < n {
			c[r*n+s] = sum[i]
		}
	}
}

// stage fills a tile of width columns with the elements of x, a matrix of rows by cols, from a row
// and a column on, and with zeros beyond its edges.
func stage[T any](tile []T, width int, x []T, rows, cols, row, col int) {
	for i := gpu.ThreadIdx.X; i < len(tile); i += gpu.BlockDim.X {
		var e T
		if r, c := row+i/width, col+i%width; r < rows && c < cols {
			e = x[r*cols+c]
		}
		tile[i] = e
	}
}

// The kernels are launched with blocks of 64 threads, one for each 16 columns in x, and one for
// each 16 rows, or 8 of Float64K4x8, in y.

//gpu:kernel T=gpu.Float16,gpu.BFloat16 block=64 target=sm_80
func K16[T gpu.Float16 | gpu.BFloat16](a, b []T, c []float32, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 16, func(a gpu.A16x16[T], b gpu.B16x8[T], c gpu.C16x8[float32]) gpu.C16x8[float32] {
		return gpu.MMA16x8x16(a, b, c)
	})
}

//gpu:kernel block=64 target=sm_80
func K16F16(a, b, c []gpu.Float16, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 16, func(a gpu.A16x16[gpu.Float16], b gpu.B16x8[gpu.Float16], c gpu.C16x8[gpu.Float16]) gpu.C16x8[gpu.Float16] {
		return gpu.MMA16x8x16F16(a, b, c)
	})
}

//gpu:kernel T=gpu.Float16,gpu.BFloat16,gpu.TF32 block=64 target=sm_80
func K8[T gpu.Float16 | gpu.BFloat16 | gpu.TF32](a, b []T, c []float32, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 8, func(a gpu.A16x8[T], b gpu.B8x8[T], c gpu.C16x8[float32]) gpu.C16x8[float32] {
		return gpu.MMA16x8x8(a, b, c)
	})
}

//gpu:kernel block=64 target=sm_80
func K4TF32(a, b []gpu.TF32, c []float32, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 4, func(a gpu.A16x4[gpu.TF32], b gpu.B4x8[gpu.TF32], c gpu.C16x8[float32]) gpu.C16x8[float32] {
		return gpu.MMA16x8x4(a, b, c)
	})
}

//gpu:kernel T=int8,uint8 block=64 target=sm_80
func K32[T int8 | uint8](a, b []T, c []int32, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 32, func(a gpu.A16x32[T], b gpu.B32x8[T], c gpu.C16x8[int32]) gpu.C16x8[int32] {
		return gpu.MMA16x8x32(a, b, c)
	})
}

//gpu:kernel T=int8,uint8 block=64 target=sm_80
func K16S32[T int8 | uint8](a, b []T, c []int32, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 16, func(a gpu.A16x16[T], b gpu.B16x8[T], c gpu.C16x8[int32]) gpu.C16x8[int32] {
		return gpu.MMA16x8x16S32(a, b, c)
	})
}

// K32F32 has A and B of the types A and B.
//
//gpu:kernel A=gpu.E4M3,gpu.E5M2 B=gpu.E4M3,gpu.E5M2 block=64 target=sm_89
func K32F32[A, B gpu.E4M3 | gpu.E5M2](a []A, b []B, c []float32, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 32, func(a gpu.A16x32[A], b gpu.B32x8[B], c gpu.C16x8[float32]) gpu.C16x8[float32] {
		return gpu.MMA16x8x32F32(a, b, c)
	})
}

//gpu:kernel block=64 target=sm_80
func K4F64x8(a, b, c []float64, m, n, k int) {
	multiply(a, b, c, m, n, k, 8, 4, func(a gpu.A8x4[float64], b gpu.B4x8[float64], c gpu.C8x8[float64]) gpu.C8x8[float64] {
		return gpu.MMA8x8x4F64(a, b, c)
	})
}

//gpu:kernel block=64 target=sm_90
func K4F64(a, b, c []float64, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 4, func(a gpu.A16x4[float64], b gpu.B4x8[float64], c gpu.C16x8[float64]) gpu.C16x8[float64] {
		return gpu.MMA16x8x4F64(a, b, c)
	})
}

//gpu:kernel block=64 target=sm_90
func K8F64(a, b, c []float64, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 8, func(a gpu.A16x8[float64], b gpu.B8x8[float64], c gpu.C16x8[float64]) gpu.C16x8[float64] {
		return gpu.MMA16x8x8F64(a, b, c)
	})
}

//gpu:kernel block=64 target=sm_90
func K16F64(a, b, c []float64, m, n, k int) {
	multiply(a, b, c, m, n, k, 16, 16, func(a gpu.A16x16[float64], b gpu.B16x8[float64], c gpu.C16x8[float64]) gpu.C16x8[float64] {
		return gpu.MMA16x8x16F64(a, b, c)
	})
}
