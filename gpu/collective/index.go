package collective

import "github.com/gridstride/gridstride/gpu"

// WarpMinIndex is the smallest v of the threads of the warp and the i given with it. Of equal
// values, which -0 and +0 are, it takes the one with the smallest i. NaN counts as smaller than
// every number.
func WarpMinIndex[T gpu.Number](v T, i int) (T, int) {
	return warpIndex(v, i, Less[T])
}

// WarpMaxIndex is the largest v of the threads of the warp and the i given with it. Of equal values
// it takes the one with the smallest i. NaN counts as larger than every number.
func WarpMaxIndex[T gpu.Number](v T, i int) (T, int) {
	return warpIndex(v, i, Greater[T])
}

// BlockMinIndex is the smallest v of the threads of the block and the i given with it, chosen as
// [WarpMinIndex] does.
func BlockMinIndex[T gpu.Number](v T, i int) (T, int) {
	return blockIndex(v, i, Less[T])
}

// BlockMaxIndex is the largest v of the threads of the block and the i given with it, chosen as
// [WarpMaxIndex] does.
func BlockMaxIndex[T gpu.Number](v T, i int) (T, int) {
	return blockIndex(v, i, Greater[T])
}

// Less reports whether v at index i precedes w at index j in the order of [WarpMinIndex]: v is
// smaller, or they are equal and i is below j. NaN is smaller than every number. It is for threads
// that look at several values first.
func Less[T gpu.Number](v T, i int, w T, j int) bool {
	return precedes(v < w, w < v, v, i, w, j)
}

// Greater reports whether v at index i precedes w at index j in the order of [WarpMaxIndex]: v is
// larger, or they are equal and i is below j. NaN is larger than every number. It is for threads
// that look at several values first.
func Greater[T gpu.Number](v T, i int, w T, j int) bool {
	return precedes(v > w, w > v, v, i, w, j)
}

// precedes puts NaN first, and equal values in the order of their indices. For other values, first
// and second say which of v and w comes first.
func precedes[T gpu.Number](first, second bool, v T, i int, w T, j int) bool {
	nanV, nanW := v != v, w != w
	if nanV != nanW {
		return nanV
	}
	return first || !second && i < j
}

func warpIndex[T gpu.Number](v T, i int, before func(v T, i int, w T, j int) bool) (T, int) {
	n := warpThreads()
	mask := firstLanes(n)
	lane := gpu.LaneID()
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		w, j := gpu.ShflDownSync(mask, v, d), gpu.ShflDownSync(mask, i, d)
		if lane+d < n && before(w, j, v, i) {
			v, i = w, j
		}
	}
	return gpu.ShflSync(mask, v, 0), gpu.ShflSync(mask, i, 0)
}

func blockIndex[T gpu.Number](v T, i int, before func(v T, i int, w T, j int) bool) (T, int) {
	values := gpu.Shared[[maxWarps]T]()
	indices := gpu.Shared[[maxWarps]int]()
	v, i = warpIndex(v, i, before)
	if gpu.LaneID() == 0 {
		values[gpu.WarpID()], indices[gpu.WarpID()] = v, i
	}
	gpu.SyncThreads()
	v, i = values[0], indices[0]
	others := values[1:blockWarps()]
	at := indices[1:][:len(others)]
	for w, other := range others {
		if before(other, at[w], v, i) {
			v, i = other, at[w]
		}
	}
	gpu.SyncThreads() // values and indices may be written again
	return v, i
}
