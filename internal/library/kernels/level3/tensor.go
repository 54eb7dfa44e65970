package level3

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

// The tilings of the kernels for tensor cores. In the large one, a warp has 64 rows and 32 columns,
// whose sums fill half of its threads' registers.
func largeTensor() tile.TensorTiling {
	return tile.TensorTiling{Threads: 256, Size: tile.Size{Rows: 128, Cols: 128}, WarpCols: 4, Down: 4, Across: 4, Stages: 4, Depth: 16}
}

func smallTensor() tile.TensorTiling {
	return tile.TensorTiling{Threads: 256, Size: tile.Size{Rows: 64, Cols: 64}, WarpCols: 4, Down: 2, Across: 2, Stages: 5, Depth: 16}
}

func slimTensor() tile.TensorTiling {
	return tile.TensorTiling{Threads: 256, Size: tile.Size{Rows: 64, Cols: 32}, WarpCols: 2, Down: 1, Across: 2, Stages: 4, Depth: 32}
}

func tinyTensor() tile.TensorTiling {
	return tile.TensorTiling{Threads: 128, Size: tile.Size{Rows: 32, Cols: 16}, WarpCols: 2, Down: 1, Across: 1, Stages: 4, Depth: 32}
}

// The elements of their stages, at most.
const (
	largeStages = 4 * (128 + 128) * (16 + tile.Pad)
	smallStages = 5 * (64 + 64) * (16 + tile.Pad)
	slimStages  = 4 * (64 + 32) * (32 + tile.Pad)
	tinyStages  = 4 * (32*(32+tile.Pad) + 32*(16+tile.Pad))
)

// largeTensor64 is any64 on tensor cores, with the same bits, for matrices that are read 16 bytes at
// a time. smallTensor64, slimTensor64 and tinyTensor64 are the same with smaller tiles, and
// anyTensor64 is for matrices that begin anywhere.
//
//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=256 target=sm_90
//gpu:nobounds
func largeTensor64[A, B layout.Layout](a, b, c []float64, s Shape, alpha, beta float64) {
	productTensor(gpu.Shared[[largeStages]float64]()[:], a, b, c, s, alpha, beta, largeTensor(), 2, layout.IsDeep[A](), layout.IsDeep[B]())
}

//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=256 minblocks=2 target=sm_90
//gpu:nobounds
func smallTensor64[A, B layout.Layout](a, b, c []float64, s Shape, alpha, beta float64) {
	productTensor(gpu.Shared[[smallStages]float64]()[:], a, b, c, s, alpha, beta, smallTensor(), 2, layout.IsDeep[A](), layout.IsDeep[B]())
}

//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=256 minblocks=2 target=sm_90
//gpu:nobounds
func slimTensor64[A, B layout.Layout](a, b, c []float64, s Shape, alpha, beta float64) {
	productTensor(gpu.Shared[[slimStages]float64]()[:], a, b, c, s, alpha, beta, slimTensor(), 2, layout.IsDeep[A](), layout.IsDeep[B]())
}

//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=128 minblocks=3 target=sm_90
//gpu:nobounds
func tinyTensor64[A, B layout.Layout](a, b, c []float64, s Shape, alpha, beta float64) {
	productTensor(gpu.Shared[[tinyStages]float64]()[:], a, b, c, s, alpha, beta, tinyTensor(), 2, layout.IsDeep[A](), layout.IsDeep[B]())
}

//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=256 minblocks=2 target=sm_90
//gpu:nobounds
func anyTensor64[A, B layout.Layout](a, b, c []float64, s Shape, alpha, beta float64) {
	productTensor(gpu.Shared[[smallStages]float64]()[:], a, b, c, s, alpha, beta, smallTensor(), 1, layout.IsDeep[A](), layout.IsDeep[B]())
}

// productTensor is the body of the kernels.
func productTensor(shared, a, b, c []float64, s Shape, alpha, beta float64, t tile.TensorTiling, lanes int,
	deepA, deepB bool,
) {
	row, col, ok := corner(s, t.Size)
	if !ok {
		return
	}
	var sum tile.Fragments
	batch := gpu.BlockIdx.Y
	first, end := s.span()
	tile.AccumulateTensor(&sum, shared, tile.Operand[float64]{Data: a[batch*s.BatchA:], Size: s.M, Stride: s.RowA},
		tile.Operand[float64]{Data: b[batch*s.BatchB:], Size: s.N, Stride: s.RowB}, first, end, row, col, t, lanes, deepA, deepB)
	r, q := t.Warp()
	writeTensor(&sum, c[s.beginC():], s, row+r, col+q, t, alpha, beta)
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
				c[r*s.RowC+q] = tile.Scaled(alpha, sum[f][j][i], beta, old)
			}
		}
	}
}
