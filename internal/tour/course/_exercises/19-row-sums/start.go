// Sums of rows
//
// x is a matrix of len(sums) rows and the given number of columns. Block r writes the sum of row r
// to sums[r]. A block has 32 threads.
//
// Here every thread adds up the whole row. Share the row out among the lanes, and join their sums.
// The limit is on the sectors.
package main

import "github.com/gridstride/gridstride/gpu"

//gpu:kernel block=32
func RowSums(x, sums []int32, columns int) {
	row := x[gpu.BlockIdx.X*columns:][:columns]
	var sum int32
	for i := range row {
		sum += row[(i+gpu.ThreadIdx.X*columns/32)%columns]
	}
	if gpu.ThreadIdx.X == 0 {
		sums[gpu.BlockIdx.X] = sum
	}
}
