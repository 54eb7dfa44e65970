package tensor

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// From here on a block computes tileRows by tileCols elements of C, half of the rows by each of two
// warpgroups. A thread of a third brings what they multiply.
const (
	tileRows, tileCols = 128, 256
	ringPlaces         = 4
	consumers          = 2 * groupSize
	consumerWarps      = consumers / gpu.WarpSize
)

// A block's registers for each of its threads. Threads that copy give some to the others, which
// have 128 for sums alone.
const (
	copying     = 56
	multiplying = 224
)

// large is a place of the ring.
type large struct {
	a [tileRows * tile.Depth]gpu.BFloat16
	b [tileCols * tile.Depth]gpu.BFloat16
}

const largeBytes = (tileRows + tileCols) * tile.LineBytes

// problem is the factors, and the sizes.
type problem struct {
	a, b    gpu.TensorMap[gpu.BFloat16]
	m, n, l int
}

// newRing makes the ring of a block, in a cluster of cluster blocks.
func newRing(cluster int) tile.Ring {
	full, empty := gpu.Shared[[ringPlaces]gpu.MBarrier](), gpu.Shared[[ringPlaces]gpu.MBarrier]()
	ring := tile.NewRing(full[:], empty[:], 1, cluster*consumerWarps)
	gpu.SyncCluster()
	return ring
}

// Roles gives the warps of a block two roles. One thread fills the places of a ring, and does
// nothing else. Two warpgroups multiply, and wait for nothing but the ring. The warps that copy
// hand their registers over, which makes room for the sums of a tile twice as large: it has two
// thirds of the copies for an element of C.
//
// Launch with one block for each 128 by 256 elements of C, the rows along X. n is a multiple of 8.
//
//gpu:kernel block=384 minblocks=1 target=sm_90a
//gpu:nobounds
func Roles(a, b gpu.TensorMap[gpu.BFloat16], c []float32, m, n, l int) {
	at, ring, p := gpu.Shared[[ringPlaces]large](), newRing(1), problem{a, b, m, n, l}
	row, col := tileRows*gpu.BlockIdx.X, tileCols*gpu.BlockIdx.Y
	if gpu.ThreadIdx.X >= consumers {
		gpu.SetMaxNRegDec(copying)
		if gpu.ThreadIdx.X == consumers {
			bring(at, ring, tile.Turn{}, &p, row, col, 1)
		}
	} else {
		gpu.SetMaxNRegInc(multiplying)
		multiplyTile(at, ring, tile.Turn{}, &p, c, row, col)
	}
}

// bring fills the ring with a tile's factors, place after place, and returns the next turn. The
// rows of B come in as many parts as the cluster has blocks: each has one part copied, to all.
func bring(at *[ringPlaces]large, ring tile.Ring, turn tile.Turn, p *problem, row, col, cluster int) tile.Turn {
	for k := 0; k < p.n; k += tile.Depth {
		full := ring.AwaitEmpty(turn)
		gpu.MBarrierArriveExpectTx(full, largeBytes)
		place := &at[turn.Place]
		tile.Load[tile.AlongK](place.a[:], p.a, full, 1<<gpu.BlockRank(), row, k, 0)
		from := gpu.BlockRank() * (tileCols / cluster)
		tile.Load[tile.AlongK](place.b[from*tile.Depth:][:tileCols/cluster*tile.Depth], p.b, full, 1<<cluster-1, col+from, k, 0)
		turn = ring.Next(turn)
	}
	return turn
}

// multiplyTile computes a warpgroup's half of a tile, from the incoming places, writes it to C, and
// returns the next turn.
func multiplyTile(at *[ringPlaces]large, ring tile.Ring, turn tile.Turn, p *problem, c []float32, row, col int) tile.Turn {
	var sum gpu.C64x256[float32]
	turn = sumTile(at, ring, turn, p.n, &sum)
	row += gpu.ThreadIdx.X / groupSize * groupRows
	for i := range sum {
		r, s := sum.At(gpu.ThreadIdx.X%groupSize, i)
		put(c, row+r, col+s, p.m, p.l, sum[i])
	}
	return turn
}

// sumTile adds up a warpgroup's half of a tile. The products of a place are under way when the next
// place's start, so a place is released one round later.
func sumTile(at *[ringPlaces]large, ring tile.Ring, turn tile.Turn, n int, sum *gpu.C64x256[float32]) tile.Turn {
	group := gpu.ThreadIdx.X / groupSize
	last := turn
	for k := 0; k < n; k += tile.Depth {
		ring.AwaitFull(turn)
		gpu.WGMMAFence()
		place := &at[turn.Place]
		tile.Multiply[tile.AlongK, tile.AlongK](sum, place.a[group*groupRows*tile.Depth:], place.b[:], k > 0)
		gpu.WGMMACommit()
		if k > 0 {
			gpu.WGMMAWait(1)
			ring.Release(last)
		}
		last, turn = turn, ring.Next(turn)
	}
	gpu.WGMMAWait(0)
	ring.Release(last)
	return turn
}
