package gpu

// SyncThreads waits until every thread of the block has called it. After it, a thread reads what
// the other threads of the block wrote before it, to shared or global memory. All threads of the
// block must reach the same call, or have returned. CUDA's __syncthreads.
func SyncThreads() {
	threadCall[any]("SyncThreads")
}

// SyncThreadsAnd is [SyncThreads], and reports whether cond is true for all threads that have
// called it. CUDA's __syncthreads_and, PTX's bar.red.and.
func SyncThreadsAnd(cond bool) bool {
	return threadCall[bool]("SyncThreadsAnd", cond)
}

// SyncThreadsOr is [SyncThreads], and reports whether cond is true for a thread that has called it.
// CUDA's __syncthreads_or, PTX's bar.red.or.
func SyncThreadsOr(cond bool) bool {
	return threadCall[bool]("SyncThreadsOr", cond)
}

// SyncThreadsCount is [SyncThreads], and gives for how many threads that have called it cond is
// true. CUDA's __syncthreads_count, PTX's bar.red.popc.
func SyncThreadsCount(cond bool) int {
	return threadCall[int]("SyncThreadsCount", cond)
}

// SyncBarrier waits at barrier id of the block, 1 to 15, until that number of threads have arrived,
// by SyncBarrier or [ArriveBarrier], and orders the accesses of these threads as [SyncThreads]
// does. Only whole warps arrive: threads is a multiple of [WarpSize], and all threads of a warp
// make the call together. All that meet at a barrier name the same number. So some warps of a block
// can wait for each other while the others go on. PTX's bar.sync id, threads.
//
// Threads that have ended, also by a failed check, do not count: if too few remain, the others wait
// for ever, as in PTX. The simulator reports it.
func SyncBarrier(id, threads int) {
	threadCall[any]("SyncBarrier", id, threads)
}

// ArriveBarrier comes to barrier id as [SyncBarrier] does, and does not wait. A thread that waits
// there sees what the caller wrote before: so one group of warps produces and another consumes.
// PTX's bar.arrive id, threads.
func ArriveBarrier(id, threads int) {
	threadCall[any]("ArriveBarrier", id, threads)
}

// SyncGrid waits until every thread of the grid has called it. After it, a thread reads what all
// threads of the grid wrote before it, to global memory. Every thread of the grid must make the
// call: one that has returned never will, and the others wait for it for ever. CUDA's
// cooperative_groups::this_grid().sync().
//
// A kernel that calls it is launched cooperatively, which needs nothing of the program: all its
// blocks run at once, and a launch of more blocks than fit on the device at a time is refused. A
// thread that fails ends all threads of the grid, at their next SyncGrid.
func SyncGrid() {
	threadCall[any]("SyncGrid")
}

// SyncWarp waits until every thread of the warp that mask names has called it with the same mask,
// and orders their memory accesses as [SyncThreads] does. The caller must be in mask. CUDA's
// __syncwarp.
//
// The threads of a warp do not run in lock step. A thread that reads what another thread of the
// warp wrote needs a SyncWarp between the two.
func SyncWarp(mask uint32) {
	threadCall[any]("SyncWarp", mask)
}

// ThreadFence orders the thread's memory accesses before it ahead of those after it, for every
// thread of the device. It does not wait for other threads. CUDA's __threadfence.
func ThreadFence() {
	threadCall[any]("ThreadFence")
}

// ThreadFenceBlock is [ThreadFence] for the threads of the block only. CUDA's __threadfence_block.
func ThreadFenceBlock() {
	threadCall[any]("ThreadFenceBlock")
}

// ThreadFenceSystem is [ThreadFence] for the host and the other devices as well. CUDA's
// __threadfence_system.
func ThreadFenceSystem() {
	threadCall[any]("ThreadFenceSystem")
}
