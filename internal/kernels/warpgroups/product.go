package warpgroups

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// A block computes tileRows by tileCols elements of C at a time, a half of the rows by each of two
// warpgroups. A thread of a third has the factors copied, through so many places. The blocks of a
// cluster have tiles below each other: each has a part of the columns of B copied, to all of them.
const (
	tileRows, tileCols = 128, 256
	places             = 4
	cluster            = 2
	partCols           = tileCols / cluster

	groupSize = 4 * gpu.WarpSize
	groupRows = 64
	consumers = tileRows / groupRows * groupSize
	threads   = consumers + groupSize
)

// A block has so many registers for each of its threads. Those that copy give some to the others,
// which have 128 for sums alone. (Of 40 and 232, as others have it, NVIDIA's assembler of CUDA 12.4
// makes a segmentation fault.)
const (
	copying     = 56
	multiplying = 224
)

// place is what is multiplied at a time, and placeBytes its size.
type place[T any] struct {
	a [tileRows * tile.Depth]T
	b [tileCols * tile.Depth]T
}

const placeBytes = (tileRows + tileCols) * tile.LineBytes

// Shape is the sizes of the products of a batch, how many elements lie between the rows of C, and
// between one C and the next.
type Shape struct {
	M, N, K, Count int
	RowC, BatchC   int
}

// band is how many clusters have tiles below each other in the order of the tiles: as many as run
// at once make nearly a square.
const band = 8

// order is that of the tiles of clusters.
func (s *Shape) order() tile.Order {
	const rows = cluster * tileRows
	return tile.Order{Rows: (s.M + rows - 1) / rows, Cols: (s.N + tileCols - 1) / tileCols, Count: s.Count, Band: band}
}

// product is C = alpha*A*B + beta*C for each of a batch. A factor that the whole batch shares has
// one product in its map, and its many is 0, where it is 1 for others. The technique is that of
// CUTLASS's persistent kernels with roles for warps, and of P. Shankhdhar's fast.cu.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func product[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x4, s Shape, manyA, manyB int, alpha, beta float32) {
	at := gpu.Shared[[places]place[T]]()
	ring := tile.NewRing(gpu.Shared[[places]gpu.MBarrier]()[:], gpu.Shared[[places]gpu.MBarrier]()[:], 1, cluster*consumers/gpu.WarpSize)
	gpu.SyncCluster()
	if gpu.ThreadIdx.X >= consumers {
		gpu.SetMaxNRegDec(copying)
		if gpu.ThreadIdx.X == consumers {
			bring[T, A, B](at, ring, a, b, &s, manyA, manyB)
		}
	} else {
		gpu.SetMaxNRegInc(multiplying)
		multiply[T, A, B](at, ring, c, cv, &s, alpha, beta)
	}
	gpu.SyncCluster() // no block ends while the other copies to it, or releases its places
}

// bring fills the places with the factors of one tile after the other.
func bring[T tile.Half, A, B tile.Layout](at *[places]place[T], ring tile.Ring, a, b gpu.TensorMap[T], s *Shape, manyA, manyB int) {
	order, rank := s.order(), gpu.BlockRank()
	var turn tile.Turn
	for i := gpu.ClusterIdx.X; i < order.Tiles(); i += gpu.GridDim.X / cluster {
		down, across, batch := order.At(i)
		turn = fill[T, A, B](at, ring, turn, a, b, s.K, corner{
			(cluster*down + rank) * tileRows, across*tileCols + rank*partCols, batch * manyA, batch * manyB,
		})
	}
}

// corner is where the factors of a tile begin, and which of a batch they are.
type corner struct{ row, col, batchA, batchB int }

// fill fills the places with all of the factors of a tile along k.
func fill[T tile.Half, A, B tile.Layout](
	at *[places]place[T], ring tile.Ring, turn tile.Turn, a, b gpu.TensorMap[T], depth int, c corner,
) tile.Turn {
	for k := 0; k < depth; k += tile.Depth {
		full := ring.AwaitEmpty(turn)
		gpu.MBarrierArriveExpectTx(full, placeBytes)
		p := &at[turn.Place]
		tile.Load[A](p.a[:], a, full, 1<<gpu.BlockRank(), c.row, k, c.batchA)
		tile.Load[B](p.b[gpu.BlockRank()*partCols*tile.Depth:][:partCols*tile.Depth], b, full, 1<<cluster-1, c.col, k, c.batchB)
		turn = ring.Next(turn)
	}
	return turn
}

// multiply computes one tile after the other of what comes. The products of a place are under way
// when those of the next start, so a place is released one round later.
func multiply[T tile.Half, A, B tile.Layout](
	at *[places]place[T], ring tile.Ring, c []float32, cv []gpu.Float32x4, s *Shape, alpha, beta float32,
) {
	order, group := s.order(), gpu.ThreadIdx.X/groupSize
	var turn tile.Turn
	for i := gpu.ClusterIdx.X; i < order.Tiles(); i += gpu.GridDim.X / cluster {
		down, across, batch := order.At(i)
		var sum gpu.C64x256[float32]
		last := turn
		for k := 0; k < s.K; k += tile.Depth {
			ring.AwaitFull(turn)
			gpu.WGMMAFence()
			p := &at[turn.Place]
			tile.Multiply[A, B](&sum, p.a[group*groupRows*tile.Depth:], p.b[:], k > 0)
			gpu.WGMMACommit()
			if k > 0 {
				gpu.WGMMAWait(1)
				ring.Release(last)
			}
			last, turn = turn, ring.Next(turn)
		}
		gpu.WGMMAWait(0)
		if s.K > 0 {
			ring.Release(last)
		}
		row, col := (cluster*down+gpu.BlockRank())*tileRows+group*groupRows, across*tileCols
		store(&sum, c, cv, s, batch, row, col, alpha, beta)
	}
}
