// Blocks of any size
//
// This block has 100 threads. Halving 100 gives 50, 25, 12: the 25th sum is lost.
//
// Let the tree work for 100 threads. It should still take about as many rounds as the number can be
// halved.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=100
func Sum(x, sum []int32) {
	cache := gpu.Shared[[100]int32]()
	tid := gpu.ThreadIdx.X
	cache[tid] = 0
	if tid < len(x) {
		cache[tid] = x[tid]
	}
	gpu.SyncThreads()

	for s := 50; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sum[0] = cache[0]
	}
}
