// All threads of the block call BlockSum, also those without elements: there are barriers in it.
package main

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//gpu:kernel block=128
func Error(x, y, out []float32) {
	var sum float32
	for i := gpu.ThreadIdx.X; i < len(x); i += 128 {
		d := x[i] - y[i]
		sum += d * d
	}
	sum = collective.BlockSum(sum)
	if gpu.ThreadIdx.X == 0 {
		out[0] = sum / float32(len(x))
	}
}
