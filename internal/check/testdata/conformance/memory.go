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
