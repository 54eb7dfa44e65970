// Package dot has a dot product whose author forgot a barrier, and one that has a barrier in the wrong place: the two findings that
// the documentation shows.
package dot

import "github.com/gridstride/gridstride/gpu"

const blockSize = 256

// Partial writes to c[b] the dot product of block b's share of a and b. It lacks the barrier before the tree, so that a thread
// may add what another has not written yet.
//
//gpu:kernel T=float32
func Partial[T gpu.Float](a, b, c []T) {
	// The cache holds the threads' sums,
	// one of each thread of the block.

	cache := gpu.Shared[[blockSize]T]()
	tid := gpu.ThreadIdx.X

	var sum T
	for i := range gpu.GridStride(len(a)) {
		sum += a[i] * b[i]
	}
	cache[tid] = sum
	// gpu.SyncThreads() is missing here.

	for s := gpu.BlockDim.X / 2; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		c[gpu.BlockIdx.X] = cache[0]
	}
}

// Caveat is the reduction with the barrier inside the branch, as if only the threads that work had to wait for each other. On a
// GPU it hangs.
//
//gpu:kernel T=float32
func Caveat[T gpu.Float](a, c []T) {
	cache := gpu.Shared[[64]T]()
	tid := gpu.ThreadIdx.X

	cache[tid] = a[tid]
	gpu.SyncThreads()

	// Only half of the threads work in a round, then half of those, and so on. It is tempting to let only them wait.
	// That is wrong: a barrier is for all threads of the block, and one that some never reach is not
	// completed by the rest.
	//
	// The others go on to the next round and to the end.

	for s := 32; s > 0; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
			gpu.SyncThreads()
		}
	}

	c[tid] = cache[tid]
}
