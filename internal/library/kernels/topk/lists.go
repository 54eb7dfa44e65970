package topk

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// MaxK is the largest number of chosen scores, and Longest the most candidates in a list.
const (
	MaxK    = 128
	Longest = collective.TopKRoom
)

// Lists are the candidates of a block's queries: query i's begin at i*Len. They are in memory, or
// in shared memory.
type Lists[T gpu.Float] struct {
	Scores []T
	Rows   []int32
	Len    int // of each list, a power of two, Longest at most
}

// Add puts a candidate that has passed the limit at the end of list i. There is room for it. Any
// threads of the block may add at the same time.
func (l Lists[T]) Add(state *collective.TopKState[T], i int, score T, row int32) {
	at := i*l.Len + int(gpu.AtomicAdd(&state.Count, 1))
	l.Scores[at], l.Rows[at] = score, row
}

// Cut puts list i in order, and cuts it to its k best, in scratch. All threads of the block call
// it, after a barrier that follows the last Add. It ends with one.
func (l Lists[T]) Cut(state *collective.TopKState[T], scratch *collective.TopK[T], i, k int) {
	first := i * l.Len
	for j := gpu.ThreadIdx.X; j < int(state.Count); j += gpu.BlockDim.X {
		scratch.Values[j], scratch.Indices[j] = l.Scores[first+j], l.Rows[first+j]
	}
	scratch.Cut(state, k)
	for j := gpu.ThreadIdx.X; j < int(state.Count); j += gpu.BlockDim.X {
		l.Scores[first+j], l.Rows[first+j] = scratch.Values[j], scratch.Indices[j]
	}
	gpu.SyncThreads()
}
