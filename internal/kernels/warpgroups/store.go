package warpgroups

import "github.com/gridstride/gridstride/gpu"

// A warp has 16 rows of the sums. It writes them to C by way of shared memory, so many columns at a
// time: there a lane has two that lie side by side, here it takes four.
const (
	warpRows = 16
	partCols = 64
	perLane  = 4
)

// stagedAt is where an element of a warp's part lies in shared memory. Four rows of eight elements are
// exchanged, so that those that a warp writes at once lie in different banks.
func stagedAt(row, col int) int { return row*partCols + col ^ row&3*8 }

// store writes a warpgroup's sums, which begin at a row and a column of a product, to C: alpha*sum +
// beta*C. Rows of cv are those of c where they begin at multiples of 16 bytes; otherwise it is
// empty.
func store(sum *gpu.C64x256[float32], c []float32, cv []gpu.Float32x4, s *Shape, batch, row, col int, alpha, beta float32) {
	staged := gpu.Shared[[consumers / gpu.WarpSize][warpRows * partCols / 2]gpu.Float32x2]()[gpu.WarpID()][:]
	lane := gpu.LaneID()
	row += gpu.WarpID() % 4 * warpRows
	at := batch*s.BatchC + (row+firstRow())*s.RowC + col + firstCol()
	const each = partCols / 2 // of sum
	for p := range len(sum) / each {
		gpu.SyncWarp(gpu.FullMask) // all have read the last part
		for i := 0; i < each; i += 2 {
			r, q := sum.At(lane, i)
			staged[stagedAt(r, q)/2] = gpu.Float32x2{X: sum[p*each+i], Y: sum[p*each+i+1]}
		}
		gpu.SyncWarp(gpu.FullMask)
		rows, cols := s.M-row, s.N-(col+p*partCols)
		if beta == 0 && len(cv) > 0 && rows >= warpRows && cols >= partCols {
			to := cv[(at+p*partCols)/perLane:]
			for i := range warpRows / rowsAtOnce {
				x := staged[from(firstRow()+i*rowsAtOnce):]
				to[i*rowsAtOnce*s.RowC/perLane] = gpu.Float32x4{X: alpha * x[0].X, Y: alpha * x[0].Y, Z: alpha * x[1].X, W: alpha * x[1].Y}
			}
			continue
		}
		for r := firstRow(); r < min(warpRows, rows); r += rowsAtOnce {
			putFour(staged[from(r):], c, at+p*partCols+(r-firstRow())*s.RowC, cols-firstCol(), alpha, beta)
		}
	}
}

// rowsAtOnce are the rows of a part that a warp reads at once. firstRow and firstCol are where the
// lane's elements begin, and from is where they lie in a row.
const rowsAtOnce = gpu.WarpSize * perLane / partCols

func firstRow() int    { return gpu.LaneID() / (partCols / perLane) }
func firstCol() int    { return gpu.LaneID() % (partCols / perLane) * perLane }
func from(row int) int { return stagedAt(row, firstCol()) / 2 }

// putFour writes the lane's elements of a row to C from an index on, up to so many.
func putFour(x []gpu.Float32x2, c []float32, at, count int, alpha, beta float32) {
	for i := range perLane {
		if i >= count {
			break
		}
		var old float32
		if beta != 0 {
			old = c[at+i]
		}
		c[at+i] = scaled(alpha, x[i/2].Lane(i%2), beta, old)
	}
}

// scaled is alpha*sum + beta*old.
func scaled(alpha, sum, beta, old float32) float32 {
	if beta == 0 {
		return alpha * sum
	}
	return gpu.FMA(beta, old, alpha*sum)
}
