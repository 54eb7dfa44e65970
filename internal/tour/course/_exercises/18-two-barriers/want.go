package main

//tour:test one pair grid=1 block=33 s32[2]=ramp s32[2]=zeros
//tour:test five pairs grid=1 block=33 s32[10]=ramp s32[10]=zeros
//tour:par barriers=20
//tour:hint What does the faster thread do when it goes round the loop?

//gpu:kernel
func Want(x, y []int32) {
	for i := 0; i+1 < len(x); i += 2 {
		y[i] = x[i] * x[i+1]
		y[i+1] = y[i]
	}
}
