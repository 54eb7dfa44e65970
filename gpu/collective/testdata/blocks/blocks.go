// Package blocks calls the functions of package collective that work on a block's slices, each
// block on its own part of what it is given. The tests compile it themselves.
package blocks

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// mostKeys is how many keys of a block are sorted in shared memory.
const mostKeys = 500

// block is the caller's block in the grid.
func block() int {
	return gpu.BlockIdx.X + gpu.GridDim.X*(gpu.BlockIdx.Y+gpu.GridDim.Y*gpu.BlockIdx.Z)
}

// thread is the caller's index in the grid: blocks in their order, and threads in theirs.
func thread() int {
	b := gpu.BlockDim
	return block()*b.X*b.Y*b.Z + gpu.ThreadIdx.X + b.X*(gpu.ThreadIdx.Y+b.Y*gpu.ThreadIdx.Z)
}

// each gives the threads of the block the indices below n.
func each(n int, f func(i int)) {
	b := gpu.BlockDim
	for i := gpu.ThreadIdx.X + b.X*(gpu.ThreadIdx.Y+b.Y*gpu.ThreadIdx.Z); i < n; i += b.X * b.Y * b.Z {
		f(i)
	}
}

// Sort has each block sort n keys of its own, in shared memory, up and down.
//
//gpu:kernel T=float32,float64,int32,int64,uint32,uint64,int8,uint16
func Sort[T gpu.Number](in []T, n int, up, down []T) {
	keys := gpu.Shared[[mostKeys]T]()
	scratch := gpu.Shared[[mostKeys]T]()
	first := block() * n
	each(n, func(i int) { keys[i] = in[first+i] })
	collective.BlockSort(keys[:n], scratch[:])
	each(n, func(i int) { up[first+i] = keys[i] })
	collective.BlockSortDescending(keys[:n], scratch[:])
	each(n, func(i int) { down[first+i] = keys[i] })
}

// SortByKey has each block sort n keys of its own, and their indices with them, in global memory.
//
//gpu:kernel T=float32,uint64,int8
func SortByKey[T gpu.Number](keys []T, n int, scratch []T, up, down, atScratch []int32, descending bool) {
	first := block() * n
	keys, scratch, atScratch = keys[first:][:n], scratch[first:][:n], atScratch[first:][:n]
	if descending {
		each(n, func(i int) { down[first+i] = int32(i) })
		collective.BlockSortByKeyDescending(keys, down[first:][:n], scratch, atScratch)
	} else {
		each(n, func(i int) { up[first+i] = int32(i) })
		collective.BlockSortByKey(keys, up[first:][:n], scratch, atScratch)
	}
}

// TopK has each block choose the k largest of n values of its own.
//
//gpu:kernel T=float32,float64,int32,uint64,int8
func TopK[T gpu.Number](in []T, n, k int, largest []T, at, count []int32) {
	b := block()
	chosen := collective.BlockTopK(in[b*n:][:n], k, largest[b*k:][:k], at[b*k:][:k])
	count[thread()] = int32(chosen)
}

// Histogram has each block count the values of its own n ones in bins.
//
//gpu:kernel
func Histogram(in []uint32, n, bins int, plain, matched []uint32) {
	shared := gpu.Shared[[300]uint32]()
	first := block() * n
	bin := func(i int) int { return int(in[first+i]) % bins }
	collective.BlockHistogram(shared[:bins], n, bin)
	each(bins, func(b int) { plain[block()*bins+b] = shared[b] })
	collective.BlockHistogramMatched(shared[:bins], n, bin)
	each(bins, func(b int) { matched[block()*bins+b] = shared[b] })
}

// Runs has each block find the runs of its own n values; its starts begin at n+1 times the block's
// number.
//
//gpu:kernel T=float32,uint64
func Runs[T comparable](in []T, n int, starts, count []int32) {
	values := gpu.Shared[[mostKeys]T]()
	b := block()
	each(n, func(i int) { values[i] = in[b*n+i] })
	count[thread()] = int32(collective.BlockRunLength(values[:n], starts[b*(n+1):][:n+1]))
}
