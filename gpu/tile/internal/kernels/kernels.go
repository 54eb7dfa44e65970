// Package kernels has a matrix product twice: with package tile, and by hand.
package kernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// A block of a warpgroup that multiplies and a warp that has tiles copied computes 64 rows and 64
// columns of a product, through this many places.
const (
	side      = 64
	places    = 2
	consumers = 4 * gpu.WarpSize
	bytes     = 2 * side * tile.LineBytes
)

// place is the pair of tiles multiplied at a time.
type place struct {
	a, b [side * tile.Depth]gpu.BFloat16
}

// Tiled is c = a*b for matrices of k columns and k rows, with a by rows and b by columns: a tile of
// c for each block.
//
//gpu:kernel block=160 target=sm_90a
//gpu:nobounds
func Tiled(a, b gpu.TensorMap[gpu.BFloat16], c []float32, k int) {
	at := gpu.Shared[[places]place]()
	ring := tile.NewRing(gpu.Shared[[places]gpu.MBarrier]()[:], gpu.Shared[[places]gpu.MBarrier]()[:], 1, consumers/gpu.WarpSize)
	gpu.SyncCluster()
	row, col := side*gpu.BlockIdx.Y, side*gpu.BlockIdx.X
	var turn tile.Turn
	if gpu.ThreadIdx.X == consumers {
		for d := 0; d < k; d += tile.Depth {
			full := ring.AwaitEmpty(turn)
			gpu.MBarrierArriveExpectTx(full, bytes)
			tile.Load[tile.AlongK](at[turn.Place].a[:], a, full, 1, row, d, 0)
			tile.Load[tile.AlongK](at[turn.Place].b[:], b, full, 1, col, d, 0)
			turn = ring.Next(turn)
		}
	}
	if gpu.ThreadIdx.X < consumers {
		var sum gpu.C64x64[float32]
		for d := 0; d < k; d += tile.Depth {
			ring.AwaitFull(turn)
			gpu.WGMMAFence()
			tile.Multiply[tile.AlongK, tile.AlongK](&sum, at[turn.Place].a[:], at[turn.Place].b[:], true)
			gpu.WGMMACommit()
			gpu.WGMMAWait(0)
			ring.Release(turn)
			turn = ring.Next(turn)
		}
		put(&sum, c, row, col)
	}
}

// ByHand is Tiled without package tile.
//
//gpu:kernel block=160 target=sm_90a
//gpu:nobounds
func ByHand(a, b gpu.TensorMap[gpu.BFloat16], c []float32, k int) {
	at := gpu.Shared[[places]place]()
	full, empty := gpu.Shared[[places]gpu.MBarrier](), gpu.Shared[[places]gpu.MBarrier]()
	if gpu.ThreadIdx.X == 0 {
		for i := range full {
			gpu.MBarrierInit(&full[i], 1)
			gpu.MBarrierInit(&empty[i], consumers/gpu.WarpSize)
		}
		gpu.FenceMBarrierInit()
	}
	gpu.SyncCluster()
	row, col := side*gpu.BlockIdx.Y, side*gpu.BlockIdx.X
	round, parity := 0, 0
	if gpu.ThreadIdx.X == consumers {
		for d := 0; d < k; d += tile.Depth {
			gpu.MBarrierWaitParity(&empty[round], parity^1)
			gpu.MBarrierArriveExpectTx(&full[round], bytes)
			gpu.CpAsyncBulkTensorMulticast(at[round].a[:], a, &full[round], 1, d, row, 0)
			gpu.CpAsyncBulkTensorMulticast(at[round].b[:], b, &full[round], 1, d, col, 0)
			if round++; round == places {
				round, parity = 0, parity^1
			}
		}
	}
	if gpu.ThreadIdx.X < consumers {
		var sum gpu.C64x64[float32]
		for d := 0; d < k; d += tile.Depth {
			gpu.MBarrierWaitParity(&full[round], parity)
			gpu.WGMMAFence()
			for step := range 4 {
				x := gpu.MatrixOf(at[round].a[step*16:], 0, 1024, gpu.Swizzle128)
				y := gpu.MatrixOf(at[round].b[step*16:], 0, 1024, gpu.Swizzle128)
				gpu.WGMMA(&sum, x, y, true)
			}
			gpu.WGMMACommit()
			gpu.WGMMAWait(0)
			gpu.SyncWarp(gpu.FullMask)
			if lane := gpu.LaneID(); lane < gpu.ClusterSize() {
				gpu.MBarrierArriveClusterNoFence(gpu.MapSharedRank(&empty[round], lane))
			}
			if round++; round == places {
				round, parity = 0, parity^1
			}
		}
		put(&sum, c, row, col)
	}
}

// put writes the sums of a block's tile.
func put(sum *gpu.C64x64[float32], c []float32, row, col int) {
	for i := range sum {
		r, q := sum.At(gpu.ThreadIdx.X, i)
		c[(row+r)*side*gpu.GridDim.X+col+q] = sum[i]
	}
}
