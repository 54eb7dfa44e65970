package nearest

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// MaxOne is the largest number of rows that the kernel for one query chooses, and mostBlocks that
// of its blocks.
const (
	MaxOne     = 16
	mostBlocks = 8 * FewBlock
)

// oneWide leaves the best K rows, MaxOne at most, for one query. Missing hits are row -1 with
// a score of 0. It loads as fewWide1 does. Each warp keeps the best of its rows in its lanes,
// and claims the next 32 rows when it has begun with the last: no warp waits for another. The
// last block to finish chooses among all blocks' entries in lists and listed: entry j of
// block b is at j*GridDim.X+b. Work is a ticket and the number of claims, both 0 before, and
// after.
//
// Launch with mostBlocks blocks at most. No index is checked here, as in fewWide1.
//
//gpu:kernel block=128 minblocks=3
//gpu:nobounds
func oneWide(rows, query []gpu.Float32x4, inverseRows, inverseQuery []float32, s Shape, lists []float32, listed []int32, work []uint32,
	hits []int32, scores []float32,
) {
	One(gpu.Shared[[fewShared1]gpu.Float32x4]()[:], rows, query, inverseRows, inverseQuery, s, lists, listed, work, hits, scores,
		Strip{fewWarps, 1, fewVectors}, true)
}

// ranked is a row with its score.
type ranked struct {
	score float32
	row   int32
}

// before is the order of the hits.
func (a ranked) before(b ranked) bool {
	return a.score > b.score || a.score == b.score && a.row < b.row
}

// nothing follows all rows.
func nothing() ranked {
	none := collective.NoLimit[float32]()
	return ranked{none.Value, none.Index}
}

func (a ranked) isRow() bool { return a.row != math.MaxInt32 }

// of is the one that another lane has.
func (a ranked) of(lane int) ranked {
	return ranked{gpu.ShflSync(gpu.FullMask, a.score, lane), gpu.ShflSync(gpu.FullMask, a.row, lane)}
}

// exchange leaves the better of two lanes' in one of them, and the other in the other.
func (a ranked) exchange(apart int, better bool) ranked {
	b := ranked{gpu.ShflXorSync(gpu.FullMask, a.score, apart), gpu.ShflXorSync(gpu.FullMask, a.row, apart)}
	if a.before(b) == better {
		return a
	}
	return b
}

// sorted puts a warp's rows in order, the best in lane 0 (K. Batcher's bitonic sort, AFIPS 1968).
func (a ranked) sorted() ranked {
	for run := 2; run <= gpu.WarpSize; run *= 2 {
		for apart := run / 2; apart > 0; apart /= 2 {
			a = a.exchange(apart, (gpu.LaneID()&apart == 0) == (gpu.LaneID()&run == 0))
		}
	}
	return a
}

// merged is the best of a warp's rows and others, both in order.
func (a ranked) merged(b ranked) ranked {
	if b = b.of(gpu.WarpSize - 1 - gpu.LaneID()); b.before(a) {
		a = b
	}
	for apart := gpu.WarpSize / 2; apart > 0; apart /= 2 {
		a = a.exchange(apart, gpu.LaneID()&apart == 0)
	}
	return a
}

// One is the body of the kernel. Warps claim rows, or have equal shares of them.
func One(shared []gpu.Float32x4, rows, query []gpu.Float32x4, inverseRows, inverseQuery []float32, s Shape, lists []float32, listed []int32,
	work []uint32, hits []int32, scores []float32, t Strip, claims bool,
) {
	strip := shared[gpu.WarpID()*(len(shared)/t.Warps):]
	warps, round := gpu.GridDim.X*t.Warps, 0
	now := t.part(0, s.N)
	claimed := uint32(0)
	if claims {
		now, claimed = claimedPart(gpu.BlockIdx.X*t.Warps+gpu.WarpID(), s.N), claim(work)
	}
	var sum [Few]float32
	var next held
	bring(&next, rows, query, now, 0, &s, t, 4, vector)
	best := nothing()
	for k := 0; now.some; {
		used := min(t.Vectors, (s.Cols-k+3)/4)
		k += t.Vectors * 4
		last, ahead := k >= s.Cols, now
		if last {
			k = 0
			round++
			if claims {
				ahead = claimedPart(warps+int(gpu.ShflSync(gpu.FullMask, claimed, 0)), s.N)
				claimed = claim(work)
			} else {
				ahead = t.part(round, s.N)
			}
		}
		next.store(strip, t)
		bring(&next, rows, query, ahead, k, &s, t, 4, vector)
		gpu.SyncWarp(gpu.FullMask)
		if s.Metric == Euclidean {
			add(&sum, strip, used, t, square)
		} else {
			add(&sum, strip, used, t, product)
		}
		gpu.SyncWarp(gpu.FullMask) // the strip may be written again
		if last {
			best = best.with(now.scored(sum[0], inverseRows, inverseQuery, &s), s.K)
			sum[0] = 0
		}
		now = ahead
	}
	best = ofBlock(best, t)
	if i := gpu.ThreadIdx.X; i < s.K {
		lists[i*gpu.GridDim.X+gpu.BlockIdx.X], listed[i*gpu.GridDim.X+gpu.BlockIdx.X] = best.score, best.row
	}
	if collective.LastOf(&work[0], gpu.GridDim.X) {
		if gpu.ThreadIdx.X == 0 {
			work[1] = 0
		}
		chooseOne(lists, listed, gpu.GridDim.X, s.K, t, hits, scores)
	}
}

// claim is the number of the claim, in lane 0.
func claim(work []uint32) (n uint32) {
	if gpu.LaneID() == 0 {
		n = gpu.AtomicAdd(&work[1], 1)
	}
	return n
}

// claimedPart is the rows of a claim.
func claimedPart(claim, n int) part {
	first := claim * gpu.WarpSize
	if first >= n {
		return part{0, n, false}
	}
	return part{first, min(first+gpu.WarpSize, n), true}
}

// scored is the lane's row of a part with its score, or nothing if it is none, or NaN.
func (p part) scored(sum float32, inverseRows, inverseQuery []float32, s *Shape) ranked {
	row := p.first + gpu.LaneID()
	if row >= p.end {
		return nothing()
	}
	switch s.Metric {
	case Cosine:
		sum = scaled(sum, inverseRows[row], inverseQuery[0])
	case Euclidean:
		sum = distance(sum, 1, 1)
	}
	if sum != sum {
		return nothing()
	}
	return ranked{sum, int32(row)}
}

// with is the warp's best, in order, with another one of each lane. The k best are right.
func (a ranked) with(b ranked, k int) ranked {
	if gpu.AnySync(gpu.FullMask, b.before(a.of(k-1))) {
		a = a.merged(b.sorted())
	}
	return a
}

// ofBlock is the best of all warps, from each warp's best, in order.
func ofBlock(best ranked, t Strip) ranked {
	all := gpu.Shared[[FewBlock * 2]ranked]()
	gpu.SyncThreads()
	all[gpu.ThreadIdx.X] = best
	gpu.SyncThreads()
	for w := range t.Warps - 1 {
		best = best.merged(all[(gpu.WarpID()+1+w)%t.Warps*gpu.WarpSize+gpu.LaneID()])
	}
	return best
}

// moveUp moves the others up into the place of the first. Registers have no index, so that a loop
// over them is either unrolled or looks at the first alone.
func moveUp(some *[mostBlocks / FewBlock]ranked) {
	for i := range len(some) - 1 {
		some[i] = some[i+1]
	}
}

// chooseOne chooses the k best of n lists, each in order. The last of the k best firsts of a list is
// the limit for all.
func chooseOne(lists []float32, listed []int32, n, k int, t Strip, hits []int32, scores []float32) {
	list := gpu.Shared[collective.TopK[float32]]()
	state := gpu.Shared[collective.TopKState[float32]]()
	if gpu.ThreadIdx.X == 0 {
		*state = collective.NoLimit[float32]()
	}
	threads := t.Warps * gpu.WarpSize
	var first [mostBlocks / FewBlock]ranked
	for i := range first {
		first[i] = nothing()
		if at := i*threads + gpu.ThreadIdx.X; at < n {
			first[i] = ranked{lists[at], listed[at]}
		}
	}
	left := first
	best := nothing()
	for i := 0; i*threads < n; i++ {
		best = best.merged(left[0].sorted())
		moveUp(&left)
	}
	limit := ofBlock(best, t).of(k - 1)
	for i := gpu.ThreadIdx.X; i < n; i += threads {
		for j, r := 0, first[0]; r.isRow() && !limit.before(r); {
			list.Offer(state, r.score, r.row)
			if j++; j == k {
				break
			}
			r = ranked{lists[j*n+i], listed[j*n+i]}
		}
		moveUp(&first)
	}
	gpu.SyncThreads()
	list.Cut(state, k)
	if i := gpu.ThreadIdx.X; i < int(state.Count) {
		hits[i], scores[i] = list.Indices[i], list.Values[i]
	} else if i < k {
		hits[i], scores[i] = -1, 0
	}
}
