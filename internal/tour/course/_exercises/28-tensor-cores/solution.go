// A round multiplies 16 numbers of each row. A lane fetches its 8 numbers of a and its 4 of b, one
// instruction multiplies, and the sums stay in registers until the end. Chapter 9 goes on from here: the
// fetching is what takes the time now.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32 target=sm_80
func Product(a, b []gpu.BFloat16, c []float32, n int) {
	lane := gpu.LaneID()
	var sum gpu.C16x8[float32]
	for k := 0; k < n; k += 16 {
		var x gpu.A16x16[gpu.BFloat16]
		for i := range x {
			row, col := x.At(lane, i)
			if k+col < n {
				x[i] = a[row*n+k+col]
			}
		}
		var y gpu.B16x8[gpu.BFloat16]
		for i := range y {
			row, col := y.At(lane, i)
			if k+row < n {
				y[i] = b[col*n+k+row]
			}
		}
		sum = gpu.MMA16x8x16(x, y, sum)
	}
	for i := range sum {
		row, col := sum.At(lane, i)
		c[row*8+col] = sum[i]
	}
}
