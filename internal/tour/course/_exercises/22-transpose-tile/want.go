package main

//tour:test one tile grid=1x1 block=32x4 s32[1024]=ramp s32[1024] s64=32
//tour:test four tiles grid=2x2 block=32x4 s32[4096]=random:1 s32[4096] s64=64
//tour:limit sectors=1126
//tour:limit passes=281
//tour:hint Write the tile by rows and read it by columns, with a barrier between.
//tour:hint With rows of 32 words, all words of a column are in one bank. What if a row has one more?

//gpu:kernel
func Want(x, y []int32, n int) {
	for r := range n {
		for c := range n {
			y[c*n+r] = x[r*n+c]
		}
	}
}
