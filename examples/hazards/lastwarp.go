package main

import "github.com/gridstride/gridstride/gpu"

// SumLastWarp leaves out the barriers when only one warp is left, as its lanes used to run in
// lock-step. Since Volta they need not.
//
//gpu:kernel block=64
func SumLastWarp(x, sums []int32) {
	cache := gpu.Shared[[threads]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	if tid < 32 {
		cache[tid] += cache[tid+32]
		cache[tid] += cache[tid+16]
		cache[tid] += cache[tid+8]
		cache[tid] += cache[tid+4]
		cache[tid] += cache[tid+2]
		cache[tid] += cache[tid+1]
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
}

// SumSyncWarp is repaired with SyncWarp: between each read and the write to what was read, and
// between that and the next read.
//
//gpu:kernel block=64
func SumSyncWarp(x, sums []int32) {
	cache := gpu.Shared[[threads]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	if tid < 32 {
		for s := 32; s > 0; s /= 2 {
			sum += cache[tid+s]
			gpu.SyncWarp(gpu.FullMask)
			cache[tid] = sum
			gpu.SyncWarp(gpu.FullMask)
		}
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
}

// SumShuffle is repaired with shuffles, which hand values from lane to lane without memory.
//
//gpu:kernel block=64
func SumShuffle(x, sums []int32) {
	cache := gpu.Shared[[threads]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	if tid < 32 {
		sum += cache[tid+32]
		for s := 16; s > 0; s /= 2 {
			sum += gpu.ShflDownSync(gpu.FullMask, sum, s)
		}
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = sum
	}
}
