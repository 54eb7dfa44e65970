package collective

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// BlockHistogram counts how many of 0 <= i < n have each value of bin(i): it sets bins[b] to the
// number of those with bin(i) == b. Some thread of the block calls bin once for each i.
//
//	collective.BlockHistogram(bins[:], len(text), func(i int) int { return int(text[i]) })
//
// All threads of the block give the same bins, in shared memory, or in global memory that only the
// block uses. The call begins and ends with a barrier, and has one more. It needs no other memory.
// Each i costs an atomic. Atomics of a warp on one bin run one after the other: see
// [BlockHistogramMatched].
func BlockHistogram(bins []uint32, n int, bin func(i int) int) {
	clearBins(bins)
	for i := linearThread(); i < n; i += blockThreads() {
		gpu.AtomicAdd(&bins[bin(i)], 1)
	}
	gpu.SyncThreads()
}

// BlockHistogramMatched is [BlockHistogram] for values that are mostly in a few bins: the threads
// of a warp whose bins are the same find each other, and one of them adds their number. So 32
// values take one atomic for each bin that they are in, and no two of these meet. They also take a
// vote and a match, which are of no use if most bins differ.
func BlockHistogramMatched(bins []uint32, n int, bin func(i int) int) {
	clearBins(bins)
	lanes := firstLanes(warpThreads())
	for first := gpu.WarpID() * gpu.WarpSize; first < n; first += blockThreads() {
		i := first + gpu.LaneID()
		in := gpu.BallotSync(lanes, i < n)
		if i < n {
			b := bin(i)
			if same := gpu.MatchAnySync(in, b); bits.TrailingZeros32(same) == gpu.LaneID() {
				gpu.AtomicAdd(&bins[b], uint32(bits.OnesCount32(same)))
			}
		}
	}
	gpu.SyncThreads()
}

// clearBins sets all bins to 0, between two barriers.
func clearBins(bins []uint32) {
	gpu.SyncThreads()
	for b := linearThread(); b < len(bins); b += blockThreads() {
		bins[b] = 0
	}
	gpu.SyncThreads()
}
