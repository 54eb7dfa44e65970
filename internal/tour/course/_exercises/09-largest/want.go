package main

//tour:test a few elements grid=1 block=32 s32[20]=ramp s32[1]=-2147483648
//tour:test all the same grid=2 block=32 s32[40]=-7 s32[1]=-2147483648
//tour:test many elements grid=4 block=64 s32[3000]=random:9 s32[1]=-2147483648
//tour:par atomics=8
//tour:par instructions=606
//tour:hint gpu.AtomicMax(&out[0], v) is the atomic operation.
//tour:hint Find the largest of a thread's share first, and join the shares with one atomic operation each.

//gpu:kernel
func Want(x, out []int32) {
	for _, v := range x {
		out[0] = max(out[0], v)
	}
}
