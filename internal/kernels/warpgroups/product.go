package warpgroups

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// A block computes tileRows by tileCols elements of C at a time, a half of the rows by each of two
// warpgroups. A warp of a third brings the factors, through so many places. The blocks of a cluster
// have tiles below each other, whose columns of B each brings a part of for all.
const (
	tileRows, tileCols = 128, 256
	places             = 4
	cluster            = 2

	groupSize = 4 * gpu.WarpSize
	consumers = 2 * groupSize
	threads   = consumers + groupSize
	part      = tileCols / cluster
)

// place is what is multiplied at a time.
type place[T any] struct {
	a [tileRows * tile.Depth]T
	b [tileCols * tile.Depth]T
}

// placeBytes is how many bytes a place has.
const placeBytes = (tileRows + tileCols) * tile.LineBytes

// Shape is the sizes of the products of a batch, how many elements lie between the rows of C, and
// between one C and the next.
type Shape struct {
	M, N, K, Count int
	RowC, BatchC   int
	Band           int
}

// order is that of the tiles of clusters.
func (s *Shape) order() tile.Order {
	const rows = cluster * tileRows
	return tile.Order{Rows: (s.M + rows - 1) / rows, Cols: (s.N + tileCols - 1) / tileCols, Count: s.Count, Band: s.Band}
}

// product is C = alpha*A*B + beta*C for each of a batch. Factors that are all the same for the
// batch have one product in their map, and manyA or manyB is 0 and not 1.
//
//gpu:kernel T=gpu.BFloat16,gpu.Float16 A=tile.AlongK,tile.AcrossK B=tile.AlongK,tile.AcrossK block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func product[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], c []float32, cv []gpu.Float32x4, s Shape, manyA, manyB int, alpha, beta float32) {
	at := gpu.Shared[[places]place[T]]()
	ring := tile.NewRing(gpu.Shared[[places]gpu.MBarrier]()[:], gpu.Shared[[places]gpu.MBarrier]()[:], 1, cluster*consumers/gpu.WarpSize)
	gpu.SyncCluster()
	order, rank := s.order(), gpu.BlockRank()
	first, step := gpu.BlockIdx.X/cluster, gpu.GridDim.X/cluster
	var turn tile.Turn
	if gpu.ThreadIdx.X >= consumers {
		gpu.SetMaxNRegDec(56)
		if gpu.ThreadIdx.X == consumers {
			for i := first; i < order.Tiles(); i += step {
				row, col, batch := order.At(i)
				row, col = (cluster*row+rank)*tileRows, col*tileCols
				for k := 0; k < s.K; k += tile.Depth {
					full := ring.AwaitEmpty(turn)
					gpu.MBarrierArriveExpectTx(full, placeBytes)
					p := &at[turn.Place]
					tile.Load[A](p.a[:], a, full, 1<<rank, row, k, batch*manyA)
					tile.Load[B](p.b[rank*part*tile.Depth:][:part*tile.Depth], b, full, 1<<cluster-1, col+rank*part, k, batch*manyB)
					turn = ring.Next(turn)
				}
			}
		}
	} else {
		gpu.SetMaxNRegInc(224)
		group := gpu.ThreadIdx.X / groupSize
		for i := first; i < order.Tiles(); i += step {
			row, col, batch := order.At(i)
			row, col = (cluster*row+rank)*tileRows+group*64, col*tileCols
			var sum gpu.C64x256[float32]
			last := turn
			for k := 0; k < s.K; k += tile.Depth {
				ring.AwaitFull(turn)
				gpu.WGMMAFence()
				p := &at[turn.Place]
				tile.Multiply[A, B](&sum, p.a[group*64*tile.Depth:], p.b[:], k > 0)
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
			store(&sum, c, cv, &s, batch, row, col, alpha, beta)
		}
	}
	gpu.SyncCluster() // no block ends while the others copy to it, or release its places
}
