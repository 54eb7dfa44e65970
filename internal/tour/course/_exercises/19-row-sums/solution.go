// The lanes load 32 neighbours of the row at a time, and shuffles join the sums.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32
func RowSums(x, sums []int32, columns int) {
	row := x[gpu.BlockIdx.X*columns:][:columns]
	var sum int32
	for i := gpu.ThreadIdx.X; i < columns; i += 32 {
		sum += row[i]
	}
	for d := 16; d > 0; d /= 2 {
		sum += gpu.ShflDownSync(gpu.FullMask, sum, d)
	}
	if gpu.ThreadIdx.X == 0 {
		sums[gpu.BlockIdx.X] = sum
	}
}
