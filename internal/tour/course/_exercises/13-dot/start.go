// A dot product
//
// Write the sum of all x[i]*y[i] to out[0]. One block of 64 threads does it, and the vectors may
// have any length.
//
// Each thread adds up its share first. Then the threads join their sums in shared memory.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=64
func Dot(x, y, out []int32) {
	cache := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	if tid < len(x) {
		cache[tid] = x[tid] * y[tid]
	}
	gpu.SyncThreads()
	if tid == 0 {
		out[0] = cache[0]
	}
}
