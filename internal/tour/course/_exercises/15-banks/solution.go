// Neighbouring lanes use neighbouring words, which are in different banks: one pass serves them
// all.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=64
func Sum(x, sum []int32) {
	cache := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	var share int32
	for i := tid; i < len(x); i += 64 {
		share += x[i]
	}
	cache[tid] = share
	gpu.SyncThreads()

	for s := 32; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sum[0] = cache[0]
	}
}
