package p

import "github.com/gridstride/gridstride/gpu"

const tile = 16

// Tiled keeps its bounds checks. The two loads of a step are under way together: the store of the first does not hold up the second, though a
// check stands between them.
//
//gpu:kernel block=16x16
func Tiled(a, b, c []float32, n int) {
	as := gpu.Shared[[tile][tile]float32]()
	bs := gpu.Shared[[tile][tile]float32]()
	tx, ty := gpu.ThreadIdx.X, gpu.ThreadIdx.Y
	row, col := gpu.BlockIdx.Y*tile+ty, gpu.BlockIdx.X*tile+tx
	var sum float32
	for k := 0; k < n; k += tile {
		as[ty][tx] = a[row*n+k+tx]
		bs[ty][tx] = b[(k+ty)*n+col]
		gpu.SyncThreads()
		for i := range tile {
			sum = gpu.FMA(as[ty][i], bs[i][tx], sum)
		}
		gpu.SyncThreads()
	}
	c[row*n+col] = sum
}
