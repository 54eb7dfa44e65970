package formats

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/level3"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

// loadWidened makes float32 of numbers of 16 bits, and multiplies these.
func loadWidened[T gpu.Float16 | gpu.BFloat16](dev *gridstride.Device) (launcher[T, float32], error) {
	plan, err1 := level3.NewPlan[float32](dev)
	widen, err2 := loadWiden[T](dev)
	return throughFloat32(plan, packer[T, float32](widen.Launch)), errors.Join(err1, err2)
}

// loadRounded rounds float32 to TF32, and multiplies these.
func loadRounded(dev *gridstride.Device) (launcher[float32, float32], error) {
	plan, err1 := level3.NewPlan[float32](dev)
	round, err2 := loadRoundTF32(dev)
	return throughFloat32(plan, round.Launch), errors.Join(err1, err2)
}

// loadPlain multiplies float32 as they are.
func loadPlain(dev *gridstride.Device) (launcher[float32, float32], error) {
	plan, err := level3.NewPlan[float32](dev)
	return func(s *gridstride.Stream, w onepass.Work, _ method, p *level3.Product[float32, float32]) error {
		return plan.Launch(s, w, *p)
	}, err
}

// throughFloat32 launches products of the float32 that convert makes.
func throughFloat32[T operand.Element](plan *level3.Plan[float32], convert packer[T, float32]) launcher[T, float32] {
	return func(s *gridstride.Stream, w onepass.Work, _ method, p *level3.Product[T, float32]) (err error) {
		left, right := sides(p)
		a, err := packFactor(s, p.A, left, packSide, convert)
		defer func() { err = errors.Join(err, a.free()) }()
		if err != nil {
			return err
		}
		b, err := packFactor(s, p.B, right, packSide, convert)
		defer func() { err = errors.Join(err, b.free()) }()
		if err != nil {
			return err
		}
		return plan.Launch(s, w, level3.Product[float32, float32]{
			TransB: true, Alpha: p.Alpha, Beta: p.Beta, Count: p.Count, C: p.C, StrideC: p.StrideC,
			A: operand.Matrix[float32]{Data: a.data, Rows: left.rows, Cols: left.k, Stride: max(a.row, 1)}, StrideA: a.batch,
			B: operand.Matrix[float32]{Data: b.data, Rows: right.rows, Cols: right.k, Stride: max(b.row, 1)}, StrideB: b.batch,
		})
	}
}

// int8Tile is the tiling of anyInt8, and int8Words what it has of shared memory.
func int8Tile() tile.Tiling {
	return tile.Tiling{Threads: 256, Size: tile.Size{Rows: 128, Cols: 128}, ThreadRows: 8, WarpCols: 2, Slices: 1, Depth: 8, Vector: 4}
}

const int8Words = 2 * 8 * (128 + 128 + 2*tile.Pad)

// anyInt8 computes C = alpha*A*B + beta*C of int8 without tensor cores.
//
//gpu:kernel block=256
//gpu:nobounds
func anyInt8(a, b []int8, c []int32, s Shape, alpha, beta int32, deepA, deepB bool) {
	at := int8Tile().At(int8Tile().Corner(s.M, s.N))
	var sum tile.Sums[int32]
	shared := gpu.Shared[[int8Words]int32]()
	batch := gpu.BlockIdx.Y
	tile.Accumulate(&sum, shared[:], tile.Operand[int8]{Data: a[batch*s.BatchA:], Size: s.M, Stride: s.RowA},
		tile.Operand[int8]{Data: b[batch*s.BatchB:], Size: s.N, Stride: s.RowB}, 0, s.K, at, int8Tile(), 1, deepA, deepB,
		func(v int8, _ int) int32 { return int32(v) }, func(x, y, sum int32) int32 { return x*y + sum })
	c = c[batch*s.BatchC:]
	for r := range int8Tile().ThreadRows {
		for q := range tile.PerCols {
			i, j := at.TileRow+at.Row+int8Tile().Row(r), at.TileCol+at.Col+int8Tile().Col(q)
			if i >= s.M || j >= s.N {
				continue
			}
			v := alpha * sum[r][q]
			if beta != 0 {
				v += beta * c[i*s.RowC+j]
			}
			c[i*s.RowC+j] = v
		}
	}
}

// loadPlainInt8 loads the kernel.
func loadPlainInt8(dev *gridstride.Device) (launcher[int8, int32], error) {
	kernel, err := loadAnyInt8(dev)
	return func(s *gridstride.Stream, _ onepass.Work, _ method, p *level3.Product[int8, int32]) error {
		shape := Shape{M: p.C.Rows, N: p.C.Cols, K: p.K(), RowA: p.A.Stride, RowB: p.B.Stride, RowC: p.C.Stride,
			BatchA: p.StrideA, BatchB: p.StrideB, BatchC: p.StrideC}
		grid := gridstride.Grid(int8Tile().Tiles(p.C.Rows, p.C.Cols), p.Count)
		return kernel.Launch(s, grid, p.A.Data, p.B.Data, p.C.Data, shape, p.Alpha, p.Beta, !p.TransA, p.TransB)
	}, err
}
