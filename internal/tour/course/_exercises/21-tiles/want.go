package main

//tour:test one block grid=1x1 block=8x8 s32[64]=ramp s32[64]=ramp s32[64] s64=8
//tour:test four blocks grid=2x2 block=8x8 s32[256]=random:1 s32[256]=random:2 s32[256] s64=16
//tour:test larger grid=4x4 block=8x8 s32[1024]=random:1 s32[1024]=random:2 s32[1024] s64=32
//tour:limit sectors=1267
//tour:hint gpu.Shared[[8][8]int32]() is a tile. Thread (x, y) loads element (y, x) of both.
//tour:hint Two barriers a round: after loading, and before the next loading.

//gpu:kernel
func Want(a, b, c []int32, n int) {
	for i := range n {
		for j := range n {
			c[i*n+j] = 0
			for k := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
}
