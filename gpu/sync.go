package gpu

// SyncThreads waits until every thread of the block has called it. After it, a thread reads what
// the other threads of the block wrote before it, to shared or global memory. All threads of the
// block must reach the same call, or have returned. CUDA's __syncthreads.
func SyncThreads() {
	onHost("SyncThreads")
}

// SyncWarp waits until every thread of the warp that mask names has called it with the same mask,
// and orders their memory accesses as [SyncThreads] does. The caller must be in mask. CUDA's
// __syncwarp.
//
// The threads of a warp do not run in lock step. A thread that reads what another thread of the
// warp wrote needs a SyncWarp between the two.
func SyncWarp(mask uint32) {
	onHost("SyncWarp")
}

// ThreadFence orders the thread's memory accesses before it ahead of those after it, for every
// thread of the device. It does not wait for other threads. CUDA's __threadfence.
func ThreadFence() {
	onHost("ThreadFence")
}

// ThreadFenceBlock is [ThreadFence] for the threads of the block only. CUDA's __threadfence_block.
func ThreadFenceBlock() {
	onHost("ThreadFenceBlock")
}

// ThreadFenceSystem is [ThreadFence] for the host and the other devices as well. CUDA's
// __threadfence_system.
func ThreadFenceSystem() {
	onHost("ThreadFenceSystem")
}

// Assert fails the kernel unless cond holds: the thread ends, and the launch reports msg with the
// position, the thread and the block. msg is a constant.
func Assert(cond bool, msg string) {
	onHost("Assert")
}
