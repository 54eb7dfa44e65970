package formats

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
)

//go:generate go tool gridstride build

// The tilings of the kernels for formats of up to 32 bits on tensor cores. In the large ones, a
// warp has 64 rows and 64 columns, whose sums fill half of its threads' registers.
func largeStaged() tile.StagedTiling {
	return tile.StagedTiling{Threads: 128, Size: tile.Size{Rows: 128, Cols: 128}, WarpCols: 2, Down: 4, Across: 8}
}

func smallStaged() tile.StagedTiling {
	return tile.StagedTiling{Threads: 128, Size: tile.Size{Rows: 64, Cols: 64}, WarpCols: 2, Down: 2, Across: 4}
}

// The kernels' shared memory: lines for the stages, and numbers of C.
const (
	largeLines = tile.Stages * tile.Lines * (128 + 128)
	smallLines = tile.Stages * tile.Lines * (64 + 64)
	largeC     = 4 * tile.WrittenRows * (64 + tile.PadC)
	smallC     = 4 * tile.WrittenRows * (32 + tile.PadC)
)

// largeHalf computes C = alpha*A*B + beta*C of numbers of 16 bits. Rows in memory begin at multiples
// of 16 bytes. If elements are side by side across k, a row has a multiple of 8.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=layout.AlongK,layout.AcrossK B=layout.AlongK,layout.AcrossK block=128 minblocks=2 target=sm_80
//gpu:nobounds
func largeHalf[T gpu.Float16 | gpu.BFloat16, A, B layout.Layout](a, b []T, c []float32, s Shape, alpha, beta float32) {
	productHalf(gpu.Shared[[largeLines * tile.PerLineHalf]T]()[:], gpu.Shared[[largeC]float32]()[:], a, b, c, s, alpha, beta, largeStaged(),
		layout.IsDeep[A](), layout.IsDeep[B]())
}

// smallHalf is largeHalf with smaller tiles, for all layouts.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 block=128 minblocks=3 target=sm_80
//gpu:nobounds
func smallHalf[T gpu.Float16 | gpu.BFloat16](a, b []T, c []float32, s Shape, alpha, beta float32, deepA, deepB bool) {
	productHalf(gpu.Shared[[smallLines * tile.PerLineHalf]T]()[:], gpu.Shared[[smallC]float32]()[:], a, b, c, s, alpha, beta, smallStaged(), deepA, deepB)
}

// largeTF32 and its like take factors with elements side by side along k, whose rows begin at
// multiples of 16 bytes.
//
//gpu:kernel block=128 minblocks=2 target=sm_80
//gpu:nobounds
func largeTF32(a, b []gpu.TF32, c []float32, s Shape, alpha, beta float32) {
	productTF32(gpu.Shared[[largeLines * tile.PerLineTF32]gpu.TF32]()[:], gpu.Shared[[largeC]float32]()[:], a, b, c, s, alpha, beta, largeStaged())
}

//gpu:kernel block=128 minblocks=3 target=sm_80
//gpu:nobounds
func smallTF32(a, b []gpu.TF32, c []float32, s Shape, alpha, beta float32) {
	productTF32(gpu.Shared[[smallLines * tile.PerLineTF32]gpu.TF32]()[:], gpu.Shared[[smallC]float32]()[:], a, b, c, s, alpha, beta, smallStaged())
}

//gpu:kernel block=128 minblocks=2 target=sm_80
//gpu:nobounds
func largeInt8(a, b []int8, c []int32, s Shape, alpha, beta int32) {
	productInt8(gpu.Shared[[largeLines * tile.PerLineInt8]int8]()[:], gpu.Shared[[largeC]int32]()[:], a, b, c, s, alpha, beta, largeStaged())
}

//gpu:kernel block=128 minblocks=3 target=sm_80
//gpu:nobounds
func smallInt8(a, b []int8, c []int32, s Shape, alpha, beta int32) {
	productInt8(gpu.Shared[[smallLines * tile.PerLineInt8]int8]()[:], gpu.Shared[[smallC]int32]()[:], a, b, c, s, alpha, beta, smallStaged())
}

// productHalf is the body of the kernels for numbers of 16 bits.
func productHalf[T gpu.Float16 | gpu.BFloat16](shared []T, sharedC []float32, a, b []T, c []float32, s Shape, alpha, beta float32,
	t tile.StagedTiling, deepA, deepB bool,
) {
	r, q := t.Warp()
	staged(shared, sharedC, a, b, c, s, t, tile.PerLineHalf, deepA, deepB, copyHalf[T],
		func(sum *tile.WarpSums[float32], tileA, tileB []T) {
			tile.Multiply(sum, t,
				func(f, step int) gpu.A16x16[T] { return tile.HalfA(tileA, r+16*f, step, t.Rows, deepA) },
				func(j, step int) [2]gpu.B16x8[T] { return tile.HalfB(tileB, q+16*j, step, t.Cols, deepB) },
				gpu.MMA16x8x16[T])
		}, func(c []float32, at int, sum float32) { writeScaled(sum, c, at, alpha, beta) })
}

func copyHalf[T any](dst, src []T) { gpu.CpAsyncZeroFill((*[8]T)(dst), src, gpu.CacheGlobal) }

// productTF32 is the body of the kernels for TF32.
func productTF32(shared []gpu.TF32, sharedC []float32, a, b []gpu.TF32, c []float32, s Shape, alpha, beta float32, t tile.StagedTiling) {
	r, q := t.Warp()
	staged(shared, sharedC, a, b, c, s, t, tile.PerLineTF32, true, true,
		func(dst, src []gpu.TF32) { gpu.CpAsyncZeroFill((*[4]gpu.TF32)(dst), src, gpu.CacheGlobal) },
		func(sum *tile.WarpSums[float32], tileA, tileB []gpu.TF32) {
			tile.Multiply(sum, t,
				func(f, step int) gpu.A16x8[gpu.TF32] { return tile.TF32A(tileA, r+16*f, step) },
				func(j, step int) [2]gpu.B8x8[gpu.TF32] { return tile.TF32B(tileB, q+16*j, step) },
				gpu.MMA16x8x8[gpu.TF32])
		}, func(c []float32, at int, sum float32) { writeScaled(sum, c, at, alpha, beta) })
}

// productInt8 is the body of the kernels for int8.
func productInt8(shared []int8, sharedC []int32, a, b []int8, c []int32, s Shape, alpha, beta int32, t tile.StagedTiling) {
	r, q := t.Warp()
	staged(shared, sharedC, a, b, c, s, t, tile.PerLineInt8, true, true,
		func(dst, src []int8) { gpu.CpAsyncZeroFill((*[16]int8)(dst), src, gpu.CacheGlobal) },
		func(sum *tile.WarpSums[int32], tileA, tileB []int8) {
			tile.Multiply(sum, t,
				func(f, step int) gpu.A16x32[int8] { return tile.Int8A(tileA, r+16*f, step) },
				func(j, step int) [2]gpu.B32x8[int8] { return tile.Int8B(tileB, q+16*j, step) },
				gpu.MMA16x8x32[int8])
		}, func(c []int32, at int, sum int32) {
			sum *= alpha
			if beta != 0 {
				sum += beta * c[at]
			}
			c[at] = sum
		})
}

// staged computes a tile of C, of factors that come in stages: put writes a sum to an element.
func staged[T any, S gpu.Number](shared []T, sharedC []S, a, b []T, c []S, s Shape, t tile.StagedTiling, perLine int, deepA, deepB bool,
	copyLine func(dst, src []T), multiply func(sum *tile.WarpSums[S], tileA, tileB []T), put func(c []S, at int, sum S),
) {
	row, col := t.Corner(s.M, s.N)
	batch := gpu.BlockIdx.Y
	var sum tile.WarpSums[S]
	tile.Stream(shared, tile.Source[T]{Data: a[batch*s.BatchA:], Size: s.M, Stride: s.RowA},
		tile.Source[T]{Data: b[batch*s.BatchB:], Size: s.N, Stride: s.RowB}, s.K, row, col, t, 1, perLine, deepA, deepB, copyLine,
		func(tileA, tileB []T) { multiply(&sum, tileA, tileB) })
	tile.Write(&sum, sharedC, row, col, s.M, s.N, t, func(row, col int, sum S) { put(c[batch*s.BatchC:], row*s.RowC+col, sum) })
}

// writeScaled makes alpha*sum + beta*C of an element of C.
func writeScaled(sum float32, c []float32, at int, alpha, beta float32) {
	var old float32
	if beta != 0 {
		old = c[at]
	}
	c[at] = tile.Scaled(alpha, sum, beta, old)
}
