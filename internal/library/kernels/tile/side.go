package tile

import "github.com/gridstride/gridstride/gpu"

// mostHeld is the largest number of V that a thread brings of a stage of A, or of B.
const mostHeld = 8

// side brings one stage of A's or of B's tile after the other from memory into registers, and from
// there into shared memory, with a tile's depth first. In memory, elements are side by side along k
// if it is deep, and otherwise along the rows of A or the columns of B.
//
// How many V it brings, how many lanes these have, and mostly whether it is deep, is known when a
// kernel is compiled, and given to each function.
type side[V any] struct {
	data           []V
	at             [mostHeld]int // the thread's places in the first stage
	off            int           // from the first stage to the next
	next           int           // how much that grows
	held           [mostHeld]V   // loaded data
	row, col, step int           // the thread's place, in V, among the block's in memory order, and the rows that they fill
}

// begin is the side for the tile that starts at first, of size rows of A or columns of B, and at k.
// Rows or columns after the last are read as the last: only elements of C that do not exist use
// them. stride is the number of V from a row in memory to the next.
func begin[V any](data []V, first, size, k, stride, lanes, tile, stage, threads, count int, deep bool) (s side[V]) {
	s.data = data
	if deep {
		s.spread(stage/lanes, threads)
		for j := range count {
			s.at[j] = min(first+s.row+j*s.step, size-1)*stride + s.col
		}
		s.off, s.next = k/lanes, stage/lanes
		return s
	}
	s.spread(tile/lanes, threads)
	for j := range count {
		s.at[j] = (s.row+j*s.step)*stride + min(first/lanes+s.col, (size-1)/lanes)
	}
	s.off, s.next = k*stride, stage*stride
	return s
}

// spread lays the block's threads on rows of cols V.
func (s *side[V]) spread(cols, threads int) {
	s.row, s.col, s.step = gpu.ThreadIdx.X/cols, gpu.ThreadIdx.X%cols, threads/cols
}

// load brings the next stage into registers.
func (s *side[V]) load(lanes, count int) {
	for j := range count {
		s.held[j] = s.data[s.at[j]+s.off]
	}
	s.off += s.next
}

// loadPart is load for the stage that starts at k and reaches over end: zeros follow end.
func (s *side[V]) loadPart(k, end, lanes, count int, deep bool) {
	var zero V
	for j := range count {
		s.held[j] = zero
		d := k + s.row + j*s.step
		if deep {
			d = k + s.col*lanes
		}
		if d < end {
			s.held[j] = s.data[s.at[j]+s.off]
		}
	}
	s.off += s.next
}

// store writes the stage that was loaded to shared memory, in rows of stride elements.
func store[T gpu.Number, V any](s *side[V], shared []T, stride, lanes, count int, deep bool, lane func(v V, i int) T) {
	if deep {
		shared = shared[s.col*lanes*stride+s.row:]
		for j := range count {
			for i := range lanes {
				shared[i*stride+j*s.step] = lane(s.held[j], i)
			}
		}
		return
	}
	shared = shared[s.row*stride+s.col*lanes:]
	for j := range count {
		for i := range lanes {
			shared[j*s.step*stride+i] = lane(s.held[j], i)
		}
	}
}
