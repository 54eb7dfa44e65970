// With n sums left, the lower half is (n+1)/2 of them, the middle one included. The middle one has
// no partner and stays as it is.
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

	for n := 100; n > 1; n = (n + 1) / 2 {
		half := (n + 1) / 2
		if tid+half < n {
			cache[tid] += cache[tid+half]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sum[0] = cache[0]
	}
}
