package kernels

import "github.com/gridstride/gridstride/gpu"

// mostShared is the most bins that a block counts in shared memory.
const mostShared = 4096

// Histogram adds to bins[m(x)] the number of elements x of src that are mapped to it. What is mapped
// below 0 or to len(bins) and above is not counted.
//
//gpu:kernel open block=256
func Histogram[T any, M Mapping[T, int]](bins []uint64, src []T, m With[M]) {
	counts := gpu.Shared[[mostShared]uint32]()
	shared := len(bins) <= mostShared
	if shared {
		for b := gpu.ThreadIdx.X; b < len(bins); b += Block {
			counts[b] = 0
		}
		gpu.SyncThreads()
	}
	for i := range gpu.GridStride(len(src)) {
		b := m.Op.Apply(src[i])
		switch {
		case uint(b) >= uint(len(bins)):
		case shared:
			gpu.AtomicAdd(&counts[b%mostShared], 1)
		default:
			gpu.AtomicAdd(&bins[b], 1)
		}
	}
	if !shared {
		return
	}
	gpu.SyncThreads()
	for b := gpu.ThreadIdx.X; b < len(bins); b += Block {
		if n := counts[b]; n > 0 {
			gpu.AtomicAdd(&bins[b], uint64(n))
		}
	}
}
