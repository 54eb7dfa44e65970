// A product on tensor cores
//
// c = a·bᵀ. The matrix a has 16 rows of n numbers, b has 8, and c is 16 by 8. One warp computes it. This
// program is right, but each lane multiplies number by number.
//
// gpu.MMA16x8x16 multiplies 16 by 16 numbers with 16 by 8 numbers for the whole warp at once, and adds the
// product to 16 by 8 sums. Each lane holds a part of each factor, a fragment: At(lane, i) says which row
// and column its number i is. Let the tensor cores multiply. The limit is on the instructions.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32 target=sm_80
func Product(a, b []gpu.BFloat16, c []float32, n int) {
	for i := gpu.ThreadIdx.X; i < len(c); i += 32 {
		row, col := i/8, i%8
		var sum float32
		for k := range n {
			sum += a[row*n+k].Float32() * b[col*n+k].Float32()
		}
		c[i] = sum
	}
}
