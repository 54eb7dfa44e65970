package main

import "github.com/gridstride/gridstride/gpu"

//tour:test two short rows grid=2 block=64 f32[6]=ramp f32[6] s64=3
//tour:test large numbers grid=2 block=64 f32[400]=ramp f32[400] s64=200
//tour:test random grid=4 block=64 f32[400]=random:4 f32[400] s64=100
//tour:close 1e-4
//tour:par instructions=1992
//tour:hint What does a thread begin with that has no element? The row's first element does no harm.

//gpu:kernel
func Want(x, y []float32, columns int) {
	for r := 0; r < len(x); r += columns {
		largest, sum := x[r], float32(0)
		for i := range columns {
			largest = max(largest, x[r+i])
		}
		for i := range columns {
			sum += gpu.Exp(x[r+i] - largest)
		}
		for i := range columns {
			y[r+i] = gpu.Exp(x[r+i]-largest) / sum
		}
	}
}
