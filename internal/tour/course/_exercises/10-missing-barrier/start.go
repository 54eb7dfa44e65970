// A tree of sums
//
// One block of 64 threads adds up x. Each thread adds its share and leaves it in shared memory.
// Then half of the threads add the other half's sums, then a quarter, and so on.
//
// One barrier is missing. The result may be right all the same: look at the race in both orders.
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
