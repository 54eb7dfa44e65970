// Package kernels calls each function of package collective once a thread, so that tests see what
// every thread gets. The tests compile it themselves.
package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// thread is the caller's index in the grid: blocks in their order, in a block the threads in
// theirs.
func thread() int {
	b := gpu.BlockDim
	block := gpu.BlockIdx.X + gpu.GridDim.X*(gpu.BlockIdx.Y+gpu.GridDim.Y*gpu.BlockIdx.Z)
	return block*b.X*b.Y*b.Z + gpu.ThreadIdx.X + b.X*(gpu.ThreadIdx.Y+b.Y*gpu.ThreadIdx.Z)
}

// Reduce writes what each thread gets from the sums, minima and maxima of its warp and its block.
//
//gpu:kernel T=float32,float64,int32,int64,uint32,uint64,int,int8,uint16
func Reduce[T gpu.Number](in, warpSum, warpMin, warpMax, blockSum, blockMin, blockMax []T) {
	i := thread()
	v := in[i]
	warpSum[i] = collective.WarpSum(v)
	warpMin[i] = collective.WarpMin(v)
	warpMax[i] = collective.WarpMax(v)
	blockSum[i] = collective.BlockSum(v)
	blockMin[i] = collective.BlockMin(v)
	blockMax[i] = collective.BlockMax(v)
}

// Index writes the minima with the index of their thread, and the maxima with its negative, so that
// the last of equal ones is wanted.
//
//gpu:kernel T=float32,float64,int32,int64,uint32,uint64,int,int8,uint16
func Index[T gpu.Number](in, warpMin, warpMax, blockMin, blockMax []T, warpMinAt, warpMaxAt, blockMinAt, blockMaxAt []int) {
	i := thread()
	v := in[i]
	warpMin[i], warpMinAt[i] = collective.WarpMinIndex(v, i)
	warpMax[i], warpMaxAt[i] = collective.WarpMaxIndex(v, -i)
	blockMin[i], blockMinAt[i] = collective.BlockMinIndex(v, i)
	blockMax[i], blockMaxAt[i] = collective.BlockMaxIndex(v, -i)
}

// Scan writes the scans, of sums and of an operation that does not commute.
//
//gpu:kernel T=float32,float64,int32,int64,uint32,uint64,int,int8,uint16
func Scan[T gpu.Number](in, warp, inclusive, exclusive, total, last, lastBefore []T) {
	i := thread()
	v := in[i]
	warp[i] = collective.WarpInclusiveSum(v)
	inclusive[i] = collective.BlockInclusiveSum(v)
	exclusive[i], total[i] = collective.BlockExclusiveSum(v)
	last[i] = collective.BlockInclusiveScan(v, lastNonzero[T])
	lastBefore[i], _ = collective.BlockExclusiveScan(v, 0, lastNonzero[T])
}

// lastNonzero is y, or x where y is 0: associative, but not commutative.
func lastNonzero[T gpu.Number](x, y T) T {
	if y != 0 {
		return y
	}
	return x
}

// Repeat sums in a loop that each block runs a different number of times, without a barrier of its
// own.
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

// Rounds calls a function again and again, without a barrier between: what a slow thread still
// reads of one call must not be overwritten by the next.
//
//gpu:kernel
func Rounds(in []int32, rounds int, inclusive, exclusive, least []int32) {
	i := thread()
	v, w, x := in[i], in[i], in[i]
	for range rounds {
		v = collective.BlockInclusiveSum(v) % 1000
	}
	for range rounds {
		before, total := collective.BlockExclusiveSum(w)
		w = (2*before - total) % 1000
	}
	for range rounds {
		value, at := collective.BlockMinIndex(x, i)
		x = (2*x - value + int32(at)) % 1000
	}
	inclusive[i], exclusive[i], least[i] = v, w, x
}

// FirstWarp has the block's first warp alone add up its values.
//
//gpu:kernel
func FirstWarp(in, out []int32) {
	if gpu.WarpID() == 0 {
		i := thread()
		out[i] = collective.WarpSum(in[i])
	}
}

// Last calls LastBlock once for each ticket. It counts in last the blocks that are told to be the
// last, and in seen the blocks whose marks such a block sees: marks has one for each ticket and
// block, and what is in them grows by 1.
//
//gpu:kernel
func Last(tickets []uint32, marks, last, seen []int32) {
	grid := gpu.GridDim
	blocks, block := grid.X*grid.Y*grid.Z, gpu.BlockIdx.X+grid.X*(gpu.BlockIdx.Y+grid.Y*gpu.BlockIdx.Z)
	first := gpu.ThreadIdx == gpu.Dim3{}
	for k := range tickets {
		if first {
			marks[k*blocks+block]++
		}
		if collective.LastBlock(&tickets[k]) && first {
			gpu.AtomicAdd(&last[k], 1)
			for _, m := range marks[k*blocks:][:blocks] {
				seen[k] += m
			}
		}
	}
}

// Step is x -> A*x + B of three numbers, beside others: 32 bytes. Steps one behind the other are a
// step.
type Step struct {
	A, B [3]uint32
	C    int16
	D    gpu.Float16
	E    bool
}

// then is the step x and then y.
func then(x, y Step) Step {
	for i := range x.A {
		x.A[i], x.B[i] = x.A[i]*y.A[i], x.B[i]*y.A[i]+y.B[i]
	}
	x.C, x.D, x.E = y.C, x.D.Max(y.D), x.E != y.E
	return x
}

// apart is what joins the fields that are added and compared: associative and commutative.
func apart(x, y Step) Step {
	for i := range x.A {
		x.A[i], x.B[i] = x.A[i]+y.A[i], x.B[i]*y.B[i]
	}
	x.C, x.D, x.E = max(x.C, y.C), x.D.Min(y.D), x.E || y.E
	return x
}

// Steps writes what each thread gets of values that are no numbers.
//
//gpu:kernel
func Steps(in, warpAll, warpScan, all, scan, before, total []Step) {
	i := thread()
	warpAll[i] = collective.WarpReduce(in[i], apart)
	warpScan[i] = collective.WarpInclusiveScan(in[i], then)
	all[i] = collective.BlockReduce(in[i], apart)
	scan[i] = collective.BlockInclusiveScan(in[i], then)
	before[i], total[i] = collective.BlockExclusiveScan(in[i], Step{A: [3]uint32{1, 1, 1}}, then)
}

// Sums writes the sums of the block's complex numbers.
//
//gpu:kernel
func Sums(in, sums []complex128) {
	i := thread()
	sums[i] = collective.BlockReduce(in[i], func(x, y complex128) complex128 { return x + y })
}
