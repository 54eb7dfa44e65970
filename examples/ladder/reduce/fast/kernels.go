package fast

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// Each block takes the vector in tiles of perThread elements a thread, which are loaded before the
// first is used: memory takes long to answer, and answers many at once.
const (
	block     = 256
	perThread = 16
	tile      = block * perThread
)

// sum adds the elements of x to result[0].
//
// Launch with any grid. partial has an element a block, ticket[0] is 0 before, and after. So it is
// for all kernels here.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func sum[T gpu.Word](x, partial []T, ticket []uint32, result []T) {
	reduceTo(x, 0, add[T], add[T], partial, ticket, result)
}

// sumSquares adds the squares of the elements.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func sumSquares[T gpu.Word](x, partial []T, ticket []uint32, result []T) {
	reduceTo(x, 0, func(sum, v T) T { return sum + v*v }, add[T], partial, ticket, result)
}

// minimum finds the smallest element of x, which has one or more.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func minimum[T gpu.Word](x, partial []T, ticket []uint32, result []T) {
	reduceTo(x, x[0], smaller[T], smaller[T], partial, ticket, result)
}

// maximum finds the largest element of x, which has one or more.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func maximum[T gpu.Word](x, partial []T, ticket []uint32, result []T) {
	reduceTo(x, x[0], larger[T], larger[T], partial, ticket, result)
}

// argMin finds the index of the smallest element of x, which has one or more.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func argMin[T gpu.Word](x, partial []T, partialAt []int, ticket []uint32, result []T, resultAt []int) {
	v, at := search(x, func(v, best T) bool { return v < best || v != v && best == best })
	if v, at = collective.BlockMinIndex(v, at); gpu.ThreadIdx.X == 0 {
		partial[gpu.BlockIdx.X], partialAt[gpu.BlockIdx.X] = v, at
	}
	if !collective.LastBlock(&ticket[0]) {
		return
	}
	v, at = choose(partial, partialAt, collective.Less[T])
	if v, at = collective.BlockMinIndex(v, at); gpu.ThreadIdx.X == 0 {
		result[0], resultAt[0] = v, at
	}
}

// argMax finds the index of the largest element of x, which has one or more.
//
//gpu:kernel block=256 T=float32,float64,int32,int64
func argMax[T gpu.Word](x, partial []T, partialAt []int, ticket []uint32, result []T, resultAt []int) {
	v, at := search(x, func(v, best T) bool { return v > best || v != v && best == best })
	if v, at = collective.BlockMaxIndex(v, at); gpu.ThreadIdx.X == 0 {
		partial[gpu.BlockIdx.X], partialAt[gpu.BlockIdx.X] = v, at
	}
	if !collective.LastBlock(&ticket[0]) {
		return
	}
	v, at = choose(partial, partialAt, collective.Greater[T])
	if v, at = collective.BlockMaxIndex(v, at); gpu.ThreadIdx.X == 0 {
		result[0], resultAt[0] = v, at
	}
}

func add[T gpu.Word](x, y T) T     { return x + y }
func smaller[T gpu.Word](x, y T) T { return min(x, y) }
func larger[T gpu.Word](x, y T) T  { return max(x, y) }

// fold combines the caller's elements of x. It keeps several results going, so that one need not
// wait for the other, and combines them in the end.
func fold[T gpu.Word](x []T, start T, take, op func(x, y T) T) T {
	tid := gpu.ThreadIdx.X
	var acc [perThread]T
	for k := range perThread {
		acc[k] = start
	}
	i := gpu.BlockIdx.X * tile
	for ; i+tile <= len(x); i += gpu.GridDim.X * tile {
		t := (*[tile]T)(x[i : i+tile])
		var v [perThread]T
		for k := range perThread {
			v[k] = t[k*block+tid]
		}
		for k := range perThread {
			acc[k] = take(acc[k], v[k])
		}
	}
	for i += tid; i < len(x); i += block { // one block has a tile that is not full
		acc[0] = take(acc[0], x[i])
	}
	v := acc[0]
	for k := 1; k < perThread; k++ {
		v = op(v, acc[k])
	}
	return v
}

// reduceTo combines start, which changes nothing, and the elements of x: a thread's elements by
// take, the results by op, and the blocks' results in the last block to end.
func reduceTo[T gpu.Word](x []T, start T, take, op func(x, y T) T, partial []T, ticket []uint32, result []T) {
	tid := gpu.ThreadIdx.X
	v := collective.BlockReduce(fold(x, start, take, op), op)
	if tid == 0 {
		partial[gpu.BlockIdx.X] = v
	}
	if !collective.LastBlock(&ticket[0]) {
		return
	}
	partial = partial[:gpu.GridDim.X]
	v = start
	for i := tid; i < len(partial); i += block {
		v = op(v, partial[i])
	}
	if v = collective.BlockReduce(v, op); tid == 0 {
		result[0] = v
	}
}

// search finds the best of the caller's elements of x, the first of several as good, and its index.
// NaN is better than every number.
func search[T gpu.Word](x []T, better func(v, best T) bool) (T, int) {
	tid := gpu.ThreadIdx.X
	best, at := x[0], 0
	i := gpu.BlockIdx.X * tile
	for ; i+tile <= len(x); i += gpu.GridDim.X * tile {
		t := (*[tile]T)(x[i : i+tile])
		var v [perThread]T
		for k := range perThread {
			v[k] = t[k*block+tid]
		}
		for k := range perThread {
			if better(v[k], best) {
				best, at = v[k], i+k*block+tid
			}
		}
	}
	for i += tid; i < len(x); i += block { // one block has a tile that is not full
		if better(x[i], best) {
			best, at = x[i], i
		}
	}
	return best, at
}

// choose finds the first, in the order before, of the blocks' elements that the caller looks at.
func choose[T gpu.Word](values []T, indices []int, before func(v T, i int, w T, j int) bool) (T, int) {
	values = values[:gpu.GridDim.X]
	indices = indices[:len(values)]
	best, at := values[0], indices[0]
	for i := gpu.ThreadIdx.X; i < len(values); i += block {
		if before(values[i], indices[i], best, at) {
			best, at = values[i], indices[i]
		}
	}
	return best, at
}
