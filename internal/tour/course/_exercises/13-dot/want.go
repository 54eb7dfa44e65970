package main

//tour:test a full block grid=1 block=64 s32[64]=ramp s32[64]=ones s32[1]
//tour:test fewer than threads grid=1 block=64 s32[7]=ramp s32[7]=ramp s32[1]
//tour:test many grid=1 block=64 s32[1000]=random:1 s32[1000]=random:2 s32[1]
//tour:par instructions=293
//tour:hint Start with var sum int32 and a loop: for i := tid; i < len(x); i += 64.
//tour:hint Each thread must store its sum, also one that has no element.

//gpu:kernel
func Want(x, y, out []int32) {
	out[0] = 0
	for i := range x {
		out[0] += x[i] * y[i]
	}
}
