// Package kernels is the kernels in the comments of package collective, for its examples.
package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// Sum is the kernel of collective's package comment: each block's sum of its share of a.
//
//gpu:kernel block=256
func Sum(a, sums []float32) {
	var sum float32
	for i := range gpu.GridStride(len(a)) {
		sum += a[i]
	}
	sum = collective.BlockSum(sum) // of all threads of the block
	if gpu.ThreadIdx.X == 0 {
		sums[gpu.BlockIdx.X] = sum
	}
}

// Positive is the kernel of BlockExclusiveSum's comment.
//
//gpu:kernel block=256
func Positive(in, out []int32, count []int32) {
	var keep, v int32
	if i := gpu.ThreadIdx.X; i < len(in) {
		v = in[i]
	}
	if v > 0 {
		keep = 1
	}
	before, total := collective.BlockExclusiveSum(keep)
	if keep == 1 {
		out[before] = v
	}
	if gpu.ThreadIdx.X == 0 {
		count[0] = total
	}
}
