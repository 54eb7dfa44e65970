package p

import "github.com/gridstride/gridstride/gpu"

// Histogram counts in shared memory. An index from a byte needs no check in 256 bins.
//
//gpu:kernel
func Histogram(data []uint8, bins []uint32) {
	h := gpu.Shared[[256]uint32]()
	for i := gpu.ThreadIdx.X; i < 256; i += gpu.BlockDim.X {
		h[i] = 0
	}
	gpu.SyncThreads()
	for i := range gpu.GridStride(len(data)) {
		gpu.AtomicAdd(&h[data[i]], 1)
	}
	gpu.SyncThreads()
	for i := gpu.ThreadIdx.X; i < len(h); i += gpu.BlockDim.X {
		gpu.AtomicAdd(&bins[i], h[i])
	}
}
