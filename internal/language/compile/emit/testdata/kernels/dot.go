package p

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

const blockSize = 256

// Partial writes to c[b] the dot product of block b's grid-stride share of a and b.
// Launch with blocks of blockSize threads; len(b) >= len(a), len(c) >= number of blocks.
//
//gpu:kernel T=float32,float64
func Partial[T gpu.Float](a, b, c []T) {
	cache := gpu.Shared[[blockSize]T]()
	tid := gpu.ThreadIdx.X

	var sum T
	for i := range gpu.GridStride(len(a)) { // i = global thread id, += threads in the grid
		sum += a[i] * b[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		c[gpu.BlockIdx.X] = cache[0]
	}
}
