package collective

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// BlockRunLength finds the runs of adjacent equal values, and gives every thread their number: run
// r is values[starts[r]:starts[r+1]]. So starts has one number more than there are runs, and the
// last is len(values). A starts of len(values)+1 is always long enough. The runs of sorted values
// are the different values with their counts.
//
// Values are equal as == says: each NaN is a separate run.
//
// All threads of the block give the same slices, in shared memory, or of global memory that is the
// block's own. The call begins and ends with a barrier, and has one more. It reads each value four
// times, and has 128 bytes of shared memory for its accounts. Each warp of 32 threads takes a part
// of the values. The threads of a partial one wait, unless it is the only one.
func BlockRunLength[T comparable](values []T, starts []int32) (runs int) {
	heads := gpu.Shared[[maxWarps]int32]() // in each warp's part
	gpu.SyncThreads()
	warps, warp := max(blockThreads()/gpu.WarpSize, 1), gpu.WarpID()
	p := partOf(len(values), warps, warp)
	if warp < warps {
		var n int32
		for first := p.first; first < p.end; first += warpThreads() {
			n += int32(bits.OnesCount32(headsOf(values, first, p.end)))
		}
		if gpu.LaneID() == 0 {
			heads[warp%maxWarps] = n
		}
	}
	gpu.SyncThreads()
	var before, total int32
	for w := range min(warps, maxWarps) {
		if w < warp {
			before += heads[w]
		}
		total += heads[w]
	}
	if warp < warps {
		putHeads(values, starts[:total], p, before)
	}
	if linearThread() == 0 {
		starts[total] = int32(len(values))
	}
	gpu.SyncThreads()
	return int(total)
}

// headsOf is the lanes whose values, from first on, begin runs.
func headsOf[T comparable](values []T, first, end int) uint32 {
	i := first + gpu.LaneID()
	head := i < end && (i == 0 || values[i] != values[i-1])
	return gpu.BallotSync(firstLanes(warpThreads()), head)
}

// putHeads writes where the runs begin that begin in a part. at is the number of those before it.
func putHeads[T comparable](values []T, starts []int32, p part, at int32) {
	lane := gpu.LaneID()
	for first := p.first; first < p.end; first += warpThreads() {
		heads := headsOf(values, first, p.end)
		if heads>>lane&1 != 0 {
			starts[int(at)+bits.OnesCount32(heads&(1<<lane-1))] = int32(first + lane)
		}
		at += int32(bits.OnesCount32(heads))
	}
}
