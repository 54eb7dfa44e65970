package main

//tour:test a full block grid=1 block=100 s32[100]=ramp s32[1]
//tour:test three elements grid=1 block=100 s32[3]=ramp s32[1]
//tour:test random elements grid=1 block=100 s32[100]=random:7 s32[1]
//tour:par barriers=32
//tour:par instructions=228
//tour:hint Of 25 sums, 12 can be added to 12 others. One remains, and must not be lost.

//gpu:kernel
func Want(x, sum []int32) {
	sum[0] = 0
	for _, v := range x {
		sum[0] += v
	}
}
