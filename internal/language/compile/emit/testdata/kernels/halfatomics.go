package p

import "github.com/gridstride/gridstride/gpu"

// HalfAtomics are sums of numbers of 16 bits, which sm_90 has: one instruction each, and one without
// a result where nobody reads it. What PTX does not have is a loop.
//
//gpu:kernel block=32 target=sm_90
func HalfAtomics(sums []gpu.Float16, pairs []gpu.BFloat16x2, v gpu.Float16, w gpu.BFloat16x2, old []gpu.Float16) {
	shared := gpu.Shared[[1]gpu.BFloat16]()
	gpu.AtomicAdd(&sums[0], v)
	gpu.AtomicAdd(&pairs[0], w, gpu.Release, gpu.BlockScope)
	gpu.AtomicAdd(&shared[0], w.X)
	old[0] = gpu.AtomicAdd(&sums[1], v, gpu.Acquire)
	gpu.AtomicMax(&sums[2], v)
	gpu.SyncThreads()
	pairs[1].X = shared[0]
}
