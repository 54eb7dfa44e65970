package main

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

// threads is the block size of most sums here.
const threads = 64

// SumNoBarrier writes the sum of each block's share of x to sums. This code contains a bug that is
// hard to find: it starts to add before every thread has stored its part.
//
//gpu:kernel block=64
func SumNoBarrier(x, sums []int32) {
	cache := gpu.Shared[[threads]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum

	for s := threads / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
}

// SumHang means to save the threads that have nothing to add the barrier. It makes your GPU hang: a
// barrier waits for all threads of the block.
//
//gpu:kernel block=64
func SumHang(x, sums []int32) {
	cache := gpu.Shared[[threads]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	for s := threads / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
			//gpu:allow vet this barrier is the bug
			gpu.SyncThreads()
		}
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
}

// Sum is both repaired.
//
//gpu:kernel block=64
func Sum(x, sums []int32) {
	cache := gpu.Shared[[threads]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	for s := threads / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
}
