// The last warp
//
// The last rounds of a tree concern one warp. Old guides leave out the barriers there, as lanes
// used to run in step. Since 2017 they need not.
//
// Repair the kernel. gpu.SyncWarp(gpu.FullMask) orders the lanes of a warp, and costs less than a
// barrier of the block. Note that a lane may not write what another has yet to read.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32
func Sum(x, sum []int32) {
	cache := gpu.Shared[[64]int32]()
	tid := gpu.ThreadIdx.X
	cache[tid] = x[tid]
	cache[tid+32] = 0
	for s := 16; s > 0; s /= 2 {
		cache[tid] += cache[tid+s]
	}
	if tid == 0 {
		sum[0] = cache[0]
	}
}
