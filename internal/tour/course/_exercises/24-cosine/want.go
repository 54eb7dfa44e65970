package main

import "github.com/gridstride/gridstride/gpu"

//tour:test the same direction grid=1 block=128 f32[9]=ramp f32[9]=ramp f32[1]
//tour:test many elements grid=1 block=128 f32[1000]=random:1 f32[1000]=random:2 f32[1]
//tour:close 1e-4
//tour:limit sectors=276
//tour:hint Three variables, one loop, three sums of the block.

//gpu:kernel
func Want(x, y, out []float32) {
	var xy, xx, yy float32
	for i := range x {
		xy += x[i] * y[i]
		xx += x[i] * x[i]
		yy += y[i] * y[i]
	}
	out[0] = xy / gpu.Sqrt(xx*yy)
}
