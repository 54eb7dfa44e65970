// Banks without conflicts
//
// Here the first threads add, which is good. But thread t adds places 2*s*t and 2*s*t + s. Their
// distance is a power of two, so a lot of lanes want words of the same few banks, and wait for each
// other.
//
// The limit is on the passes of shared memory. The picture of the memory shows the banks.
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
		if i := 2 * s * tid; i < 64 {
			cache[i] += cache[i+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sum[0] = cache[0]
	}
}
