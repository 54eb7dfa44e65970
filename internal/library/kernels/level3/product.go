package level3

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

//go:generate go tool gridstride build

// Triangle says which elements of C are computed.
type Triangle int32

// All elements, the upper triangle, or the lower triangle, with the diagonal.
const (
	Whole Triangle = iota
	Upper
	Lower
)

// Shape is the layout of the matrices of products. A is M by K as it is used, B is K by N, C is M
// by N. Row* are distances between rows in memory, in V, for C in elements, and Batch* between the
// matrices of a batch. A block takes the KPart of k from BlockIdx.Z*KPart on. Its C begins PartC
// elements after the C of the part before.
type Shape struct {
	M, N, K, KPart         int
	RowA, RowB, RowC       int
	BatchA, BatchB, BatchC int
	PartC                  int
	Triangle               Triangle
}

// beginC is where the C of the block's product begins, and of its part.
func (s *Shape) beginC() int { return gpu.BlockIdx.Y*s.BatchC + gpu.BlockIdx.Z*s.PartC }

// span is the part of k that a block has.
func (s *Shape) span() (first, end int) {
	first = gpu.BlockIdx.Z * s.KPart
	return first, min(s.K, first+s.KPart)
}

// large32 computes C = alpha*A*B + beta*C. It loads 16 bytes at a time: in memory, A and B are
// multiples of 4 elements long in the direction of adjacent elements, and begin at a multiple of 16
// bytes. With a beta of 0, C is not read. cv is C as vectors of 16 bytes, if its rows begin at
// multiples of these, and otherwise empty.
//
// Launch with one block for each tile of C, and in the second dimension one for each product. The
// indices are inside the matrices by construction, for the sizes that the Plan checks: no index is
// checked here. So it is for all kernels here.
//
//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=128 minblocks=2
//gpu:nobounds
func large32[A, B layout.Layout](a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, largeTile(), 4, layout.IsDeep[A](), layout.IsDeep[B](), gpu.Float32x4.Lane)
}

// half32 is large32 with smaller tiles, for all layouts: products that are not large occupy all
// multiprocessors. deepA and deepB say whether elements are side by side along k in memory. A
// kernel for each layout took 8% longer for 1024 by 1024 on an H100.
//
//gpu:kernel block=256
//gpu:nobounds
func half32(a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32, deepA, deepB bool) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, halfTile(), 4, deepA, deepB, gpu.Float32x4.Lane)
}

// medium32, small32 and tiny32 are large32 with even smaller tiles.
//
//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=128 minblocks=3
//gpu:nobounds
func medium32[A, B layout.Layout](a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, mediumTile(), 4, layout.IsDeep[A](), layout.IsDeep[B](), gpu.Float32x4.Lane)
}

//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=128 minblocks=4
//gpu:nobounds
func tiny32[A, B layout.Layout](a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, cv, s, alpha, beta, tinyTile(), 4, layout.IsDeep[A](), layout.IsDeep[B](), gpu.Float32x4.Lane)
}

// small32 also has several blocks, along the third dimension, share the k of a tile: the last one
// to finish adds up all results. partial has room for a tile for each block. tickets has one for
// each tile, 0 before and after. If a tile has one block, neither is used.
//
//gpu:kernel A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=128 minblocks=3
//gpu:nobounds
func small32[A, B layout.Layout](a, b []gpu.Float32x4, c []float32, cv []gpu.Float32x4, s Shape, alpha, beta float32,
	partial []float32, tickets []uint32,
) {
	at, ok := place(s, smallTile())
	if !ok {
		return
	}
	var sum tile.Sums[float32]
	accumulate(&sum, gpu.Shared[[words32]float32]()[:], a, b, s, at, smallTile(), 4, layout.IsDeep[A](), layout.IsDeep[B](), gpu.Float32x4.Lane)
	if gpu.GridDim.Z > 1 && !meet(&sum, at.Slice, smallTile(), partial, tickets) {
		return
	}
	if at.Slice == 0 {
		write(&sum, c[s.beginC():], cv, s, at, smallTile(), alpha, beta)
	}
}

// any32 is half32 for matrices that begin anywhere.
//
//gpu:kernel block=256 minblocks=2
//gpu:nobounds
func any32(a, b, c []float32, s Shape, alpha, beta float32, deepA, deepB bool) {
	product(gpu.Shared[[words32]float32]()[:], a, b, c, []gpu.Float32x4(nil), s, alpha, beta, anyTile(), 1, deepA, deepB, tile.Only[float32])
}

// any64 is any32 for float64: a multiply-add takes twice as long, and longer loads would not
// shorten that. Devices that have largeTensor64 take that instead.
//
//gpu:kernel block=256
//gpu:nobounds
func any64(a, b, c []float64, s Shape, alpha, beta float64, deepA, deepB bool) {
	product(gpu.Shared[[words64]float64]()[:], a, b, c, []gpu.Float64x2(nil), s, alpha, beta, tile64(), 1, deepA, deepB, tile.Only[float64])
}

// product is the body of the kernels. A and B come from memory as V, a vector of lanes. lane
// takes one.
func product[T gpu.Float, V any, W gpu.FloatVector[T, W]](shared []T, a, b []V, c []T, cv []W, s Shape, alpha, beta T,
	t tile.Tiling, lanes int, deepA, deepB bool, lane func(v V, i int) T,
) {
	at, ok := place(s, t)
	if !ok {
		return
	}
	var sum tile.Sums[T]
	accumulate(&sum, shared, a, b, s, at, t, lanes, deepA, deepB, lane)
	if at.Slice == 0 {
		write(&sum, c[s.beginC():], cv, s, at, t, alpha, beta)
	}
}

// accumulate adds up the sums of the thread's elements of C, over the block's part of k, in its
// product of the batch.
func accumulate[T gpu.Float, V any](sum *tile.Sums[T], shared []T, a, b []V, s Shape, at tile.Position, t tile.Tiling, lanes int,
	deepA, deepB bool, lane func(v V, i int) T,
) {
	batch := gpu.BlockIdx.Y
	first, end := s.span()
	tile.Accumulate(sum, shared, tile.Operand[V]{Data: a[batch*s.BatchA:], Size: s.M, Stride: s.RowA},
		tile.Operand[V]{Data: b[batch*s.BatchB:], Size: s.N, Stride: s.RowB}, first, end, at, t, lanes,
		deepA, deepB, lane, tile.FMA[T])
}

// meet adds the sums of the blocks that share a tile, in their order, in the last one to be done,
// for which it is true.
func meet[T gpu.Float](sum *tile.Sums[T], slice int, t tile.Tiling, partial []T, tickets []uint32) bool {
	threads := t.Threads / t.Slices
	which := gpu.BlockIdx.Y*gpu.GridDim.X + gpu.BlockIdx.X
	partial = partial[which*gpu.GridDim.Z*t.Rows*t.Cols+gpu.ThreadIdx.X%threads:]
	if slice == 0 {
		for i := range t.ThreadRows * tile.PerCols {
			partial[gpu.BlockIdx.Z*t.Rows*t.Cols+i*threads] = sum[i/tile.PerCols][i%tile.PerCols]
		}
	}
	if !collective.LastOf(&tickets[which], gpu.GridDim.Z) {
		return false
	}
	if slice == 0 {
		for i := range t.ThreadRows * tile.PerCols {
			sum[i/tile.PerCols][i%tile.PerCols] = 0
		}
		for z := range gpu.GridDim.Z {
			for i := range t.ThreadRows * tile.PerCols {
				sum[i/tile.PerCols][i%tile.PerCols] += partial[z*t.Rows*t.Cols+i*threads]
			}
		}
	}
	return true
}

// write puts the thread's sums into C.
func write[T gpu.Float, W gpu.FloatVector[T, W]](sum *tile.Sums[T], c []T, cv []W, s Shape, at tile.Position, t tile.Tiling, alpha, beta T) {
	row, col := at.TileRow+at.Row, at.TileCol+at.Col
	if len(cv) > 0 && s.Triangle == Whole && row+t.Row(t.ThreadRows-1) < s.M && col+t.Col(tile.PerCols-1) < s.N {
		cv = cv[s.beginC()/t.Vector:]
		for r := range t.ThreadRows {
			for g := range tile.PerCols / t.Vector {
				at := ((row+t.Row(r))*s.RowC + col + t.Col(g*t.Vector)) / t.Vector
				var v W
				if beta != 0 {
					v = cv[at]
				}
				for i := range t.Vector {
					v = v.With(i, tile.Scaled(alpha, sum[r][g*t.Vector+i], beta, v.Lane(i)))
				}
				cv[at] = v
			}
		}
		return
	}
	for r := 0; r < t.ThreadRows && row+t.Row(r) < s.M; r++ {
		i := row + t.Row(r)
		from, to := s.columns(i)
		for q := range tile.PerCols {
			j := col + t.Col(q)
			if j < from || j >= to {
				continue
			}
			var old T
			if beta != 0 {
				old = c[i*s.RowC+j]
			}
			c[i*s.RowC+j] = tile.Scaled(alpha, sum[0][q], beta, old)
		}
		for above := range t.ThreadRows - 1 { // registers have no index: the next row moves up
			for q := range tile.PerCols {
				sum[above][q] = sum[above+1][q]
			}
		}
	}
}

// columns are the computed columns of row i of C, from the first one up to another.
func (s *Shape) columns(i int) (from, to int) {
	switch s.Triangle {
	case Upper:
		return i, s.N
	case Lower:
		return 0, min(i+1, s.N)
	}
	return 0, s.N
}
