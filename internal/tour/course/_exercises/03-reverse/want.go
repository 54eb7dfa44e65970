package main

//tour:test a few elements grid=1 block=32 s32[10]=ramp s32[10]=zeros
//tour:test one element grid=1 block=32 s32[1]=ramp s32[1]
//tour:test many elements grid=5 block=64 s32[1003]=random:3 s32[1003]
//tour:par sectors=286
//tour:hint Where does element 0 go, if there are 10 elements?

//gpu:kernel
func Want(x, y []int32) {
	for i := range x {
		y[len(x)-1-i] = x[i]
	}
}
