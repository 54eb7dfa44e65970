package level3

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/kernels/tile"
)

// The tilings of the kernels for tensor cores. In the large one, a warp has 64 rows and 32 columns,
// whose sums fill half of its threads' registers.
func largeTensor() tile.TensorTiling {
	return tile.TensorTiling{Threads: 256, Size: tile.Size{Rows: 128, Cols: 128}, WarpCols: 4, Down: 4, Across: 4}
}

func smallTensor() tile.TensorTiling {
	return tile.TensorTiling{Threads: 128, Size: tile.Size{Rows: 64, Cols: 64}, WarpCols: 2, Down: 2, Across: 4}
}

// largeTensor64 is any64 on tensor cores, with the same bits. smallTensor64 is the same with
// smaller tiles.
//
//gpu:kernel block=256 target=sm_90
//gpu:nobounds
func largeTensor64(a, b, c []float64, s Shape, alpha, beta float64, deepA, deepB bool) {
	productTensor(gpu.Shared[[2 * tile.TensorDepth * (128 + 128 + 2*tile.Pad)]float64]()[:], a, b, c, s, alpha, beta, largeTensor(), deepA, deepB)
}

//gpu:kernel block=128 minblocks=3 target=sm_90
//gpu:nobounds
func smallTensor64(a, b, c []float64, s Shape, alpha, beta float64, deepA, deepB bool) {
	productTensor(gpu.Shared[[2 * tile.TensorDepth * (64 + 64 + 2*tile.Pad)]float64]()[:], a, b, c, s, alpha, beta, smallTensor(), deepA, deepB)
}

// productTensor is the body of the kernels.
func productTensor(shared, a, b, c []float64, s Shape, alpha, beta float64, t tile.TensorTiling, deepA, deepB bool) {
	row, col, ok := corner(s, t.Size)
	if !ok {
		return
	}
	var sum tile.Fragments
	batch := gpu.BlockIdx.Y
	tile.AccumulateTensor(&sum, shared, tile.Operand[float64]{Data: a[batch*s.BatchA:], Size: s.M, Stride: s.RowA},
		tile.Operand[float64]{Data: b[batch*s.BatchB:], Size: s.N, Stride: s.RowB}, 0, s.K, row, col, t, deepA, deepB)
	r, q := t.Warp()
	writeTensor(&sum, c[batch*s.BatchC:], s, row+r, col+q, t, alpha, beta)
}

// writeTensor puts the warp's sums, which begin at a row and a column, into C.
func writeTensor(sum *tile.Fragments, c []float64, s Shape, row, col int, t tile.TensorTiling, alpha, beta float64) {
	for f := range t.Down {
		for i := range len(sum[0][0]) {
			down, across := sum[0][0].At(gpu.LaneID(), i)
			r := row + 16*f + down
			if r >= s.M {
				continue
			}
			from, to := s.columns(r)
			for j := range t.Across {
				q := col + 8*j + across
				if q < from || q >= to {
					continue
				}
				var old float64
				if beta != 0 {
					old = c[r*s.RowC+q]
				}
				c[r*s.RowC+q] = scaled(alpha, sum[f][j][i], beta, old)
			}
		}
	}
}
