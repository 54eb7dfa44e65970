package kernels

import "github.com/gridstride/gridstride/gpu"

// A merge sort sorts tiles in shared memory, and merges twice as many elements in each pass. A
// merge is cut into equal parts by a search for where each part begins in the two halves: O. Green,
// R. McColl and D. Bader, "GPU Merge Path: A GPU Merging Algorithm", ICS 2012. It is stable.
const (
	mergeItems = 8
	// MergeTile is the number of elements that a block sorts or merges.
	MergeTile = Block * mergeItems
)

// MergeTiles is the grid of [SortTiles] and [MergePass], for n elements.
func MergeTiles(n int) int { return ceil(n, MergeTile) }

// SortTiles sorts each tile of src by itself. dst may be src.
//
//gpu:kernel open block=256
//gpu:nobounds
func SortTiles[T any, O Order[T]](dst, src []T, o With[O]) {
	first := gpu.BlockIdx.X * MergeTile
	all := sortTile(src[first:], func(a, b T) bool { return o.Op.Less(a, b) })
	for i := gpu.ThreadIdx.X; i < len(all); i += Block {
		dst[first+i] = all[i]
	}
}

// TopTiles writes the first k elements of each tile of src, in an order, one tile's after the other's.
//
//gpu:kernel open block=256
//gpu:nobounds
func TopTiles[T any, O Order[T]](dst, src []T, k int, o With[O]) {
	all := sortTile(src[gpu.BlockIdx.X*MergeTile:], func(a, b T) bool { return o.Op.Less(a, b) })
	for i := gpu.ThreadIdx.X; i < min(k, len(all)); i += Block {
		dst[gpu.BlockIdx.X*k+i] = all[i]
	}
}

// sortTile sorts the tile with which src begins, in shared memory.
func sortTile[T any](src []T, less func(a, b T) bool) []T {
	all := gpu.Shared[[MergeTile]T]()
	tid := gpu.ThreadIdx.X
	n := min(len(src), MergeTile)
	for k := range mergeItems {
		if i := tid + k*Block; i < n {
			all[i] = src[i]
		}
	}
	gpu.SyncThreads()
	sortOwn(all[:n], tid*mergeItems, less)
	gpu.SyncThreads()
	for width := mergeItems; width < MergeTile; width *= 2 {
		var v [mergeItems]T
		at := tid * mergeItems
		pair := at / (2 * width) * 2 * width
		a, b := min(pair, n), min(pair+width, n)
		end := min(pair+2*width, n)
		merge(&v, all[a:b], all[b:end], at-pair, less)
		gpu.SyncThreads()
		for k := range mergeItems {
			if at+k < n {
				all[at+k] = v[k]
			}
		}
		gpu.SyncThreads()
	}
	return all[:n]
}

// sortOwn sorts the caller's elements by insertion.
func sortOwn[T any](all []T, first int, less func(a, b T) bool) {
	for i := first + 1; i < min(first+mergeItems, len(all)); i++ {
		v := all[i]
		j := i
		for ; j > first && less(v, all[j-1]); j-- {
			all[j] = all[j-1]
		}
		all[j] = v
	}
}

// split is how many of the first elements of the merged a and b are of a: merge path's search on a
// diagonal. Of equal elements a's are first.
func split[T any](a, b []T, first int, less func(a, b T) bool) int {
	low, high := max(first-len(b), 0), min(first, len(a))
	for low < high {
		middle := int(uint(low+high) / 2)
		if less(b[first-1-middle], a[middle]) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// merge sets v to the elements from index first on of the merged a and b.
func merge[T any](v *[mergeItems]T, a, b []T, first int, less func(a, b T) bool) {
	if first >= len(a)+len(b) {
		return
	}
	i := split(a, b, first, less)
	j := first - i
	for k := range mergeItems {
		switch {
		case i < len(a) && (j >= len(b) || !less(b[j], a[i])):
			v[k] = a[i]
			i++
		case j < len(b):
			v[k] = b[j]
			j++
		}
	}
}

// MergePass merges pairs of sorted parts of width elements each, a multiple of MergeTile.
//
//gpu:kernel open block=256
//gpu:nobounds
func MergePass[T any, O Order[T]](dst, src []T, width int, o With[O]) {
	first := gpu.BlockIdx.X * MergeTile
	pair := first / (2 * width) * 2 * width
	middle, end := min(pair+width, len(src)), min(pair+2*width, len(src))
	mergeTile(dst[first:], src[pair:middle], src[middle:end], first-pair, func(a, b T) bool { return o.Op.Less(a, b) })
}

// MergeTwo merges two sorted slices. Of equal elements a's are first.
//
//gpu:kernel open block=256
//gpu:nobounds
func MergeTwo[T any, O Order[T]](dst, a, b []T, o With[O]) {
	first := gpu.BlockIdx.X * MergeTile
	mergeTile(dst[first:], a, b, first, func(a, b T) bool { return o.Op.Less(a, b) })
}

// mergeTile writes a block's part of the merged a and b, from index first on.
func mergeTile[T any](dst, a, b []T, first int, less func(a, b T) bool) {
	all := gpu.Shared[[MergeTile]T]()
	cuts := gpu.Shared[[2]int]()
	tid := gpu.ThreadIdx.X
	n := min(len(a)+len(b)-first, MergeTile)
	if tid < 2 {
		cuts[tid] = split(a, b, first+tid*n, less)
	}
	gpu.SyncThreads()
	ofA := a[cuts[0]:cuts[1]]
	ofB := b[first-cuts[0] : first+n-cuts[1]]
	for k := range mergeItems {
		switch i := tid + k*Block; {
		case i < len(ofA):
			all[i] = ofA[i]
		case i < n:
			all[i] = ofB[i-len(ofA)]
		}
	}
	gpu.SyncThreads()
	var v [mergeItems]T
	merge(&v, all[:len(ofA)], all[len(ofA):n], tid*mergeItems, less)
	gpu.SyncThreads()
	for k := range mergeItems {
		if i := tid*mergeItems + k; i < n {
			all[i] = v[k]
		}
	}
	gpu.SyncThreads()
	for k := range mergeItems {
		if i := tid + k*Block; i < n {
			dst[i] = all[i]
		}
	}
}
