package halves

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/onegroup"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Sizes that all formats have.
const (
	groupSize  = warpgroups.GroupSize
	groupRows  = warpgroups.GroupRows
	wideGroups = onegroup.WideGroups
	wideRows   = onegroup.WideRows
	wideCols   = onegroup.WideCols
	wideAcross = onegroup.WideAcross
)

// narrowHalf computes C = alpha*A*B + beta*C for each of a batch, of numbers of 16 bits, in tiles
// of 64 by 32. manyA is 0 for factors that all products share, and otherwise 1, as manyB is. cv is
// C as pairs, where its rows begin at multiples of these, and otherwise empty. Launch with a block
// for each tile: those below each other in the first dimension, and the products in the third.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=128 minblocks=2 target=sm_90a
//gpu:nobounds
func narrowHalf[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	var sum gpu.C64x32[float32]
	halfAlone[A, B](&sum, gpu.Shared[[8 * (64 + 32) * tile.Depth]T]()[:], gpu.Shared[[8]gpu.MBarrier]()[:], a, b, &s, manyA, manyB, 32)
	onegroup.Write(&sum, &onegroup.Result[float32, gpu.Float32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, 1, 32)
}

// shortHalf has tiles of 64 by 64, for a K of at most 64.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=128 minblocks=8 target=sm_90a
//gpu:nobounds
func shortHalf[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	var sum gpu.C64x64[float32]
	halfAlone[A, B](&sum, gpu.Shared[[(64 + 64) * tile.Depth]T]()[:], gpu.Shared[[1]gpu.MBarrier]()[:], a, b, &s, manyA, manyB, 64)
	onegroup.Write(&sum, &onegroup.Result[float32, gpu.Float32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, 1, 64)
}

// halfAlone adds up the sums of a block that has a warpgroup's tile.
func halfAlone[A, B tile.Layout, T tile.Half, C gpu.Sums64[float32]](sum *C, shared []T, full []gpu.MBarrier, a, b gpu.TensorMap[T],
	s *warpgroups.Shape, manyA, manyB, cols int,
) {
	sideA, sideB := onegroup.SideOf[T](groupRows, 1), onegroup.SideOf[T](cols, 1)
	row, col, batch := gpu.BlockIdx.X*groupRows, gpu.BlockIdx.Y*cols, gpu.BlockIdx.Z
	const size = groupRows * tile.Depth
	place := (groupRows + cols) * tile.Depth
	onegroup.Alone(full, s.K, tile.Depth, sum, func(i int, full *gpu.MBarrier, k int) {
		gpu.MBarrierArriveExpectTx(full, 2*place)
		onegroup.Load[A](sideA, shared[i*place:], a, full, 0, 0, row, k, batch*manyA)
		onegroup.Load[B](sideB, shared[i*place+size:], b, full, 0, 0, col, k, batch*manyB)
	}, func(sum *C, i int, add bool) {
		multiplyHalf[A, B](sum, sideA, sideB, shared[i*place:], shared[i*place+size:], add)
	})
}

// wideHalf has tiles of 128 by 64. Two blocks side by side share their rows of A.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=288 minblocks=1 cluster=1x2 target=sm_90a
//gpu:nobounds
func wideHalf[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	var sum gpu.C64x64[float32]
	if halfTogether[A, B](&sum, gpu.Shared[[8 * (wideRows + wideCols) * tile.Depth]T]()[:], gpu.Shared[[8]gpu.MBarrier]()[:], gpu.Shared[[8]gpu.MBarrier]()[:], a, b, &s, manyA, manyB) {
		onegroup.Write(&sum, &onegroup.Result[float32, gpu.Float32x2]{C: c, Pairs: cv, Alpha: alpha, Beta: beta}, &s, 2, 64)
	}
}

// halfTogether adds up the sums of a warpgroup of a wide kernel.
func halfTogether[A, B tile.Layout, T tile.Half, C gpu.Sums64[float32]](sum *C, shared []T, full, empty []gpu.MBarrier, a, b gpu.TensorMap[T],
	s *warpgroups.Shape, manyA, manyB int,
) (consumer bool) {
	sideA, sideB := onegroup.SideOf[T](wideRows, wideAcross), onegroup.SideOf[T](wideCols, 1)
	row, col, batch := gpu.BlockIdx.X*wideRows, gpu.BlockIdx.Y*wideCols, gpu.BlockIdx.Z
	const size, place = wideRows * tile.Depth, (wideRows + wideCols) * tile.Depth
	return onegroup.Together(full, empty, wideAcross, wideGroups, s.K, tile.Depth, sum, func(i int, full *gpu.MBarrier, k int) {
		gpu.MBarrierArriveExpectTx(full, 2*place)
		onegroup.Load[A](sideA, shared[i*place:], a, full, gpu.BlockRank(), 1<<wideAcross-1, row, k, batch*manyA)
		onegroup.Load[B](sideB, shared[i*place+size:], b, full, 0, 0, col, k, batch*manyB)
	}, func(sum *C, i int, add bool) {
		x := shared[i*place+gpu.ThreadIdx.X/groupSize*(groupRows*tile.Depth):]
		multiplyHalf[A, B](sum, sideA, sideB, x, shared[i*place+size:], add)
	})
}

// matrix is the part of a tile of 16-bit numbers from a step of 16 along k on.
func matrix[L tile.Layout, T tile.Half](s onegroup.Side, t []T, step int) gpu.Matrix[T] {
	var layout L
	switch {
	case !layout.Transposed():
		return gpu.MatrixOf(t[step*16:], 0, 8*tile.LineBytes, gpu.Swizzle128)
	case s.Width == 32:
		return gpu.MatrixOf(t[step*16*32:], s.Depth*64, 8*64, gpu.Swizzle64)
	}
	return gpu.MatrixOf(t[step*16*64:], s.Depth*tile.LineBytes, 8*tile.LineBytes, gpu.Swizzle128)
}

// multiplyHalf starts the products of a tile of A, 64 rows, with one of B.
func multiplyHalf[A, B tile.Layout, C gpu.Sums64[float32], T tile.Half](sum *C, sideA, sideB onegroup.Side, x, y []T, add bool) {
	var a A
	var b B
	for step := range 4 {
		more := add || step > 0
		p, q := matrix[A](sideA, x, step), matrix[B](sideB, y, step)
		switch {
		case a.Transposed() && b.Transposed():
			gpu.WGMMA(sum, p, q, more, gpu.TransposeA, gpu.TransposeB)
		case a.Transposed():
			gpu.WGMMA(sum, p, q, more, gpu.TransposeA)
		case b.Transposed():
			gpu.WGMMA(sum, p, q, more, gpu.TransposeB)
		default:
			gpu.WGMMA(sum, p, q, more)
		}
	}
}
