// Each round has two: one between reading and writing, as the place is read by another lane, and
// one between writing and the next round's reading.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32
func Sum(x, sum []int32) {
	cache := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	v := x[tid]
	cache[tid] = v
	cache[tid+32] = 0
	gpu.SyncWarp(gpu.FullMask)
	for s := 16; s > 0; s /= 2 {
		v += cache[tid+s]
		gpu.SyncWarp(gpu.FullMask)
		cache[tid] = v
		gpu.SyncWarp(gpu.FullMask)
	}
	if tid == 0 {
		sum[0] = cache[0]
	}
}
