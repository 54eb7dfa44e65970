// Whole warps
//
// This tree adds neighbours first: threads 0, 2, 4, … then 0, 4, 8, … So every warp has some lane
// at work in every round, and most lanes of it are dark.
//
// Let whole warps finish early. The limit is on the instructions.
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

	for s := 1; s < 64; s *= 2 {
		if tid%(2*s) == 0 {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sum[0] = cache[0]
	}
}
