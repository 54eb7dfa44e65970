package main

import "github.com/gridstride/gridstride/gpu"

// SumUninitialized writes the sum of each block's part of x to sums, one element a thread. A thread
// beyond the end of x stores nothing, but its place is added like any other.
//
//gpu:kernel block=64
func SumUninitialized(x, sums []int32) {
	cache := gpu.Shared[[threads]int32]()
	tid := gpu.ThreadIdx.X
	if i := gpu.BlockIdx.X*threads + tid; i < len(x) {
		cache[tid] = x[i]
	}
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

// SumInitialized stores 0 for what is not there.
//
//gpu:kernel block=64
func SumInitialized(x, sums []int32) {
	cache := gpu.Shared[[threads]int32]()
	tid := gpu.ThreadIdx.X
	cache[tid] = 0
	if i := gpu.BlockIdx.X*threads + tid; i < len(x) {
		cache[tid] = x[i]
	}
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

// SumHalves takes blocks of any size up to 256 and halves the number of elements left to add. If
// that is odd, the last element is lost: with 100 threads, 50, 25 and then 12 and 12 of the 25. No
// check finds that, as nothing is wrong with any access. A test of the result does.
//
//gpu:kernel
func SumHalves(x, sums []int32) {
	cache := gpu.Shared[[256]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
}

// SumAnySize rounds up: with 25 left, 13 stay, and 12 threads have something to add.
//
//gpu:kernel
func SumAnySize(x, sums []int32) {
	cache := gpu.Shared[[256]int32]()
	tid := gpu.ThreadIdx.X
	var sum int32
	for i := range gpu.GridStride(len(x)) {
		sum += x[i]
	}
	cache[tid] = sum
	gpu.SyncThreads()

	for n := gpu.BlockDim.X; n > 1; {
		s := (n + 1) / 2
		if tid+s < n {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
		n = s
	}
	if tid == 0 {
		sums[gpu.BlockIdx.X] = cache[0]
	}
}
