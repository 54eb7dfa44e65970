package main

//tour:test all values the same grid=1 block=64 s32[64]=ones s32[8]=zeros
//tour:test a ramp grid=2 block=32 s32[100]=ramp s32[8]=zeros
//tour:test many blocks grid=4 block=64 s32[999]=ramp s32[8]=zeros
//tour:par instructions=631
//tour:hint gpu.AtomicAdd(&counts[k], 1) adds to an element in one step.

//gpu:kernel
func Want(x, counts []int32) {
	for i := range x {
		counts[x[i]%8]++
	}
}
