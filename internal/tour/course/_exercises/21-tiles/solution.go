// Each thread loads one element of each tile. After a barrier all 64 threads use both tiles, and
// after another one they may be overwritten.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=8x8
func Product(a, b, c []int32, n int) {
	tileA, tileB := gpu.Shared[[8][8]int32](), gpu.Shared[[8][8]int32]()
	x, y := gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	row, col := gpu.BlockIdx.Y*8+y, gpu.BlockIdx.X*8+x
	var sum int32
	for k := 0; k < n; k += 8 {
		tileA[y][x] = a[row*n+k+x]
		tileB[y][x] = b[(k+y)*n+col]
		gpu.SyncThreads()
		for i := range 8 {
			sum += tileA[y][i] * tileB[i][x]
		}
		gpu.SyncThreads()
	}
	c[row*n+col] = sum
}
