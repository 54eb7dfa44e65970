// The share of a thread is every 64th element, so that the lanes of a warp load neighbours. The
// tree is the one of the previous exercises.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=64
func Dot(x, y, out []int32) {
	cache := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := tid; i < len(x); i += 64 {
		sum += x[i] * y[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()
	for s := 32; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		out[0] = cache[0]
	}
}
