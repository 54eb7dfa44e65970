package main

//tour:test four full blocks grid=4 block=32 s32[128]=ramp
//tour:test the last block has threads without an element grid=7 block=4 s32[27]=ramp
//tour:test one element grid=1 block=64 s32[1]=ramp
//tour:test many blocks grid=10 block=128 s32[1201]=random:1
//tour:par instructions=600
//tour:hint Two blocks have a thread 0 each. What tells them apart?
//tour:hint A thread whose number is len(x) or more must leave x alone: if i < len(x) { … }

//gpu:kernel
func Want(x []int32) {
	for i := range x {
		x[i]++
	}
}
