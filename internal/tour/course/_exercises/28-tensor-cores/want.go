package main

import "github.com/gridstride/gridstride/gpu"

//tour:test one product is enough grid=1 block=32 bf16[256]=random:1 bf16[128]=random:2 f32[128] s64=16
//tour:test n is no multiple of 16 grid=1 block=32 bf16[624]=random:3 bf16[312]=random:4 f32[128] s64=39
//tour:test fewer than 16 numbers grid=1 block=32 bf16[16]=ramp bf16[8]=ramp f32[128] s64=1
//tour:test 80 numbers grid=1 block=32 bf16[1280]=random:5 bf16[640]=random:6 f32[128] s64=80
//tour:limit instructions=2000
//tour:hint var x gpu.A16x16[gpu.BFloat16] is the lane's part of 16 rows of a: row, col := x.At(lane, i).
//tour:hint The part of b is a gpu.B16x8: its rows are numbers of a line of b, and its columns are b's rows.
//tour:hint A number beyond n must be 0 in both factors: leave x[i] as it is.

//gpu:kernel
func Want(a, b []gpu.BFloat16, c []float32, n int) {
	for i := range c {
		c[i] = 0
		for k := range n {
			c[i] += a[i/8*n+k].Float32() * b[i%8*n+k].Float32()
		}
	}
}
