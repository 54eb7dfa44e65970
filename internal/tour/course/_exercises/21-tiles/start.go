// A matrix product in tiles
//
// This product is right, but each element of a and b is loaded from memory again and again. The
// sides of the matrices are n, a multiple of 8, and a block has 8 by 8 threads.
//
// Let the block load a tile of a and one of b into shared memory, and use each element of them
// eight times. The limit is on the sectors.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=8x8
func Product(a, b, c []int32, n int) {
	x, y := gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	row, col := gpu.BlockIdx.Y*8+y, gpu.BlockIdx.X*8+x
	var sum int32
	for k := range n {
		sum += a[row*n+k] * b[k*n+col]
	}
	c[row*n+col] = sum
}
