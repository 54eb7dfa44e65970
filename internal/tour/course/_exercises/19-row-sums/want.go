package main

//tour:test short rows grid=3 block=32 s32[21]=ramp s32[3] s64=7
//tour:test one row grid=1 block=32 s32[100]=ramp s32[1] s64=100
//tour:test long rows grid=8 block=32 s32[2048]=random:3 s32[8] s64=256
//tour:limit sectors=290
//tour:hint Lane t takes columns t, t+32, t+64, …

//gpu:kernel
func Want(x, sums []int32, columns int) {
	for r := range sums {
		sums[r] = 0
		for _, v := range x[r*columns : (r+1)*columns] {
			sums[r] += v
		}
	}
}
