// Package kernels calls each function of package collective once a thread, so that tests see what every thread gets.
package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// thread is the caller's place in the grid: blocks in their order, in a block the threads in theirs.
func thread() int {
	b := gpu.BlockDim
	block := gpu.BlockIdx.X + gpu.GridDim.X*(gpu.BlockIdx.Y+gpu.GridDim.Y*gpu.BlockIdx.Z)
	return block*b.X*b.Y*b.Z + gpu.ThreadIdx.X + b.X*(gpu.ThreadIdx.Y+b.Y*gpu.ThreadIdx.Z)
}

// Reduce writes what each thread gets from the sums, minima and maxima of its warp and its block.
//
//gpu:kernel T=float32,float64,int32,int64,uint32,uint64
func Reduce[T gpu.Word](in, warpSum, warpMin, warpMax, blockSum, blockMin, blockMax []T) {
	i := thread()
	v := in[i]
	warpSum[i] = collective.WarpSum(v)
	warpMin[i] = collective.WarpMin(v)
	warpMax[i] = collective.WarpMax(v)
	blockSum[i] = collective.BlockSum(v)
	blockMin[i] = collective.BlockMin(v)
	blockMax[i] = collective.BlockMax(v)
}

// Index writes the minima and maxima with the index of their thread.
//
//gpu:kernel T=float32,float64,int32,int64,uint32,uint64
func Index[T gpu.Word](in, warpMin, warpMax, blockMin, blockMax []T, warpMinAt, warpMaxAt, blockMinAt, blockMaxAt []int) {
	i := thread()
	v := in[i]
	warpMin[i], warpMinAt[i] = collective.WarpMinIndex(v, i)
	warpMax[i], warpMaxAt[i] = collective.WarpMaxIndex(v, i)
	blockMin[i], blockMinAt[i] = collective.BlockMinIndex(v, i)
	blockMax[i], blockMaxAt[i] = collective.BlockMaxIndex(v, i)
}

// Scan writes the scans, of sums and of an operation that does not commute.
//
//gpu:kernel T=float32,float64,int32,int64,uint32,uint64
func Scan[T gpu.Word](in, warp, inclusive, exclusive, total, last, lastBefore []T) {
	i := thread()
	v := in[i]
	warp[i] = collective.WarpInclusiveSum(v)
	inclusive[i] = collective.BlockInclusiveSum(v)
	exclusive[i], total[i] = collective.BlockExclusiveSum(v)
	last[i] = collective.BlockInclusiveScan(v, lastNonzero[T])
	lastBefore[i], _ = collective.BlockExclusiveScan(v, 0, lastNonzero[T])
}

// lastNonzero is y, or x where y is 0: associative, but not commutative.
func lastNonzero[T gpu.Word](x, y T) T {
	if y != 0 {
		return y
	}
	return x
}

// Repeat sums in a loop that each block runs a different number of times, without a barrier of its own.
//
//gpu:kernel
func Repeat(in, out []int32) {
	i := thread()
	v := in[i]
	for range gpu.BlockIdx.X + 2 {
		v = collective.BlockSum(v) % 1000
	}
	out[i] = v
}
