package onepass

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Finish combines what the threads of the grid have. reduce combines what the threads of a block
// have and gives it to all of them. merge combines two. The result is whole in the threads of the
// block that is the last to be done, for which last is true.
//
// partial has an element a block, ticket[0] is 0 before, and after. One block alone is done at
// once: the meeting, two trips through memory, would take as long as its work.
func Finish[A any](a, start A, reduce func(a A) A, merge func(a, b A) A, partial []A, ticket []uint32) (whole A, last bool) {
	a = reduce(a)
	if gpu.GridDim.X == 1 {
		return a, true
	}
	if gpu.ThreadIdx.X == 0 {
		partial[gpu.BlockIdx.X] = a
	}
	if !collective.LastBlock(&ticket[0]) {
		return a, false
	}
	return reduce(together(partial[:gpu.GridDim.X], start, merge)), true
}

// together is the caller's part of what the blocks have. It loads several before it combines the
// first.
func together[A any](partial []A, start A, merge func(a, b A) A) A {
	const several = 4
	for first := gpu.ThreadIdx.X; first < len(partial); first += several * Block {
		var v [several]A
		for k := range several {
			if i := first + k*Block; i < len(partial) {
				v[k] = partial[i]
			}
		}
		for k := range several {
			if first+k*Block < len(partial) {
				start = merge(start, v[k])
			}
		}
	}
	return start
}

// Tree combines what the threads of a block have, and gives it to all of them. It is for what takes
// more than a word, which collective.BlockReduce combines faster.
func Tree[A any](a A, merge func(a, b A) A) A {
	all := gpu.Shared[[Block]A]()
	tid := gpu.ThreadIdx.X
	all[tid] = a
	gpu.SyncThreads()
	for d := Block / 2; d > 0; d /= 2 {
		if tid < d {
			all[tid] = merge(all[tid], all[tid+d])
		}
		gpu.SyncThreads()
	}
	a = all[0]
	gpu.SyncThreads() // all may be written again
	return a
}
