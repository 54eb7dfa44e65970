package matmul

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

// Naive computes each element of C in one thread. The threads of a warp are along a row of C: they
// read the same element of A and neighbours of B, if the block is wide enough. But each element of
// A is loaded L times and each of B M times, and the caches, not the arithmetic, are the limit. The
// shape of the block decides how much of that its threads share: of 256 threads, 16 by 16 read 32
// different rows and columns, 128 by 2 read 130, and 8 by 32 read 8 neighbours a row, but memory
// hands out 32.
//
// Launch with blocks of any shape that cover C, columns along X.
//
//gpu:kernel T=float32,float64
func Naive[T gpu.Float](a, b, c []T, m, n, l int) {
	col := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	row := gpu.BlockIdx.Y*gpu.BlockDim.Y + gpu.ThreadIdx.Y
	if row >= m || col >= l {
		return
	}
	var sum T
	for k, x := range a[row*n : row*n+n] {
		sum = gpu.FMA(x, b[k*l+col], sum)
	}
	c[row*l+col] = sum
}

// Tiled4 is Tiled16 with tiles of 4 by 4: half a warp a block, which leaves most of a
// multiprocessor idle.
//
// Launch with blocks of 4 by 4 that cover C.
//
//gpu:kernel T=float32,float64 block=4x4
func Tiled4[T gpu.Float](a, b, c []T, m, n, l int) {
	tiled(a, b, c, m, n, l, 4, gpu.Shared[[4 * 4]T]()[:], gpu.Shared[[4 * 4]T]()[:])
}

// Tiled8 is Tiled16 with tiles of 8 by 8.
//
// Launch with blocks of 8 by 8 that cover C.
//
//gpu:kernel T=float32,float64 block=8x8
func Tiled8[T gpu.Float](a, b, c []T, m, n, l int) {
	tiled(a, b, c, m, n, l, 8, gpu.Shared[[8 * 8]T]()[:], gpu.Shared[[8 * 8]T]()[:])
}

// Tiled16 has each block bring a tile of A and one of B into shared memory and use each element 16
// times: the matrices are read from memory 16 times less often. It is the matrix product of
// NVIDIA's "CUDA C++ Programming Guide", section 3.2.4. Still each multiply-add takes two words
// from shared memory, which hands out 32 a cycle while the arithmetic takes 128.
//
// Launch with blocks of 16 by 16 that cover C.
//
//gpu:kernel T=float32,float64 block=16x16
func Tiled16[T gpu.Float](a, b, c []T, m, n, l int) {
	tiled(a, b, c, m, n, l, 16, gpu.Shared[[16 * 16]T]()[:], gpu.Shared[[16 * 16]T]()[:])
}

// Tiled32 is Tiled16 with tiles of 32 by 32, the largest block there is: less is read from memory
// yet, and more threads wait at each barrier.
//
// Launch with blocks of 32 by 32 that cover C.
//
//gpu:kernel T=float32,float64 block=32x32
func Tiled32[T gpu.Float](a, b, c []T, m, n, l int) {
	tiled(a, b, c, m, n, l, 32, gpu.Shared[[32 * 32]T]()[:], gpu.Shared[[32 * 32]T]()[:])
}

// tiled is the body of the tiled kernels, for tiles of width by width elements and blocks of as
// many threads. Where a tile reaches over the edge of A or B it is filled with zeros, which add
// nothing.
func tiled[T gpu.Float](a, b, c []T, m, n, l, width int, tileA, tileB []T) {
	x, y := gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	row, col := gpu.BlockIdx.Y*width+y, gpu.BlockIdx.X*width+x
	var sum T
	for k := 0; k < n; k += width {
		tileA[y*width+x] = element(a, row, k+x, m, n)
		tileB[y*width+x] = element(b, k+y, col, n, l)
		gpu.SyncThreads()
		for i := range width {
			sum = gpu.FMA(tileA[y*width+i], tileB[i*width+x], sum)
		}
		gpu.SyncThreads() // the tiles are overwritten next
	}
	if row < m && col < l {
		c[row*l+col] = sum
	}
}

// element is an element of a matrix, or 0 outside it.
func element[T gpu.Float](x []T, row, col, rows, cols int) T {
	if row < rows && col < cols {
		return x[row*cols+col]
	}
	return 0
}
