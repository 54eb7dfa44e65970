package halves

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/kernels/warpgroups"
)

// A warp has 16 rows of the sums. It writes them to C by way of shared memory, so many columns at a
// time: a lane has two elements side by side in its sums, and takes four to write them.
const (
	warpRows  = 16
	stageCols = 64
	perLane   = 4
	laneCols  = stageCols / perLane     // lanes side by side that write a row
	laneRows  = gpu.WarpSize / laneCols // rows that a warp writes at once
)

// staged is where an element of a warp's stage lies in shared memory, counted in pairs. Four rows of
// eight elements are exchanged, so that those that a warp writes at once lie in different banks.
func staged(row, col int) int { return (row*stageCols + col ^ row&3*8) / 2 }

// store writes a warpgroup's sums, which begin at a row and a column of a product, to C: alpha*sum +
// beta*C. Of cv, elements are four of c, which begin at multiples of 16 bytes as rows do; where they
// do not cv is empty.
func store(sum *gpu.C64x256[float32], c []float32, cv []gpu.Float32x4, s *warpgroups.Shape, batch, row, col int, alpha, beta float32) {
	stage := gpu.Shared[[warpgroups.Consumers / gpu.WarpSize][warpRows * stageCols / 2]gpu.Float32x2]()[gpu.WarpID()][:]
	lane := gpu.LaneID()
	laneRow, laneCol := lane/laneCols, lane%laneCols*perLane
	row += gpu.WarpID() % 4 * warpRows
	at := batch*s.BatchC + (row+laneRow)*s.RowC + col + laneCol
	const each = stageCols / 2 // elements of sum
	for part := range len(sum) / each {
		gpu.SyncWarp(gpu.FullMask) // all have read the last stage
		for i := 0; i < each; i += 2 {
			r, q := sum.At(lane, i)
			stage[staged(r, q)] = gpu.Float32x2{X: sum[part*each+i], Y: sum[part*each+i+1]}
		}
		gpu.SyncWarp(gpu.FullMask)
		rows, cols, at := s.M-row, s.N-col-part*stageCols, at+part*stageCols
		if beta == 0 && len(cv) > 0 && rows >= warpRows && cols >= stageCols {
			to := cv[at/perLane:]
			for i := range warpRows / laneRows {
				x := stage[staged(laneRow+i*laneRows, laneCol):]
				to[i*laneRows*s.RowC/perLane] = gpu.Float32x4{X: alpha * x[0].X, Y: alpha * x[0].Y, Z: alpha * x[1].X, W: alpha * x[1].Y}
			}
			continue
		}
		for r := laneRow; r < min(warpRows, rows); r += laneRows {
			put(stage[staged(r, laneCol):], c[at+(r-laneRow)*s.RowC:], cols-laneCol, alpha, beta)
		}
	}
}

// put writes a lane's elements of a row to C, up to so many.
func put(x []gpu.Float32x2, c []float32, count int, alpha, beta float32) {
	for i := range perLane {
		if i >= count {
			break
		}
		var old float32
		if beta != 0 {
			old = c[i]
		}
		c[i] = scaled(alpha, x[i/2].Lane(i%2), beta, old)
	}
}

// scaled is alpha*sum + beta*old.
func scaled(alpha, sum, beta, old float32) float32 {
	if beta == 0 {
		return alpha * sum
	}
	return gpu.FMA(beta, old, alpha*sum)
}
