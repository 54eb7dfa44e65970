package topk

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// MergeBlock is the number of threads of merge's blocks.
const MergeBlock = 256

// Parts says where the lists of the blocks are: list p*Queries+q has the best of query q in part p
// of the rows, in order, K at most, and begins (p*Queries+q)*Len after the first.
type Parts struct{ N, Queries, Len, K int }

// merge chooses the k best of each query from the lists of all parts. counts has the lengths of the
// lists. Block b writes the rows of query b to outRows[b*K:], and the scores to outScores there. If
// fewer than K exist, the others are row -1 with a score of 0.
//
// Launch with one block for each query.
//
//gpu:kernel block=256 T=float32,float64
func merge[T gpu.Float](scores []T, rows, counts []int32, parts Parts, outRows []int32, outScores []T) {
	state := gpu.Shared[collective.TopKState[T]]()
	list := gpu.Shared[collective.TopK[T]]()
	query := gpu.BlockIdx.X
	sample(list, scores, rows, counts, parts, query, state)
	part, i := gpu.ThreadIdx.X, 0
	for again := true; again; {
		for part < parts.N { // a part's best first, until one is no candidate, or there is no room for it
			from := part*parts.Queries + query
			if i < int(counts[from]) {
				score, row := scores[from*parts.Len+i], rows[from*parts.Len+i]
				if !collective.Greater(state.Value, int(state.Index), score, int(row)) {
					if !list.Offer(state, score, row) {
						break
					}
					i++
					continue
				}
			}
			part, i = part+MergeBlock, 0
		}
		gpu.SyncThreads()
		again = state.Count > Longest
		list.Cut(state, parts.K)
	}
	for j := gpu.ThreadIdx.X; j < parts.K; j += MergeBlock {
		at := query*parts.K + j
		if j < int(state.Count) {
			outRows[at], outScores[at] = list.Indices[j], list.Values[j]
		} else {
			outRows[at], outScores[at] = -1, 0
		}
	}
}

// sample sets a limit that the k best reach: if c parts have an m-th best that reaches it, c*m such
// scores exist. It looks at as many parts as the list is long.
func sample[T gpu.Float](c *collective.TopK[T], scores []T, rows, counts []int32, parts Parts, query int,
	state *collective.TopKState[T],
) {
	n := min(parts.N, Longest)
	m := (parts.K + n - 1) / max(n, 1)
	for p := gpu.ThreadIdx.X; p < Longest; p += MergeBlock {
		none := collective.NoLimit[T]()
		c.Values[p], c.Indices[p] = none.Value, none.Index
		if from := p*parts.Queries + query; p < n && m <= int(counts[from]) {
			c.Values[p], c.Indices[p] = scores[from*parts.Len+m-1], rows[from*parts.Len+m-1]
		}
	}
	gpu.SyncThreads()
	c.Sort(Longest)
	if gpu.ThreadIdx.X == 0 {
		*state = collective.NoLimit[T]()
		if m > 0 {
			last := (parts.K + m - 1) / m
			state.Value, state.Index = c.Values[last-1], c.Indices[last-1]
		}
	}
	gpu.SyncThreads()
}
