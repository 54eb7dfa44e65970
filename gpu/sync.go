package gpu

// SyncThreads waits until every thread of the block has called it. What a thread wrote before it,
// to shared or global memory, the other threads of the block read after it. All threads of the
// block must reach the same call, or have returned. CUDA's __syncthreads.
func SyncThreads() {
	onHost("SyncThreads")
}

// SyncWarp waits until every thread of the warp that mask names has called it with the same mask,
// and orders their memory accesses as [SyncThreads] does. The caller must be in mask. CUDA's
// __syncwarp.
//
// The threads of a warp do not run in lock step: where one reads what another wrote, SyncWarp
// stands between.
func SyncWarp(mask uint32) {
	onHost("SyncWarp")
}

// ThreadFence orders the memory accesses of the thread before it ahead of those after it, as seen
// by every thread of the device. It does not wait for other threads. CUDA's __threadfence.
func ThreadFence() {
	onHost("ThreadFence")
}

// ThreadFenceBlock is [ThreadFence] as seen by the threads of the block only. CUDA's
// __threadfence_block.
func ThreadFenceBlock() {
	onHost("ThreadFenceBlock")
}

// ThreadFenceSystem is [ThreadFence] as seen by the host and the other devices as well. CUDA's
// __threadfence_system.
func ThreadFenceSystem() {
	onHost("ThreadFenceSystem")
}

// Assert fails the kernel unless cond holds: the thread ends, and the launch reports msg with the
// position, the thread and the block. msg is a constant.
func Assert(cond bool, msg string) {
	onHost("Assert")
}
