// A warp loads a row of the tile and stores a column of it as a row of y. A row of 33 words instead
// of 32 puts the words of a column into 32 different banks.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32x4
func Transpose(x, y []int32, n int) {
	tile := gpu.Shared[[32][33]int32]()
	tx := gpu.ThreadIdx.X
	left, top := gpu.BlockIdx.X*32, gpu.BlockIdx.Y*32
	for r := gpu.ThreadIdx.Y; r < 32; r += 4 {
		tile[r][tx] = x[(top+r)*n+left+tx]
	}
	gpu.SyncThreads()
	for r := gpu.ThreadIdx.Y; r < 32; r += 4 {
		y[(left+r)*n+top+tx] = tile[tx][r]
	}
}
