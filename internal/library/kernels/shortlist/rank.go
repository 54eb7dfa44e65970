package shortlist

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// rankBlock is the number of threads of a block of rank.
const (
	rankBlock = 128
	rankWarps = rankBlock / gpu.WarpSize
)

// rank chooses the best of the rows on each query's list by their exact scores: copy i is of row
// rowOf(i, step, n). A query whose list has run over goes to left.
//
// Launch with one block for each query. The indices are inside the matrices by construction: no
// index is checked here, nor in scan.
//
//gpu:kernel block=128 T=float32,float64
//gpu:nobounds
func rank[T gpu.Float](v vectors[T], l list, n, step int, b best[T], rest left) {
	stages := gpu.Shared[[rankWarps]stage]()
	top := gpu.Shared[collective.TopK[T]]()
	state := gpu.Shared[collective.TopKState[T]]()
	query := gpu.BlockIdx.X
	count := int(l.Counts[query])
	if count > Length {
		if gpu.ThreadIdx.X == 0 {
			rest.Queries[gpu.AtomicAdd(&rest.Count[0], 1)] = int32(query)
		}
		return
	}
	if gpu.ThreadIdx.X == 0 {
		*state = collective.NoLimit[T]()
	}
	gpu.SyncThreads()
	lanes := min(gpu.WarpSize, (count+rankWarps-1)/rankWarps)
	for first := 0; first < count; first += rankWarps * lanes {
		mine := first + gpu.WarpID()*lanes
		if some := min(lanes, count-mine); some > 0 {
			i := l.Copies[query*Length+mine+min(gpu.LaneID(), some-1)]
			row := rowOf(int(i), step, n)
			sum := terms[T, [1]T](&v, &stages[gpu.WarpID()], row, some, func(int) int { return query })
			score := v.scoreOf(sum[0], row, query)
			if gpu.LaneID() < some && state.Passes(score, int32(row)) {
				top.Offer(state, score, int32(row)) // there is room for a row of each thread
			}
		}
		gpu.SyncThreads()
		top.Cut(state, b.K)
	}
	for j := gpu.ThreadIdx.X; j < b.K; j += rankBlock {
		b.put(query, j, j < int(state.Count), top.Indices[j], top.Values[j])
	}
}
