package hostread

import "github.com/gridstride/gridstride/gpu"

// Hole copies a block's array, of which only n threads have written an element.
//
//gpu:kernel
func Hole(out []int32, n int) {
	cache := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	if t < n {
		cache[t] = int32(t)
	}
	gpu.SyncThreads()
	out[t] = cache[t]
}

// Forward copies.
//
//gpu:kernel
func Forward(out, in []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(out) {
		out[i] = in[i]
	}
}

// Triple computes.
//
//gpu:kernel
func Triple(out, in []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(out) {
		out[i] = 3 * in[i]
	}
}

// Count writes numbers, and fails at the k-th.
//
//gpu:kernel
func Count(out []int32, k int) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(out) {
		gpu.Assert(i != k, "this one")
		out[i] = int32(i)
	}
}

// Pair has bytes between its fields, and after them.
type Pair struct {
	A int8
	B int32
	C [2]int16
	D bool
	_ int32
}

// Pairs writes the fields.
//
//gpu:kernel
func Pairs(out []Pair) {
	i := gpu.ThreadIdx.X
	out[i] = Pair{A: 1, B: 2, C: [2]int16{3, 4}, D: true}
}

// Shares copies a block's array that its last thread writes while the others read.
//
//gpu:kernel
func Shares(out []int32) {
	cache := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	cache[63-t] = int32(t)
	out[t] = cache[t]
}
