package main

//tour:test a ramp grid=1 block=32 s32[64]=ramp
//tour:test all the same grid=1 block=32 s32[64]=5
//tour:test random grid=1 block=32 s32[64]=random:3
//tour:test random again grid=1 block=32 s32[64]=random:11
//tour:par barriers=65
//tour:par instructions=1097
//tour:hint In odd rounds each thread takes the pair that begins one place later. Which thread has none?

//gpu:kernel
func Want(x []int32) {
	for i := range x {
		for k := i; k > 0 && x[k-1] > x[k]; k-- {
			x[k-1], x[k] = x[k], x[k-1]
		}
	}
}
