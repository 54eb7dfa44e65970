package conformance

import "github.com/gridstride/gridstride/gpu"

// Bounds writes an element a thread, without Go's check.
//
//gpu:kernel
//gpu:nobounds
func Bounds(l []int32) {
	i := gpu.ThreadIdx.X + gpu.BlockIdx.X*gpu.BlockDim.X
	l[i] = int32(i)
}

// BelowZero counts downwards from 0.
//
//gpu:kernel
//gpu:nobounds
func BelowZero(l []int32) {
	i := gpu.ThreadIdx.X + gpu.BlockIdx.X*gpu.BlockDim.X
	l[0-i] = int32(i)
}

// Checked is Bounds with Go's check.
//
//gpu:kernel
func Checked(l []int32) {
	i := gpu.ThreadIdx.X + gpu.BlockIdx.X*gpu.BlockDim.X
	l[i] = int32(i)
}

// OneShort reads words.
//
//gpu:kernel
func OneShort(in, out []int32) {
	t := gpu.ThreadIdx.X
	out[t] = in[t] + 1
}

// Copies moves what it reads, and computes nothing.
//
//gpu:kernel
func Copies(in, out []int32) {
	t := gpu.ThreadIdx.X
	out[t] = in[t]
}

// Hole sums a block's array that threads without data have not written.
//
//gpu:kernel
func Hole(in, out []int32, n int) {
	cache := gpu.Shared[[64]int32]()
	t := gpu.ThreadIdx.X
	if t < n {
		cache[t] = in[t]
	}
	gpu.SyncThreads()
	for s := 32; s > 0; s /= 2 {
		if t < s {
			cache[t] += cache[t+s]
		}
		gpu.SyncThreads()
	}
	if t == 0 {
		out[0] = cache[0]
	}
}

// WarpHole sums registers through shuffles, of which some hold what was read from such an array.
//
//gpu:kernel
func WarpHole(in, out []int32, n int) {
	cache := gpu.Shared[[32]int32]()
	t := gpu.ThreadIdx.X
	if t < n {
		cache[t] = in[t]
	}
	gpu.SyncWarp(0xffffffff)
	v := cache[t]
	for d := 16; d > 0; d /= 2 {
		v += gpu.ShflDownSync(0xffffffff, v, d)
	}
	if t == 0 {
		out[0] = v
	}
}
