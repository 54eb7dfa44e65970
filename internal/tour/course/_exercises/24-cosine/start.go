// Cosine in one pass
//
// Write the cosine of x and y to out[0]: x·y / √(x·x · y·y). One block of 128 threads does it, and
// each element is loaded once. An answer may differ by rounding.
package main

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//gpu:kernel block=128
func Cosine(x, y, out []float32) {
	var xy float32
	for i := gpu.ThreadIdx.X; i < len(x); i += 128 {
		xy += x[i] * y[i]
	}
	xy = collective.BlockSum(xy)
	if gpu.ThreadIdx.X == 0 {
		out[0] = xy
	}
}
