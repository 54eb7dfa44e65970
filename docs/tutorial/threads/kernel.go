package main

import "github.com/gridstride/gridstride/gpu"

//go:generate go tool gridstride build

// Square squares the elements of x, one in each thread. Launch with at least len(x) threads.
//
//gpu:kernel
func Square(x []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	if i < len(x) {
		x[i] *= x[i]
	}
}

// SquareUnguarded forgets that the last block may have more threads than there are elements left.
//
//gpu:kernel
func SquareUnguarded(x []int32) {
	i := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	x[i] *= x[i]
}

// Stride writes to owner[i] which thread of the grid has element i: the grid steps over the
// elements together. Launch with any grid and block.
//
//gpu:kernel
func Stride(owner []int32) {
	self := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	for i := range gpu.GridStride(len(owner)) {
		owner[i] = int32(self)
	}
}

// Chunk is Stride with a run of neighbours for each thread, as one would divide the work among
// goroutines.
//
//gpu:kernel
func Chunk(owner []int32) {
	self := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	threads := gpu.GridDim.X * gpu.BlockDim.X
	each := (len(owner) + threads - 1) / threads
	for i := self * each; i < min((self+1)*each, len(owner)); i++ {
		owner[i] = int32(self)
	}
}
