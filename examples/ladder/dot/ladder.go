package dot

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// maxBlock is the largest block a GPU runs.
const maxBlock = 1024

// Products writes the products of the elements to c and leaves their sum to the host: c[i] =
// a[i]*b[i]. It is the first thing that one writes, and wins nothing: a third vector crosses the
// memory, then the bus, and the processor does the sum after all.
//
// Launch with any grid and block; len(b) and len(c) >= len(a).
//
//gpu:kernel T=float32,float64
func Products[T gpu.Float](a, b, c []T) {
	b, c = b[:len(a)], c[:len(a)]
	for i := range gpu.GridStride(len(a)) {
		c[i] = a[i] * b[i]
	}
}

// Single computes the whole product in one thread, as a processor does. One thread waits for memory
// at each step, and a GPU has tens of thousands of threads because it is slow at that: this is its
// speed without them.
//
// Launch with one block of one thread; len(b) >= len(a), c gets one sum.
//
//gpu:kernel T=float32,float64
func Single[T gpu.Float](a, b, c []T) {
	b = b[:len(a)]
	var sum T
	for i, x := range a {
		sum += x * b[i]
	}
	c[0] = sum
}

// SharedSum gives every thread of the grid its share, and keeps each thread's sum in shared memory,
// inside the loop. That is one load and one store of shared memory an element, and each step waits
// for the one before through memory. A register would do (Divergent).
//
// Launch with any grid and blocks of a power of two; len(b) >= len(a), c gets a sum a block.
//
//gpu:kernel T=float32,float64
func SharedSum[T gpu.Float](a, b, c []T) {
	cache := gpu.Shared[[maxBlock]T]()
	tid := gpu.ThreadIdx.X
	b = b[:len(a)]
	cache[tid] = 0
	for i := range gpu.GridStride(len(a)) {
		cache[tid] += a[i] * b[i]
	}
	gpu.SyncThreads()
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

// share is the caller's part of the sum, kept in a register: the elements of its grid-stride loop.
func share[T gpu.Float](a, b []T) T {
	b = b[:len(a)]
	var sum T
	for i := range gpu.GridStride(len(a)) {
		sum += a[i] * b[i]
	}
	return sum
}

// Divergent keeps each thread's sum in a register and adds a block's sums in a tree in shared
// memory, neighbours first: step 1 of M. Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA
// 2007). In the tree every second thread adds, then every fourth: each warp is in it to the end
// with fewer and fewer of its lanes, and the remainder is a slow operation.
//
// Launch with any grid and blocks of a power of two; len(b) >= len(a), c gets a sum a block.
//
//gpu:kernel T=float32,float64
func Divergent[T gpu.Float](a, b, c []T) {
	cache := gpu.Shared[[maxBlock]T]()
	tid := gpu.ThreadIdx.X
	cache[tid] = share(a, b)
	gpu.SyncThreads()
	for s := 1; s < gpu.BlockDim.X; s *= 2 {
		if tid%(2*s) == 0 {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		c[gpu.BlockIdx.X] = cache[0]
	}
}

// Conflicting adds the same neighbours as Divergent by the block's first threads: whole warps add
// or are done. Step 2 of Harris. But the lanes of a warp now touch every second word of shared
// memory, then every fourth: they meet in the same banks, up to 32 in one, and are served one after
// the other.
//
// Launch with any grid and blocks of a power of two; len(b) >= len(a), c gets a sum a block.
//
//gpu:kernel T=float32,float64
func Conflicting[T gpu.Float](a, b, c []T) {
	cache := gpu.Shared[[maxBlock]T]()
	tid := gpu.ThreadIdx.X
	cache[tid] = share(a, b)
	gpu.SyncThreads()
	for s := 1; s < gpu.BlockDim.X; s *= 2 {
		if i := 2 * s * tid; i < gpu.BlockDim.X {
			cache[i] += cache[i+s]
		}
		gpu.SyncThreads()
	}
	if tid == 0 {
		c[gpu.BlockIdx.X] = cache[0]
	}
}

// Sequential adds the upper half of the block to the lower, then the upper quarter, and so on: the
// lanes of a warp touch adjacent words, each in another bank. Step 3 of Harris. The barriers, one a
// level, remain to be saved.
//
// Launch with any grid and blocks of a power of two; len(b) >= len(a), c gets a sum a block.
//
//gpu:kernel T=float32,float64
func Sequential[T gpu.Float](a, b, c []T) {
	cache := gpu.Shared[[maxBlock]T]()
	tid := gpu.ThreadIdx.X
	cache[tid] = share(a, b)
	gpu.SyncThreads()
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

// LastWarp leaves the last six levels of the tree to one warp, written out: it needs no barrier,
// the other warps are done, and no loop. Step 5 of Harris, who relied on lanes in lock step. They
// are not since Volta, and SyncWarp separates one lane's reads from another's writes.
//
// Launch with any grid and blocks of a power of two, 64 threads at least; len(b) >= len(a), c gets
// a sum a block.
//
//gpu:kernel T=float32,float64
func LastWarp[T gpu.Float](a, b, c []T) {
	cache := gpu.Shared[[maxBlock]T]()
	tid := gpu.ThreadIdx.X
	cache[tid] = share(a, b)
	gpu.SyncThreads()
	for s := gpu.BlockDim.X / 2; s > gpu.WarpSize; s /= 2 {
		if tid < s {
			cache[tid] += cache[tid+s]
		}
		gpu.SyncThreads()
	}
	if tid < gpu.WarpSize {
		level(cache, tid, 32)
		level(cache, tid, 16)
		level(cache, tid, 8)
		level(cache, tid, 4)
		level(cache, tid, 2)
		level(cache, tid, 1)
		if tid == 0 {
			c[gpu.BlockIdx.X] = cache[0]
		}
	}
}

// level adds the word s above to the caller's. All lanes do it, also those whose sum nobody needs:
// a condition would cost as much.
func level[T gpu.Float](cache *[maxBlock]T, tid, s int) {
	v := cache[tid] + cache[tid+s]
	gpu.SyncWarp(gpu.FullMask)
	cache[tid] = v
	gpu.SyncWarp(gpu.FullMask)
}

// Shuffle hands the sums of a warp from register to register: no shared memory but a word a warp,
// two barriers in all, and blocks of any size (collective.BlockSum, after M. Harris, "Faster
// Parallel Reductions on Kepler", NVIDIA 2014).
//
// Launch with any grid and block; len(b) >= len(a), c gets a sum a block.
//
//gpu:kernel T=float32,float64
func Shuffle[T gpu.Float](a, b, c []T) {
	sum := collective.BlockSum(share(a, b))
	if gpu.ThreadIdx.X == 0 {
		c[gpu.BlockIdx.X] = sum
	}
}

// Finish adds up the sums that a kernel before it left, so that the result stays on the device: one
// block, a second launch.
//
// Launch with one block. result gets one sum.
//
//gpu:kernel T=float32,float64
func Finish[T gpu.Float](partial, result []T) {
	var sum T
	for i := range gpu.GridStride(len(partial)) {
		sum += partial[i]
	}
	sum = collective.BlockSum(sum)
	if gpu.ThreadIdx.X == 0 {
		result[0] = sum
	}
}

// Atomic adds the blocks' sums to the result as they come. It is short, and on the device at once,
// but the result must be zero before, and blocks come in another order each time: in floating point
// the last bits change from run to run.
//
// Launch with any grid and block; len(b) >= len(a), result[0] is 0 before.
//
//gpu:kernel T=float32,float64
func Atomic[T gpu.Float](a, b, result []T) {
	sum := collective.BlockSum(share(a, b))
	if gpu.ThreadIdx.X == 0 {
		gpu.AtomicAdd(&result[0], sum)
	}
}
