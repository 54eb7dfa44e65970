package threads

import "github.com/gridstride/gridstride/gpu"

// Spread has every element take the greatest of itself and of its neighbours, in each round. The
// threads of the grid meet after each.
//
//gpu:kernel
func Spread(a, b []int32, rounds int) {
	for range rounds {
		for i := range gpu.GridStride(len(a)) {
			b[i] = max(a[i], a[max(i-1, 0)], a[min(i+1, len(a)-1)])
		}
		a, b = b, a
		gpu.SyncGrid()
	}
}

// Meetings counts in every block how many have come to each meeting, which is all of them.
//
//gpu:kernel
func Meetings(count []uint32, wrong []int32, rounds int) {
	first := gpu.ThreadIdx.X+gpu.ThreadIdx.Y+gpu.ThreadIdx.Z == 0
	for r := range rounds {
		if first {
			gpu.AtomicAdd(&count[r], 1)
		}
		gpu.SyncGrid()
		if count[r] != uint32(gpu.GridDim.X*gpu.GridDim.Y*gpu.GridDim.Z) {
			gpu.AtomicAdd(&wrong[0], 1)
		}
	}
}

// MeetOrFail has thread bad of the grid fail between two meetings.
//
//gpu:kernel
func MeetOrFail(a []int32, bad int) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	gpu.SyncGrid()
	if i == bad {
		a[len(a)+i] = 1
	}
	gpu.SyncGrid()
	a[i] = int32(i)
}
