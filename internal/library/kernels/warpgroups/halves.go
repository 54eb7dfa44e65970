package warpgroups

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// HalfCols is the number of columns of C of a block with factors of 16 bits, which go through this
// many places.
const (
	HalfCols   = 256
	halfPlaces = 4
	partCols   = HalfCols / Cluster
)

// halfPlace is the factors multiplied at a time.
type halfPlace[T any] struct {
	a [TileRows * tile.Depth]T
	b [HalfCols * tile.Depth]T
}

// Halves is [Products] for factors of 16 bits, as [Factor] describes them. A factor that the whole
// batch shares has one product in its map, and its many is 0, instead of 1 for others.
func Halves[T tile.Half, A, B tile.Layout](a, b gpu.TensorMap[T], s *Shape, manyA, manyB int,
	write func(sum *gpu.C64x256[float32], batch, row, col int),
) {
	at := gpu.Shared[[halfPlaces]halfPlace[T]]()
	ring := NewRing(gpu.Shared[[halfPlaces]gpu.MBarrier]()[:], gpu.Shared[[halfPlaces]gpu.MBarrier]()[:])
	Products(ring, s, Place{Cols: HalfCols, Depth: tile.Depth},
		func(place int, full *gpu.MBarrier, row, col, k, batch int) {
			gpu.MBarrierArriveExpectTx(full, (TileRows+HalfCols)*tile.LineBytes)
			p, first := &at[place], gpu.BlockRank()*partCols
			tile.Load[A](p.a[:], a, full, 1<<gpu.BlockRank(), row, k, batch*manyA)
			tile.Load[B](p.b[first*tile.Depth:][:partCols*tile.Depth], b, full, 1<<Cluster-1, col+first, k, batch*manyB)
		},
		func(sum *gpu.C64x256[float32], place, group int, first bool) {
			p := &at[place]
			tile.Multiply[A, B](sum, p.a[group*GroupRows*tile.Depth:], p.b[:], !first)
		}, write)
}
