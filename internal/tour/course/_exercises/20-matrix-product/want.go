package main

//tour:test square grid=2x2 block=4x4 s32[64]=ramp s32[64]=ramp s32[64] s64=8 s64=8 s64=8
//tour:test odd sizes grid=2x2 block=4x4 s32[35]=ramp s32[42]=random:2 s32[30] s64=5 s64=7 s64=6
//tour:test nothing to add grid=1x1 block=4x4 s32[0] s32[0] s32[6] s64=2 s64=0 s64=3
//tour:test larger grid=3x3 block=8x8 s32[380]=random:1 s32[437]=random:2 s32[460] s64=20 s64=19 s64=23
//tour:par instructions=2712
//tour:par sectors=1764
//tour:hint Element (i, k) of a is a[i*n+k], and element (k, j) of b is b[k*l+j].

//gpu:kernel
func Want(a, b, c []int32, m, n, l int) {
	for i := range m {
		for j := range l {
			c[i*l+j] = 0
			for k := range n {
				c[i*l+j] += a[i*n+k] * b[k*l+j]
			}
		}
	}
}
