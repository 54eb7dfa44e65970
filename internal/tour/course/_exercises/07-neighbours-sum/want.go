package main

//tour:test a few elements grid=1 block=32 s32[9]=ramp s32[9]
//tour:test one element grid=1 block=32 s32[1]=ones s32[1]
//tour:test many elements grid=3 block=64 s32[777]=random:2 s32[777]
//tour:par instructions=529
//tour:hint The first element has no neighbour on the left, and the last none on the right.

//gpu:kernel
func Want(x, y []int32) {
	for i := range x {
		sum := x[i]
		if i > 0 {
			sum += x[i-1]
		}
		if i+1 < len(x) {
			sum += x[i+1]
		}
		y[i] = sum
	}
}
