package main

//tour:test one for each thread grid=1 block=64 s32[64]=ramp s32[1]
//tour:test fewer than threads grid=1 block=64 s32[5]=ramp s32[1]
//tour:test nothing grid=1 block=64 s32[0] s32[1]
//tour:test many grid=1 block=64 s32[1001]=random:6 s32[1]
//tour:par instructions=231
//tour:par barriers=14
//tour:hint Which line writes what line cache[tid] += cache[tid+s] reads?

//gpu:kernel
func Want(x, sum []int32) {
	sum[0] = 0
	for _, v := range x {
		sum[0] += v
	}
}
