// Three sums cost what one does, as long as memory is the limit: a load of two elements serves six
// operations.
package main

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//gpu:kernel block=128
func Cosine(x, y, out []float32) {
	var xy, xx, yy float32
	for i := gpu.ThreadIdx.X; i < len(x); i += 128 {
		a, b := x[i], y[i]
		xy += a * b
		xx += a * a
		yy += b * b
	}
	xy, xx, yy = collective.BlockSum(xy), collective.BlockSum(xx), collective.BlockSum(yy)
	if gpu.ThreadIdx.X == 0 {
		out[0] = xy / gpu.Sqrt(xx*yy)
	}
}
