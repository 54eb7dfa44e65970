package main

//tour:test a ramp grid=1 block=32 s32[32]=ramp s32[1]
//tour:test random grid=1 block=32 s32[32]=random:8 s32[1]
//tour:limit passes=0
//tour:limit barriers=0
//tour:hint With d = 16, 8, 4, 2, 1 the sum doubles what it covers in each round.

//gpu:kernel
func Want(x, sum []int32) {
	sum[0] = 0
	for _, v := range x {
		sum[0] += v
	}
}
