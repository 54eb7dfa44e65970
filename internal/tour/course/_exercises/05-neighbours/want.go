package main

//tour:test a few elements grid=1 block=32 s32[45]=ramp s32[45]
//tour:test many elements grid=2 block=64 s32[4096]=random:5 s32[4096]
//tour:limit sectors=1126
//tour:hint gpu.GridStride shares the elements out in the right order.

//gpu:kernel
func Want(x, y []int32) {
	for i := range x {
		y[i] = x[i]
	}
}
