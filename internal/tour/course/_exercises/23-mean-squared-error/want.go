package main

//tour:test a few elements grid=1 block=128 f32[5]=ramp f32[5]=ones f32[1]
//tour:test many elements grid=1 block=128 f32[1000]=random:1 f32[1000]=random:2 f32[1]
//tour:close 1e-4
//tour:par instructions=510
//tour:hint The import is "github.com/gridstride/gridstride/gpu/collective".

//gpu:kernel
func Want(x, y, out []float32) {
	var sum float32
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	out[0] = sum / float32(len(x))
}
