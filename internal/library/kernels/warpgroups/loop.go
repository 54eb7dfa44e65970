package warpgroups

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// Kernels of these products have blocks of Threads threads (384), which two warpgroups of consumers
// begin, and clusters of two blocks: their directives say block=384 minblocks=1 cluster=2
// target=sm_90a. A block computes TileRows rows of C at a time, a half of them by each warpgroup of
// consumers. A thread of a third warpgroup has the factors copied. The blocks of a cluster have
// tiles below each other: each has a part of the columns of B copied, to all of them.
const (
	TileRows  = 128
	Cluster   = 2
	GroupRows = 64 // of C, which a warpgroup computes
	GroupSize = 4 * gpu.WarpSize
	Consumers = TileRows / GroupRows * GroupSize // threads
	Threads   = Consumers + GroupSize
)

// A block's registers for each of its threads. Threads that copy give some to the others, which
// have 128 for sums alone. (With 40 and 232, as elsewhere, NVIDIA's assembler of CUDA 12.4 makes a
// segmentation fault.)
const (
	copying     = 56
	multiplying = 224
)

// Shape is the sizes of the products of a batch, and the distances in elements between the rows of
// C, and between one C and the next.
type Shape struct {
	M, N, K, Count int
	RowC, BatchC   int
}

// Turned is the shape of the transposes of the products, in the products' layout in memory.
func (s Shape) Turned() Shape {
	s.M, s.N = s.N, s.M
	return s
}

// band is how many clusters have tiles below each other in the order of the tiles: as many as run
// at once make nearly a square.
const band = 8

// Order is the order of the tiles of clusters, which have cols columns of C.
func (s *Shape) Order(cols int) tile.Order {
	const rows = Cluster * TileRows
	return tile.Order{Rows: (s.M + rows - 1) / rows, Cols: (s.N + cols - 1) / cols, Count: s.Count, Band: band}
}

// Place is the size of the factors multiplied at a time: Cols columns of B, and Depth elements
// along k. If Waits is set, multiply waits for its sums, and a place is free when it returns.
type Place struct {
	Cols, Depth int
	Waits       bool
}

// NewRing makes the ring of the places. All threads of the block make the call, as the first.
func NewRing(full, empty []gpu.MBarrier) tile.Ring {
	return tile.NewRing(full, empty, 1, Cluster*Consumers/gpu.WarpSize)
}

// Products is the body of kernels: the loop over the tiles of a batch of products, in which a
// thread has places filled and the consumers use them. All threads of the block make the call.
//
//   - fetch starts the copies of a place: of A the block's rows from one on, and of B for all
//     blocks of the cluster this one's share of the columns from one on. full counts their bytes.
//   - multiply starts the products of a place for the rows of a warpgroup, 0 or 1, in the
//     instructions of one group. first is whether they are the first of a tile.
//   - write gets the sums of a warpgroup, which begin at a row and a column of C. It writes
//     nothing outside of C. All threads of a warpgroup make the call at once, without another's
//     threads.
//
// The technique is from CUTLASS's persistent kernels with roles for warps, and P. Shankhdhar's
// fast.cu.
func Products[C any](ring tile.Ring, s *Shape, p Place,
	fetch func(place int, full *gpu.MBarrier, row, col, k, batch int),
	multiply func(sum *C, place, group int, first bool),
	write func(sum *C, batch, row, col int),
) {
	roles(ring, s, p, fetch, func() { consume(ring, s, p, multiply, write) })
}

// roles has one thread fill the places, and the consumers use them.
func roles(ring tile.Ring, s *Shape, p Place, fetch func(place int, full *gpu.MBarrier, row, col, k, batch int), consume func()) {
	gpu.SyncCluster()
	if gpu.ThreadIdx.X >= Consumers {
		gpu.SetMaxNRegDec(copying)
		if gpu.ThreadIdx.X == Consumers {
			produce(ring, s, p, fetch)
		}
	} else {
		gpu.SetMaxNRegInc(multiplying)
		consume()
	}
	gpu.SyncCluster() // no block ends while the other copies to it, or releases its places
}

// produce has the places filled for one tile after the other.
func produce(ring tile.Ring, s *Shape, p Place, fetch func(place int, full *gpu.MBarrier, row, col, k, batch int)) {
	order := s.Order(p.Cols)
	var turn tile.Turn
	for i := gpu.ClusterIdx.X; i < order.Tiles(); i += gpu.GridDim.X / Cluster {
		down, across, batch := order.At(i)
		row, col := (Cluster*down+gpu.BlockRank())*TileRows, across*p.Cols
		turn = fill(ring, turn, s.K, p.Depth, func(place int, full *gpu.MBarrier, k int) { fetch(place, full, row, col, k, batch) })
	}
}

// fill has places filled with all of a tile along k, and returns the next turn.
func fill(ring tile.Ring, turn tile.Turn, deep, depth int, fetch func(place int, full *gpu.MBarrier, k int)) tile.Turn {
	for k := 0; k < deep; k += depth {
		full := ring.AwaitEmpty(turn)
		fetch(turn.Place, full, k)
		turn = ring.Next(turn)
	}
	return turn
}

// consume computes one incoming tile after the other. The products of a place are under way when
// those of the next start, so a place is released one round later.
func consume[C any](ring tile.Ring, s *Shape, p Place, multiply func(sum *C, place, group int, first bool),
	write func(sum *C, batch, row, col int),
) {
	order, group := s.Order(p.Cols), gpu.ThreadIdx.X/GroupSize
	var turn tile.Turn
	for i := gpu.ClusterIdx.X; i < order.Tiles(); i += gpu.GridDim.X / Cluster {
		down, across, batch := order.At(i)
		var sum C
		last := turn
		for k := 0; k < s.K; k += p.Depth {
			ring.AwaitFull(turn)
			gpu.WGMMAFence()
			multiply(&sum, turn.Place, group, k == 0)
			gpu.WGMMACommit()
			if p.Waits {
				ring.Release(turn)
			} else if k > 0 {
				gpu.WGMMAWait(1)
				ring.Release(last)
			}
			last, turn = turn, ring.Next(turn)
		}
		gpu.WGMMAWait(0)
		if s.K > 0 && !p.Waits {
			ring.Release(last)
		}
		write(&sum, batch, (Cluster*down+gpu.BlockRank())*TileRows+group*GroupRows, across*p.Cols)
	}
}

// sums is a thread's fragment of a warpgroup's sums.
type sums[S any] interface {
	gpu.C64x128[S] | gpu.C64x256[S]
	At(thread, i int) (row, col int)
}

// Pairs calls put for each pair of adjacent sums of a warpgroup inside C, with the row and
// column of the first, and the number of elements in the row from it on. The sums begin at row
// and col.
func Pairs[C sums[S], S any](sum *C, s *Shape, row, col int, put func(row, col, count int, x, y S)) {
	for i := 0; i < len(*sum); i += 2 {
		r, q := (*sum).At(gpu.ThreadIdx.X%GroupSize, i)
		if r, q = row+r, col+q; r < s.M && q < s.N {
			put(r, q, s.N-q, (*sum)[i], (*sum)[i+1])
		}
	}
}
