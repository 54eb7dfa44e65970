package collective

import "github.com/gridstride/gridstride/gpu"

// LastBlock reports, to every thread of a block alike, whether the block is the last one of the
// grid to make the call: it then reads what all the others wrote before theirs, and can finish the
// work in the same launch. This is the "thread fence reduction" of NVIDIA's CUDA samples
// (threadFenceReduction): fences order the blocks' writes before the tickets they draw, and the
// last ticket before the reads.
//
//	partial[gpu.BlockIdx.X] = … // by one thread
//	if collective.LastBlock(&ticket[0]) {
//		… = partial[…]
//	}
//
// *ticket is 0 before the first launch, used by one launch at a time, and is 0 again after each
// that ends. Each call in a kernel needs a different ticket. Every thread of every block must make
// the call, in a grid of up to 2^32 blocks in any dimensions.
func LastBlock(ticket *uint32) bool {
	return lastOf(ticket, uint32(gpu.GridDim.X)*uint32(gpu.GridDim.Y)*uint32(gpu.GridDim.Z))
}

// LastOf is [LastBlock] for some blocks of a grid, such as one column's, which all make the call
// with the same ticket. blocks is their number.
func LastOf(ticket *uint32, blocks int) bool { return lastOf(ticket, uint32(blocks)) }

func lastOf(ticket *uint32, blocks uint32) bool {
	last := gpu.Shared[bool]()
	gpu.SyncThreads() // the block's writes are before the fence of its first thread
	if gpu.ThreadIdx.X == 0 && gpu.ThreadIdx.Y == 0 && gpu.ThreadIdx.Z == 0 {
		limit := blocks - 1
		gpu.ThreadFence()
		*last = gpu.AtomicInc(ticket, limit) == limit
		if *last {
			gpu.ThreadFence()
		}
	}
	gpu.SyncThreads()
	return *last
}
