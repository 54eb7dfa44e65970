package main

//tour:test a full block grid=1 block=64 s32[64]=ramp s32[64]
//tour:test a few grid=1 block=64 s32[11]=ramp s32[11]
//tour:test random grid=1 block=64 s32[61]=random:3 s32[61]
//tour:par barriers=26
//tour:par instructions=126
//tour:hint Keep the sum of a thread in a variable. Read, barrier, write, barrier.

//gpu:kernel
func Want(x, y []int32) {
	var sum int32
	for i := range x {
		sum += x[i]
		y[i] = sum
	}
}
