package level3

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

// partRows is how many rows of C a block of addParts has, one for each warp. It has as many columns
// as a warp has lanes.
const partRows = 4

// addParts makes C = alpha*sum + beta*C of sums whose k was cut into parts: it adds an element's
// parts in order. s gives the layout of parts as of C, each M by N, PartC apart.
//
// Launch with a block for each partRows by gpu.WarpSize elements, and in the second dimension one
// for each product.
//
//gpu:kernel block=32x4
//gpu:nobounds
func addParts(sums []float64, c []float64, s Shape, rowC, batchC, parts int, alpha, beta float64) {
	row, col := tile.Size{Rows: partRows, Cols: gpu.WarpSize}.Corner(s.M, s.N)
	row, col = row+gpu.ThreadIdx.Y, col+gpu.ThreadIdx.X
	if row >= s.M {
		return
	}
	if from, to := s.columns(row); col < from || col >= to {
		return
	}
	sums = sums[gpu.BlockIdx.Y*s.BatchC+row*s.RowC+col:]
	sum := sums[0]
	part := 1
	for ; part+partsAtOnce <= parts; part += partsAtOnce {
		var next [partsAtOnce]float64
		for i := range next {
			next[i] = sums[(part+i)*s.PartC]
		}
		for i := range next {
			sum += next[i]
		}
	}
	for ; part < parts; part++ {
		sum += sums[part*s.PartC]
	}
	at := gpu.BlockIdx.Y*batchC + row*rowC + col
	var old float64
	if beta != 0 {
		old = c[at]
	}
	c[at] = tile.Scaled(alpha, sum, beta, old)
}

// partsAtOnce is how many parts are on their way from memory while those before are added.
const partsAtOnce = 8
