package main

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// sums is how many sums a block leaves.
const sums = 4

// Sums goes through x and y once. Block b writes its share of x·y, x·x, y·y and (x-y)·(x-y) to
// out[4b] to out[4b+3]. It needs len(y) >= len(x), and len(out) >= 4 times the number of blocks.
//
//gpu:kernel block=256
func Sums(x, y, out []float32) {
	var xy, xx, yy, dd float32
	for i := range gpu.GridStride(len(x)) {
		a, b := x[i], y[i]
		xy += a * b
		xx += a * a
		yy += b * b
		dd += (a - b) * (a - b)
	}
	xy, xx = collective.BlockSum(xy), collective.BlockSum(xx)
	yy, dd = collective.BlockSum(yy), collective.BlockSum(dd)
	if gpu.ThreadIdx.X == 0 {
		share := out[sums*gpu.BlockIdx.X:]
		share[0], share[1], share[2], share[3] = xy, xx, yy, dd
	}
}
