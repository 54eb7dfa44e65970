// Package sync is kernels that synchronise through memory, rightly and wrongly.
package sync

import "github.com/gridstride/gridstride/gpu"

// Lock has the first thread of every block add to a counter under a lock.
//
//gpu:kernel
func Lock(lock, data []int32) {
	if gpu.ThreadIdx.X != 0 {
		return
	}
	for gpu.AtomicCAS(&lock[0], 0, 1) != 0 {
	}
	gpu.ThreadFence()
	data[0]++
	gpu.ThreadFence()
	gpu.AtomicExch(&lock[0], 0)
}

// LockNoAcquire has no fence behind the taking of the lock.
//
//gpu:kernel
func LockNoAcquire(lock, data []int32) {
	for gpu.AtomicCAS(&lock[0], 0, 1) != 0 {
	}
	data[0]++
	gpu.ThreadFence()
	gpu.AtomicExch(&lock[0], 0)
}

// LockNoRelease has none before its giving back.
//
//gpu:kernel
func LockNoRelease(lock, data []int32) {
	for gpu.AtomicCAS(&lock[0], 0, 1) != 0 {
	}
	gpu.ThreadFence()
	data[0]++
	gpu.AtomicExch(&lock[0], 0)
}

// LockBlockFence has fences that only concern the block.
//
//gpu:kernel
func LockBlockFence(lock, data []int32) {
	for gpu.AtomicCAS(&lock[0], 0, 1) != 0 {
	}
	gpu.ThreadFenceBlock()
	data[0]++
	gpu.ThreadFenceBlock()
	gpu.AtomicExch(&lock[0], 0)
}

// LockNotHeld has the last block look at the counter without taking the lock.
//
//gpu:kernel
func LockNotHeld(lock, data, out []int32) {
	if gpu.BlockIdx.X == gpu.GridDim.X-1 {
		out[0] = data[0]
		return
	}
	for gpu.AtomicCAS(&lock[0], 0, 1) != 0 {
	}
	gpu.ThreadFence()
	data[0]++
	gpu.ThreadFence()
	gpu.AtomicExch(&lock[0], 0)
}

// Flag hands a value from block 0 to block 1.
//
//gpu:kernel
func Flag(flag, data, out []int32) {
	if gpu.BlockIdx.X == 0 {
		data[0] = 5
		gpu.ThreadFence()
		gpu.AtomicExch(&flag[0], 1)
		return
	}
	for gpu.AtomicAdd(&flag[0], 0) == 0 {
	}
	out[0] = data[0]
}

// FlagNoFence hands it over without a fence.
//
//gpu:kernel
func FlagNoFence(flag, data, out []int32) {
	if gpu.BlockIdx.X == 0 {
		data[0] = 5
		gpu.AtomicExch(&flag[0], 1)
		return
	}
	for gpu.AtomicAdd(&flag[0], 0) == 0 {
	}
	out[0] = data[0]
}

// Chain hands a value through block 1 to block 2, and each waits only for the one before.
//
//gpu:kernel
func Chain(flags, data, out []int32) {
	switch gpu.BlockIdx.X {
	case 0:
		data[0] = 5
		gpu.ThreadFence()
		gpu.AtomicExch(&flags[0], 1)
	case 1:
		for gpu.AtomicAdd(&flags[0], 0) == 0 {
		}
		gpu.ThreadFence()
		gpu.AtomicExch(&flags[1], 1)
	case 2:
		for gpu.AtomicAdd(&flags[1], 0) == 0 {
		}
		out[0] = data[0]
	}
}

// BlockFlag hands a value of all threads of block 0 to all of block 1: barriers carry the order to the other threads.
//
//gpu:kernel
func BlockFlag(flag, data, out []int32) {
	t := gpu.ThreadIdx.X
	if gpu.BlockIdx.X == 0 {
		data[t] = int32(t)
		gpu.SyncThreads()
		if t == 0 {
			gpu.ThreadFence()
			gpu.AtomicExch(&flag[0], 1)
		}
		return
	}
	if t == 0 {
		for gpu.AtomicAdd(&flag[0], 0) == 0 {
		}
	}
	gpu.SyncThreads()
	out[t] = data[gpu.BlockDim.X-1-t]
}

// BlockFlagNoBarrier leaves out the barrier before the flag is set.
//
//gpu:kernel
func BlockFlagNoBarrier(flag, data, out []int32) {
	t := gpu.ThreadIdx.X
	if gpu.BlockIdx.X == 0 {
		data[t] = int32(t)
		if t == 0 {
			gpu.ThreadFence()
			gpu.AtomicExch(&flag[0], 1)
		}
		return
	}
	if t == 0 {
		for gpu.AtomicAdd(&flag[0], 0) == 0 {
		}
	}
	gpu.SyncThreads()
	out[t] = data[gpu.BlockDim.X-1-t]
}

// Mixed counts with an atomic and looks with a plain load.
//
//gpu:kernel
func Mixed(count, out []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	gpu.AtomicAdd(&count[0], 1)
	out[i] = count[0]
}

// Histogram counts in shared memory, and adds what it counted to global memory.
//
//gpu:kernel
func Histogram(in []uint8, bins []int32) {
	local := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	local[t] = 0
	gpu.SyncThreads()
	for i := range gpu.GridStride(len(in)) {
		gpu.AtomicAdd(&local[in[i]&63], 1)
	}
	gpu.SyncThreads()
	gpu.AtomicAdd(&bins[t], local[t])
}

// MaxLoop raises a maximum through compare-and-swap, beginning with a plain look.
//
//gpu:kernel
func MaxLoop(in, most []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	for old := most[0]; old < in[i]; {
		seen := gpu.AtomicCAS(&most[0], old, in[i])
		if seen == old {
			break
		}
		old = seen
	}
}

// Bytes gives every thread its own byte.
//
//gpu:kernel
func Bytes(b []uint8) {
	t := gpu.ThreadIdx.X
	b[t] = uint8(t)
	b[t]++
}

// BytesNeighbour has every thread write its neighbour's byte as well.
//
//gpu:kernel
func BytesNeighbour(b []uint8) {
	t := gpu.ThreadIdx.X
	b[t] = uint8(t)
	b[t+1] = uint8(t + 100)
}

// Shorts has every thread write its half word, and after a barrier read the other half of the word.
//
//gpu:kernel
func Shorts(s, out []uint16) {
	t := gpu.ThreadIdx.X
	s[t] = uint16(t)
	gpu.SyncThreads()
	out[t] = s[t^1]
}

// ShortsRace lacks the barrier.
//
//gpu:kernel
func ShortsRace(s, out []uint16) {
	t := gpu.ThreadIdx.X
	s[t] = uint16(t)
	out[t] = s[t^1]
}

// Allowed has all threads raise one flag, which its author knows.
//
//gpu:kernel
func Allowed(flag []int32, n int) {
	if gpu.ThreadIdx.X >= n { //gpu:allow vet this is for another tool
		flag[0] = int32(gpu.ThreadIdx.X) //gpu:allow race any thread's number will do
	}
	//gpu:allow race nothing races here any more
	flag[gpu.ThreadIdx.X+1] = 1
}

// Divides divides by what it reads.
//
//gpu:kernel
func Divides(d []int32) {
	t := gpu.ThreadIdx.X
	gpu.Assert(t < 40, "at most 40 threads")
	d[t] = 100 / d[t]
}
