package collective

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// MaxTopK is the largest number of values that [BlockTopK] chooses, and TopKRoom the number of
// candidates in a [TopK].
const (
	MaxTopK  = 256
	TopKRoom = 512
)

// BlockTopK chooses the k largest of values, at most [MaxTopK]. It puts them into largest, in
// descending order, and their indices into at. Of equal values, which -0 and +0 are, the one with
// the smaller index comes first. NaN is never chosen. Every thread gets the number of those chosen,
// which is k unless there are fewer.
//
// All threads of the block give the same slices, in shared memory, or in global memory that is the
// block's own. largest and at have room for k elements. The call begins and ends with a barrier.
//
// It is [TopK] on a slice: each value is read once or twice. In a random order, about k*ln(n/k) of
// n are candidates. The call sorts the list once for each 512-k of these, which takes up to 45
// barriers. It has 4 KB of shared memory for float32, and 6 KB for float64.
func BlockTopK[T gpu.Number](values []T, k int, largest []T, at []int32) int {
	list := gpu.Shared[TopK[T]]()
	state := gpu.Shared[TopKState[T]]()
	gpu.Assert(k >= 0 && k <= MaxTopK, "BlockTopK of a k below 0, or above MaxTopK")
	gpu.SyncThreads()
	if linearThread() == 0 {
		*state = NoLimit[T]()
	}
	gpu.SyncThreads()
	i := linearThread()
	for again := true; again; {
		for i < len(values) && (!state.Passes(values[i], int32(i)) || list.Offer(state, values[i], int32(i))) {
			i += blockThreads()
		}
		gpu.SyncThreads()
		again = state.Count > TopKRoom
		list.Cut(state, k)
	}
	n := int(state.Count)
	largest, at = largest[:n], at[:n]
	for j := linearThread(); j < n; j += blockThreads() {
		largest[j], at[j] = list.Values[j], list.Indices[j]
	}
	gpu.SyncThreads()
	return n
}

// TopK chooses the k largest of values that a block computes one after the other, without keeping
// them. It is a list of candidates in shared memory, with a [TopKState], which knows how large a
// value must be to become one:
//
//	for again := true; again; {
//		for ; i < len(points); i += gpu.BlockDim.X {
//			p := points[i]
//			v := gpu.FMA(p.X, p.X, p.Y*p.Y)
//			if state.Passes(v, int32(i)) && !list.Offer(state, v, int32(i)) {
//				break // there is no room: once the list was cut
//			}
//		}
//		gpu.SyncThreads()
//		again = state.Count > collective.TopKRoom
//		list.Cut(state, k)
//	}
//
// Which values are chosen depends on the values and their indices alone, not on the block, and not
// on the order in which they come.
type TopK[T gpu.Number] struct {
	Values  [TopKRoom]T
	Indices [TopKRoom]int32
}

// TopKState is the state of a block's list of candidates. It is in shared memory. One thread sets
// it to [NoLimit] at the start, before a barrier.
type TopKState[T gpu.Number] struct {
	Count int32 // of candidates
	// Value and Index are the last of the k best, once k are known: a value that does not precede it
	// is no candidate.
	Value T
	Index int32
}

// NoLimit is the state of an empty list, in which every value but NaN passes.
func NoLimit[T gpu.Number]() TopKState[T] {
	return TopKState[T]{Value: lowest[T](), Index: math.MaxInt32}
}

// Passes reports whether v at index i is a candidate.
func (s *TopKState[T]) Passes(v T, i int32) bool { return above(v, i, s.Value, s.Index) }

// above is the order of the list: the larger value comes first, and of equal ones the smaller
// index. NaN is above nothing.
func above[T gpu.Number](v T, i int32, w T, j int32) bool { return v > w || v == w && i < j }

// Offer puts a candidate that has passed into the list. If the list is full, it returns false, and
// the count is then above [TopKRoom]: the list must be cut before the value is offered again. Any
// threads of the block may offer at the same time.
func (c *TopK[T]) Offer(s *TopKState[T], v T, i int32) bool {
	at := int(gpu.AtomicAdd(&s.Count, 1))
	if at >= TopKRoom {
		return false
	}
	c.Values[at], c.Indices[at] = v, i
	return true
}

// Cut puts the list in order and cuts it to its k best. All threads of the block call it, after a
// barrier that follows the last Offer. It ends with one.
func (c *TopK[T]) Cut(s *TopKState[T], k int) {
	n := min(int(s.Count), TopKRoom)
	size := 2
	for size < n {
		size *= 2
	}
	none := NoLimit[T]() // which follows all candidates
	for j := n + linearThread(); j < size; j += blockThreads() {
		c.Values[j], c.Indices[j] = none.Value, none.Index
	}
	gpu.SyncThreads()
	c.Sort(size)
	if linearThread() == 0 {
		s.Count = int32(min(n, k))
		if k > 0 && n >= k {
			s.Value, s.Index = c.Values[k-1], c.Indices[k-1]
		}
	}
	gpu.SyncThreads()
}

// Sort puts the first n candidates, a power of two, in order: K. Batcher's bitonic sort (AFIPS
// 1968). All threads of the block call it. It ends with a barrier.
func (c *TopK[T]) Sort(n int) {
	for run := 2; run <= n; run *= 2 {
		for apart := run / 2; apart > 0; apart /= 2 {
			for p := linearThread(); p < n/2; p += blockThreads() {
				i := 2*p - p&(apart-1) // the p-th element of the first runs, in pairs of runs of apart elements
				j := i + apart
				if above(c.Values[j], c.Indices[j], c.Values[i], c.Indices[i]) == (i&run == 0) {
					c.Values[i], c.Values[j] = c.Values[j], c.Values[i]
					c.Indices[i], c.Indices[j] = c.Indices[j], c.Indices[i]
				}
			}
			gpu.SyncThreads()
		}
	}
}
