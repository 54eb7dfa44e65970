package tensor

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// cluster is how many blocks with tiles below each other share the rows of B.
const cluster = 2

// Clusters has two blocks with tiles below each other share the rows of B: each has a half copied,
// to the shared memory of both. So the cache serves a third less.
//
// Launch as Roles, with an even number of blocks along X.
//
//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func Clusters(a, b gpu.TensorMap[gpu.BFloat16], c []float32, m, n, l int) {
	at, ring, p := gpu.Shared[[ringPlaces]large](), newRing(cluster), problem{a, b, m, n, l}
	row, col := tileRows*gpu.BlockIdx.X, tileCols*gpu.BlockIdx.Y
	if gpu.ThreadIdx.X >= consumers {
		gpu.SetMaxNRegDec(copying)
		if gpu.ThreadIdx.X == consumers {
			bring(at, ring, tile.Turn{}, &p, row, col, cluster)
		}
	} else {
		gpu.SetMaxNRegInc(multiplying)
		multiplyTile(at, ring, tile.Turn{}, &p, c, row, col)
	}
	gpu.SyncCluster() // no block ends while the other copies to it, or releases its places
}

// Persistent has as many blocks as run at once. Each takes one tile after the other: while two
// warpgroups write their sums, the thread that copies is at the next tile. Blocks take the tiles in
// bands, so that blocks that run at once have rows of A and of B in common, which they find in the
// cache.
//
// Launch with an even number of blocks in one dimension, at most as many as run at once. n is a
// multiple of 8.
//
//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func Persistent(a, b gpu.TensorMap[gpu.BFloat16], c []float32, m, n, l int) {
	at, ring, p := gpu.Shared[[ringPlaces]large](), newRing(cluster), problem{a, b, m, n, l}
	order := orderOf(m, l)
	first, step := gpu.ClusterIdx.X, gpu.GridDim.X/cluster
	var turn tile.Turn
	if gpu.ThreadIdx.X >= consumers {
		gpu.SetMaxNRegDec(copying)
		if gpu.ThreadIdx.X == consumers {
			for i := first; i < order.Tiles(); i += step {
				row, col := tileAt(order, i)
				turn = bring(at, ring, turn, &p, row, col, cluster)
			}
		}
	} else {
		gpu.SetMaxNRegInc(multiplying)
		for i := first; i < order.Tiles(); i += step {
			row, col := tileAt(order, i)
			turn = multiplyTile(at, ring, turn, &p, c, row, col)
		}
	}
	gpu.SyncCluster()
}

// orderOf is the order in which clusters take their tiles.
func orderOf(m, l int) tile.Order {
	const rows = cluster * tileRows
	return tile.Order{Rows: (m + rows - 1) / rows, Cols: (l + tileCols - 1) / tileCols, Count: 1, Band: 8}
}

// tileAt is where this block's tile of a cluster's begins.
func tileAt(order tile.Order, i int) (row, col int) {
	row, col, _ = order.At(i)
	return (cluster*row + gpu.BlockRank()) * tileRows, col * tileCols
}
