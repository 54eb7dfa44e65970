package tile

import "github.com/gridstride/gridstride/gpu"

// Scaled is alpha*sum + beta*old, where old is not read if beta is 0.
func Scaled[T gpu.Float](alpha, sum, beta, old T) T {
	if beta == 0 {
		return alpha * sum
	}
	return gpu.FMA(beta, old, alpha*sum)
}

// WrittenRows is the number of rows of a warp's sums that go through shared memory at a time. PadC
// elements follow each there: a warp writes to different banks at once.
const (
	WrittenRows = 8
	PadC        = 8
)

// Write calls put for each of the warp's sums inside C, of the tile that begins at row
// and col, with its row and column. The sums go through shared memory, in which each
// warp has WrittenRows rows with padding, so that consecutive lanes have adjacent
// elements.
func Write[S any](sum *WarpSums[S], shared []S, row, col, rows, cols int, t StagedTiling, put func(row, col int, sum S)) {
	r, q := t.Warp()
	row, col = row+r, col+q
	width, lane := 8*t.Across, gpu.LaneID()
	pitch := width + PadC
	shared = shared[gpu.WarpID()*WrittenRows*pitch:]
	for f := range t.Down {
		for half := range 2 {
			for j := range t.Across {
				for i := range 2 {
					down, across := sum[f][j].At(lane, i)
					shared[down*pitch+8*j+across] = sum[f][j][2*half+i]
				}
			}
			gpu.SyncWarp(gpu.FullMask)
			first := row + 16*f + 8*half
			for r := 0; r < WrittenRows && first+r < rows; r++ {
				for q := lane; q < width && col+q < cols; q += gpu.WarpSize {
					put(first+r, col+q, shared[r*pitch+q])
				}
			}
			gpu.SyncWarp(gpu.FullMask)
		}
	}
}
