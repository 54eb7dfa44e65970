package main

//tour:test a few elements grid=1 block=32 s32[11]=ramp
//tour:test two elements grid=1 block=64 s32[2]=ones
//tour:test many elements grid=4 block=64 s32[1000]=random:4
//tour:par instructions=499
//tour:par divergent=2
//tour:hint A factor of 2 or -1 can be computed from i%2.

//gpu:kernel
func Want(x []int32) {
	for i := range x {
		if i%2 == 0 {
			x[i] = 2 * x[i]
		} else {
			x[i] = -x[i]
		}
	}
}
