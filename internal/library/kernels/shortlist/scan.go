package shortlist

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

// scanBlock is the number of threads of a block of scan and settle.
const (
	scanBlock = 256
	scanWarps = scanBlock / gpu.WarpSize
)

// scanLen is the length of a list of scan: the best that were chosen, and a row of each thread.
const scanLen = topk.MaxK + scanBlock

// work says how scan divides its work among its blocks: few queries at a time, and for these parts
// parts of the rows.
type work struct{ groups, parts int }

func (r *left) workOf(blocks int) work {
	groups := (int(r.Count[0]) + few - 1) / few
	return work{groups, max(1, blocks/max(1, groups))}
}

// scan computes the scores of all n rows for the remaining queries, and leaves the best of each
// part of the rows. The lists of part p of group g of the queries begin at list (p*groups+g)*few of
// scores and rows, with their lengths in counts.
//
// Launch with any number of blocks.
//
//gpu:kernel block=256 T=float32,float64
//gpu:nobounds
func scan[T gpu.Float](v vectors[T], n, k int, rest left, scores []T, rows, counts []int32) {
	stages := gpu.Shared[[scanWarps]stage]()
	scratch := gpu.Shared[collective.TopK[T]]()
	states := gpu.Shared[[few]collective.TopKState[T]]()
	w := rest.workOf(gpu.GridDim.X)
	for item := gpu.BlockIdx.X; item < w.groups*w.parts; item += gpu.GridDim.X {
		group, part := item%w.groups, item/w.groups
		if i := gpu.ThreadIdx.X; i < few {
			states[i] = collective.NoLimit[T]()
		}
		gpu.SyncThreads()
		lists := topk.Lists[T]{Scores: scores[item*few*scanLen:], Rows: rows[item*few*scanLen:], Len: scanLen}
		queries := min(few, int(rest.Count[0])-group*few)
		queryOf := func(i int) int { return rest.at(group*few + min(i, queries-1)) }
		rounds := (n + scanBlock - 1) / scanBlock
		for round := rounds * part / w.parts; round < rounds*(part+1)/w.parts; round++ {
			first := round*scanBlock + gpu.WarpID()*gpu.WarpSize
			if some := min(gpu.WarpSize, n-first); some > 0 {
				row := first + min(gpu.LaneID(), some-1)
				sum := terms[T, [few]T](&v, &stages[gpu.WarpID()], row, some, queryOf)
				for q := range queries {
					score := v.scoreOf(sum[q], row, queryOf(q))
					if gpu.LaneID() < some && states[q].Passes(score, int32(row)) {
						lists.Add(&states[q], q, score, int32(row))
					}
				}
			}
			cutScan(lists, states, scratch, queries, k, false)
		}
		cutScan(lists, states, scratch, queries, k, true)
		if i := gpu.ThreadIdx.X; i < queries {
			counts[item*few+i] = states[i].Count
		}
		gpu.SyncThreads()
	}
}

// cutScan cuts the lists that have no room for another row of each thread, or all of them.
func cutScan[T gpu.Float](lists topk.Lists[T], states *[few]collective.TopKState[T], scratch *collective.TopK[T], queries, k int, all bool) {
	gpu.SyncThreads()
	for q := range queries {
		if all || int(states[q].Count) > scanLen-scanBlock {
			lists.Cut(&states[q], scratch, q, k)
		}
	}
	gpu.SyncThreads()
}

// settle chooses the best of the parts of scan, which was launched with that number of blocks.
//
// Launch with a block for each query that may be left.
//
//gpu:kernel block=256 T=float32,float64
func settle[T gpu.Float](blocks int, rest left, scores []T, rows, counts []int32, b best[T]) {
	top := gpu.Shared[collective.TopK[T]]()
	state := gpu.Shared[collective.TopKState[T]]()
	if gpu.BlockIdx.X >= int(rest.Count[0]) {
		return
	}
	w := rest.workOf(blocks)
	if gpu.ThreadIdx.X == 0 {
		*state = collective.NoLimit[T]()
	}
	gpu.SyncThreads()
	for part := range w.parts {
		from := (part*w.groups)*few + gpu.BlockIdx.X
		for j := gpu.ThreadIdx.X; j < int(counts[from]); j += scanBlock {
			if score, row := scores[from*scanLen+j], rows[from*scanLen+j]; state.Passes(score, row) {
				top.Offer(state, score, row) // there is room for the best of a part
			}
		}
		gpu.SyncThreads()
		full := int(state.Count) > collective.TopKRoom-b.K
		gpu.SyncThreads() // all have read the count
		if full || part+1 == w.parts {
			top.Cut(state, b.K)
		}
	}
	query := rest.at(gpu.BlockIdx.X)
	for j := gpu.ThreadIdx.X; j < b.K; j += scanBlock {
		b.put(query, j, j < int(state.Count), top.Indices[j], top.Values[j])
	}
}
