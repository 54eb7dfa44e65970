package main

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// Cosines writes to cosines the cosine of the query with each row of a matrix: one block for each row,
// which len(cosines) counts. A row of zeros has none, and gets NaN.
//
//gpu:kernel block=32
func Cosines(matrix, query, cosines []float32) {
	row := gpu.BlockIdx.X
	var xy, xx, yy float32
	for i := gpu.ThreadIdx.X; i < len(query); i += gpu.BlockDim.X {
		x, y := matrix[row*len(query)+i], query[i]
		xy += x * y
		xx += x * x
		yy += y * y
	}
	xy, xx, yy = collective.BlockSum(xy), collective.BlockSum(xx), collective.BlockSum(yy)
	if gpu.ThreadIdx.X == 0 {
		cosines[row] = xy / gpu.Sqrt(xx*yy)
	}
}
