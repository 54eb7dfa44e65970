package onegroup

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/kernels/warpgroups"
)

//go:generate go tool gridstride build

// narrowHalf computes C = alpha*A*B + beta*C for each of a batch, of numbers of 16 bits, in tiles of 64
// by 32. manyA is 0 for factors that all products share, and otherwise 1, as manyB is. cv is C as
// pairs, where its rows begin at multiples of these, and otherwise empty. Launch with a block for each
// tile: those below each other in the first dimension, and the products in the third.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=128 minblocks=2 target=sm_90a
//gpu:nobounds
func narrowHalf[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	var sum gpu.C64x32[float32]
	halfAlone[A, B](&sum, gpu.Shared[[8 * (64 + 32) * tile.Depth]T]()[:], gpu.Shared[[8]gpu.MBarrier]()[:], a, b, &s, manyA, manyB, 32)
	write(&sum, &result[float32, gpu.Float32x2]{c, cv, alpha, beta}, &s, 1, 32)
}

// shortHalf has tiles of 64 by 64, for a K of at most 64.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=128 minblocks=8 target=sm_90a
//gpu:nobounds
func shortHalf[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	var sum gpu.C64x64[float32]
	halfAlone[A, B](&sum, gpu.Shared[[(64 + 64) * tile.Depth]T]()[:], gpu.Shared[[1]gpu.MBarrier]()[:], a, b, &s, manyA, manyB, 64)
	write(&sum, &result[float32, gpu.Float32x2]{c, cv, alpha, beta}, &s, 1, 64)
}

// halfAlone adds up the sums of a block that has a warpgroup's tile.
func halfAlone[A, B tile.Layout, T tile.Half, C gpu.Sums64[float32]](sum *C, shared []T, full []gpu.MBarrier, a, b gpu.TensorMap[T],
	s *warpgroups.Shape, manyA, manyB, cols int,
) {
	sideA, sideB := sideOf[T](groupRows, 1), sideOf[T](cols, 1)
	row, col, batch := gpu.BlockIdx.X*groupRows, gpu.BlockIdx.Y*cols, gpu.BlockIdx.Z
	const size = groupRows * tile.Depth
	place := (groupRows + cols) * tile.Depth
	alone(full, s.K, tile.Depth, sum, func(i int, full *gpu.MBarrier, k int) {
		gpu.MBarrierArriveExpectTx(full, 2*place)
		load[A](sideA, shared[i*place:], a, full, 0, 0, row, k, batch*manyA)
		load[B](sideB, shared[i*place+size:], b, full, 0, 0, col, k, batch*manyB)
	}, func(sum *C, i int, add bool) {
		multiplyHalf[A, B](sum, sideA, sideB, shared[i*place:], shared[i*place+size:], add)
	})
}

// write puts a warpgroup's sums into C.
func write[C gpu.Sums64[float32]](sum *C, to *result[float32, gpu.Float32x2], s *warpgroups.Shape, groups, cols int) {
	row := (gpu.BlockIdx.X*groups + gpu.ThreadIdx.X/groupSize) * groupRows
	each(row, gpu.BlockIdx.Y*cols, func(row, col, first int) {
		storeFloats(to, s, gpu.BlockIdx.Z, row, col, cols/8, func(j int) (x, y float32) { return (*sum)[4*j+first], (*sum)[4*j+first+1] })
	})
}

// wideHalf has tiles of 128 by 64. Two blocks side by side share their rows of A.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=288 minblocks=1 cluster=1x2 target=sm_90a
//gpu:nobounds
func wideHalf[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x2, s warpgroups.Shape, manyA, manyB int, alpha, beta float32) {
	var sum gpu.C64x64[float32]
	if halfTogether[A, B](&sum, gpu.Shared[[8 * (wideRows + wideCols) * tile.Depth]T]()[:], gpu.Shared[[8]gpu.MBarrier]()[:], gpu.Shared[[8]gpu.MBarrier]()[:], a, b, &s, manyA, manyB) {
		write(&sum, &result[float32, gpu.Float32x2]{c, cv, alpha, beta}, &s, 2, 64)
	}
}

// Tiles of wide kernels, whose two warpgroups have 64 rows each. So many blocks side by side share the
// copies of their rows of A.
const (
	wideGroups = 2
	wideRows   = wideGroups * groupRows
	wideCols   = 64
	wideAcross = 2
)

// halfTogether adds up the sums of a warpgroup of a wide kernel.
func halfTogether[A, B tile.Layout, T tile.Half, C gpu.Sums64[float32]](sum *C, shared []T, full, empty []gpu.MBarrier, a, b gpu.TensorMap[T],
	s *warpgroups.Shape, manyA, manyB int,
) (consumer bool) {
	sideA, sideB := sideOf[T](wideRows, wideAcross), sideOf[T](wideCols, 1)
	row, col, batch := gpu.BlockIdx.X*wideRows, gpu.BlockIdx.Y*wideCols, gpu.BlockIdx.Z
	const size, place = wideRows * tile.Depth, (wideRows + wideCols) * tile.Depth
	return together(full, empty, wideAcross, wideGroups, s.K, tile.Depth, sum, func(i int, full *gpu.MBarrier, k int) {
		gpu.MBarrierArriveExpectTx(full, 2*place)
		load[A](sideA, shared[i*place:], a, full, gpu.BlockRank(), 1<<wideAcross-1, row, k, batch*manyA)
		load[B](sideB, shared[i*place+size:], b, full, 0, 0, col, k, batch*manyB)
	}, func(sum *C, i int, add bool) {
		x := shared[i*place+gpu.ThreadIdx.X/groupSize*(groupRows*tile.Depth):]
		multiplyHalf[A, B](sum, sideA, sideB, x, shared[i*place+size:], add)
	})
}
