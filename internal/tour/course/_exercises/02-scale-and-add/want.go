package main

//tour:test a thread for each element grid=4 block=32 s32=3 s32[128]=ramp s32[128]=ones
//tour:test two threads for eleven elements grid=1 block=2 s32=-2 s32[11]=ramp s32[11]=ramp
//tour:test no elements grid=2 block=32 s32=5 s32[0] s32[0]
//tour:test many elements grid=3 block=96 s32=7 s32[1501]=random:1 s32[1501]=random:2
//tour:par instructions=612
//tour:hint The loop is for i := range gpu.GridStride(len(x)) { … }.
//tour:hint Then no test of i is needed: the loop ends by itself.

//gpu:kernel
func Want(a int32, x, y []int32) {
	for i := range x {
		y[i] += a * x[i]
	}
}
