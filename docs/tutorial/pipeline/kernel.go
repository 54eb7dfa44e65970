// Package pipeline has a small product on tensor cores twice: with a bug of the tutorial's chapter
// about them, and repaired.
package pipeline

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

//go:generate go tool gridstride build

// A block of one warpgroup that multiplies, and a warp with one thread that copies, computes side
// by side elements of C.
const (
	side      = 64
	places    = 2
	consumers = 4 * gpu.WarpSize
	bytes     = 2 * side * tile.LineBytes
)

// place is the factors multiplied at a time.
type place struct {
	a, b [side * tile.Depth]gpu.BFloat16
}

// fill fills the places of a ring with n numbers of each row.
func fill(at *[places]place, ring tile.Ring, a, b gpu.TensorMap[gpu.BFloat16], n int) {
	var turn tile.Turn
	for k := 0; k < n; k += tile.Depth {
		full := ring.AwaitEmpty(turn)
		gpu.MBarrierArriveExpectTx(full, bytes)
		tile.Load[tile.AlongK](at[turn.Place].a[:], a, full, 1, 0, k, 0)
		tile.Load[tile.AlongK](at[turn.Place].b[:], b, full, 1, 0, k, 0)
		turn = ring.Next(turn)
	}
}

// newRing makes the ring.
func newRing() tile.Ring {
	full, empty := gpu.Shared[[places]gpu.MBarrier](), gpu.Shared[[places]gpu.MBarrier]()
	ring := tile.NewRing(full[:], empty[:], 1, consumers/gpu.WarpSize)
	gpu.SyncThreads()
	return ring
}

// put writes the sums.
func put(c []float32, sum *gpu.C64x64[float32]) {
	for i := range sum {
		row, col := sum.At(gpu.ThreadIdx.X, i)
		c[row*side+col] = sum[i]
	}
}

// Early is C = A·Bᵀ of 64 rows each. It releases a place while its products are under way.
//
//gpu:kernel block=160 target=sm_90a
func Early(a, b gpu.TensorMap[gpu.BFloat16], c []float32, n int) {
	at, ring := gpu.Shared[[places]place](), newRing()
	if gpu.ThreadIdx.X >= consumers {
		if gpu.LaneID() == 0 {
			fill(at, ring, a, b, n)
		}
		return
	}
	var sum gpu.C64x64[float32]
	var turn tile.Turn
	for k := 0; k < n; k += tile.Depth {
		ring.AwaitFull(turn)
		gpu.WGMMAFence()
		tile.Multiply[tile.AlongK, tile.AlongK](&sum, at[turn.Place].a[:], at[turn.Place].b[:], true)
		gpu.WGMMACommit()
		ring.Release(turn)
		gpu.WGMMAWait(0)
		turn = ring.Next(turn)
	}
	put(c, &sum)
}

// InTime is Early repaired: the products are over before their place is released.
//
//gpu:kernel block=160 target=sm_90a
func InTime(a, b gpu.TensorMap[gpu.BFloat16], c []float32, n int) {
	at, ring := gpu.Shared[[places]place](), newRing()
	if gpu.ThreadIdx.X >= consumers {
		if gpu.LaneID() == 0 {
			fill(at, ring, a, b, n)
		}
		return
	}
	var sum gpu.C64x64[float32]
	var turn tile.Turn
	for k := 0; k < n; k += tile.Depth {
		ring.AwaitFull(turn)
		gpu.WGMMAFence()
		tile.Multiply[tile.AlongK, tile.AlongK](&sum, at[turn.Place].a[:], at[turn.Place].b[:], true)
		gpu.WGMMACommit()
		gpu.WGMMAWait(0)
		ring.Release(turn)
		turn = ring.Next(turn)
	}
	put(c, &sum)
}
