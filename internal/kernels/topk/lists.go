package topk

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// MaxK is the largest number of scores that are chosen, and Longest that of candidates in a list.
const (
	MaxK    = 128
	Longest = 512
)

// Before reports whether score s of row i comes before score t of row j. NaN comes before nothing.
func Before[T gpu.Float](s T, i int32, t T, j int32) bool { return s > t || s == t && i < j }

// Limit is the last of a query's k best so far: what does not come before it is no candidate.
type Limit[T gpu.Float] struct {
	Score T
	Row   int32
}

// NoLimit lets every score but NaN pass.
func NoLimit[T gpu.Float]() Limit[T] { return Limit[T]{T(math.Inf(-1)), math.MaxInt32} }

// Passes reports whether a score comes before the limit.
func (l Limit[T]) Passes(score T, row int32) bool { return Before(score, row, l.Score, l.Row) }

// Lists are the candidates of a block's queries: those of query i begin at i*Len. They are in
// memory, or in shared memory.
type Lists[T gpu.Float] struct {
	Scores []T
	Rows   []int32
	Len    int // of each list, a power of two, Longest at most
}

// State is what a block knows of a list. It is in shared memory.
type State[T gpu.Float] struct {
	Count int32 // candidates in it
	Limit Limit[T]
}

// Scratch is the shared memory in which a list is put in order.
type Scratch[T gpu.Float] struct {
	Scores [Longest]T
	Rows   [Longest]int32
}

// Add puts a candidate that has passed the limit at the end of list i. There is room for it. Any
// threads of the block may add at the same time.
func (l Lists[T]) Add(state *State[T], i int, score T, row int32) {
	at := i*l.Len + int(gpu.AtomicAdd(&state.Count, 1))
	l.Scores[at], l.Rows[at] = score, row
}

// Cut puts list i in order, and cuts it to its k best. All threads of the block call it, after a
// barrier behind the last Add; it ends with one.
func (l Lists[T]) Cut(state *State[T], scratch *Scratch[T], i, k int) {
	first := i * l.Len
	for j := gpu.ThreadIdx.X; j < int(state.Count); j += gpu.BlockDim.X {
		scratch.Scores[j], scratch.Rows[j] = l.Scores[first+j], l.Rows[first+j]
	}
	scratch.Cut(state, k)
	for j := gpu.ThreadIdx.X; j < int(state.Count); j += gpu.BlockDim.X {
		l.Scores[first+j], l.Rows[first+j] = scratch.Scores[j], scratch.Rows[j]
	}
	gpu.SyncThreads()
}

// Offer puts a candidate that has passed the limit at the end of a block's only list, which is the
// scratch itself. Where there is no room, it returns false, and the count is more than Longest: the list
// must be cut before the score is offered again.
func (c *Scratch[T]) Offer(state *State[T], score T, row int32) bool {
	at := int(gpu.AtomicAdd(&state.Count, 1))
	if at >= Longest {
		return false
	}
	c.Scores[at], c.Rows[at] = score, row
	return true
}

// Cut puts the list in order, and cuts it to its k best. All threads of the block call it; it ends with
// a barrier, behind which the list may be read.
func (c *Scratch[T]) Cut(state *State[T], k int) {
	n := min(int(state.Count), Longest)
	size := 2
	for size < n {
		size *= 2
	}
	none := NoLimit[T]() // which comes behind all candidates
	for j := n + gpu.ThreadIdx.X; j < size; j += gpu.BlockDim.X {
		c.Scores[j], c.Rows[j] = none.Score, none.Row
	}
	gpu.SyncThreads()
	c.sort(size)
	if gpu.ThreadIdx.X == 0 {
		state.Count = int32(min(n, k))
		if n >= k {
			state.Limit = Limit[T]{c.Scores[k-1], c.Rows[k-1]}
		}
	}
	gpu.SyncThreads()
}

// sort puts the first n, a power of two, in order: K. Batcher's bitonic sort (AFIPS 1968).
func (c *Scratch[T]) sort(n int) {
	for run := 2; run <= n; run *= 2 {
		for apart := run / 2; apart > 0; apart /= 2 {
			for p := gpu.ThreadIdx.X; p < n/2; p += gpu.BlockDim.X {
				i := p/apart*(2*apart) + p%apart
				j := i + apart
				if Before(c.Scores[j], c.Rows[j], c.Scores[i], c.Rows[i]) == (i&run == 0) {
					c.Scores[i], c.Scores[j] = c.Scores[j], c.Scores[i]
					c.Rows[i], c.Rows[j] = c.Rows[j], c.Rows[i]
				}
			}
			gpu.SyncThreads()
		}
	}
}
