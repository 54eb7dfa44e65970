package main

//tour:test a ramp grid=1 block=32 s32[32]=ramp s32[1]
//tour:test random grid=1 block=32 s32[32]=random:8 s32[1]
//tour:par instructions=75
//tour:hint Keep the sum in a variable, and read, synchronize, write, synchronize.

//gpu:kernel
func Want(x, sum []int32) {
	sum[0] = 0
	for _, v := range x {
		sum[0] += v
	}
}
