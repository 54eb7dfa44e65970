package warpgroups

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
)

// How many elements a line of a tile has.
const (
	depthTF32 = tile.LineBytes / 4
	depthInt8 = tile.LineBytes
)

// placeTF32 and placeInt8 are what is multiplied at a time.
type placeTF32 struct {
	a [tileRows * depthTF32]gpu.TF32
	b [tileCols * depthTF32]gpu.TF32
}

type placeInt8 struct {
	a [tileRows * depthInt8]int8
	b [tileCols * depthInt8]int8
}

// productTF32 and productInt8 are product for formats that tensor cores take along k alone. cv is C
// as pairs, where its rows begin at multiples of these, and otherwise empty.
//
//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func productTF32(a, b gpu.TensorMap[gpu.TF32], c []float32, cv []gpu.Float32x2, s Shape, manyA, manyB int, alpha, beta float32) {
	at := gpu.Shared[[places]placeTF32]()
	along(gpu.Shared[[places]gpu.MBarrier]()[:], gpu.Shared[[places]gpu.MBarrier]()[:], a, b, &s,
		lines{cols: tileCols, depth: depthTF32, parts: 1, manyA: manyA, manyB: manyB},
		func(i int) (a, b []gpu.TF32) { return at[i].a[:], at[i].b[:] },
		func(sum *gpu.C64x256[float32], x, y []gpu.TF32, first bool) {
			for step := range steps {
				gpu.WGMMA(sum, stepOf(x, step, depthTF32), stepOf(y, step, depthTF32), !first || step > 0)
			}
		},
		func(sum *gpu.C64x256[float32], batch, row, col int) {
			storePairs(sum, &s, row, col, func(row, col, count int, x, y float32) {
				i := batch*s.BatchC + row*s.RowC + col
				if len(cv) > 0 && beta == 0 && count > 1 {
					cv[i/2] = gpu.Float32x2{X: alpha * x, Y: alpha * y}
					return
				}
				putOne(x, c, i, alpha, beta)
				if count > 1 {
					putOne(y, c, i+1, alpha, beta)
				}
			})
		})
}

//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func productInt8(a, b gpu.TensorMap[int8], c []int32, cv []gpu.Int32x2, s Shape, manyA, manyB int, alpha, beta int32) {
	at := gpu.Shared[[places]placeInt8]()
	along(gpu.Shared[[places]gpu.MBarrier]()[:], gpu.Shared[[places]gpu.MBarrier]()[:], a, b, &s,
		lines{cols: tileCols, depth: depthInt8, parts: 1, manyA: manyA, manyB: manyB},
		func(i int) (a, b []int8) { return at[i].a[:], at[i].b[:] },
		func(sum *gpu.C64x256[int32], x, y []int8, first bool) {
			for step := range steps {
				gpu.WGMMAS32(sum, stepOf(x, step, depthInt8), stepOf(y, step, depthInt8), !first || step > 0)
			}
		},
		func(sum *gpu.C64x256[int32], batch, row, col int) {
			storePairs(sum, &s, row, col, func(row, col, count int, x, y int32) {
				i := batch*s.BatchC + row*s.RowC + col
				if len(cv) > 0 && beta == 0 && count > 1 {
					cv[i/2] = gpu.Int32x2{X: alpha * x, Y: alpha * y}
					return
				}
				putInt(x, c, i, alpha, beta)
				if count > 1 {
					putInt(y, c, i+1, alpha, beta)
				}
			})
		})
}

// putOne and putInt write alpha*sum + beta*C to an element of C.
func putOne(sum float32, c []float32, at int, alpha, beta float32) {
	var old float32
	if beta != 0 {
		old = c[at]
	}
	c[at] = scaled(alpha, sum, beta, old)
}

func putInt(sum int32, c []int32, at int, alpha, beta int32) {
	sum *= alpha
	if beta != 0 {
		sum += beta * c[at]
	}
	c[at] = sum
}

// steps is how many instructions go along a line, each of which takes 32 bytes.
const steps = 4

// stepOf is a tile along k from a step on.
func stepOf[T any](x []T, step, depth int) gpu.Matrix[T] {
	return gpu.MatrixOf(x[step*depth/steps:], 0, 8*tile.LineBytes, gpu.Swizzle128)
}

// lines is what a block multiplies at a time: 128 rows of A and so many columns of B, of each of so
// many parts so deep. manyA and manyB are from the factors of a product to those of the next in the
// third dimension of their maps, partA and partB those from part to part. Where sums wait for
// themselves, a place is free when multiply returns.
type lines struct {
	cols, depth, parts         int
	manyA, manyB, partA, partB int
	waits                      bool
}

// along is the body of kernels whose factors lie along k. placeOf is where the parts of A and B are
// in a place, one behind the other; multiply adds the products of a place to the sum of a
// warpgroup, whose rows of A begin with x, and write puts a sum into C.
func along[T, C any](full, empty []gpu.MBarrier, a, b gpu.TensorMap[T], s *Shape, l lines, placeOf func(i int) (a, b []T),
	multiply func(sum *C, x, y []T, first bool), write func(sum *C, batch, row, col int),
) {
	ring := tile.NewRing(full, empty, 1, cluster*consumers/gpu.WarpSize)
	gpu.SyncCluster()
	rank := gpu.BlockRank()
	order := s.orderOf(l.cols)
	first, step := gpu.BlockIdx.X/cluster, gpu.GridDim.X/cluster
	var turn tile.Turn
	if gpu.ThreadIdx.X >= consumers {
		gpu.SetMaxNRegDec(copying)
		if gpu.ThreadIdx.X == consumers {
			for i := first; i < order.Tiles(); i += step {
				row, col, batch := order.At(i)
				turn = fetchTile(l, ring, turn, a, b, s.K, rank, (cluster*row+rank)*tileRows, col*l.cols, batch, placeOf)
			}
		}
	} else {
		gpu.SetMaxNRegInc(multiplying)
		group := gpu.ThreadIdx.X / groupSize
		for i := first; i < order.Tiles(); i += step {
			row, col, batch := order.At(i)
			row, col = (cluster*row+rank)*tileRows+group*groupRows, col*l.cols
			var sum C
			last := turn
			for k := 0; k < s.K; k += l.depth {
				ring.AwaitFull(turn)
				gpu.WGMMAFence()
				x, y := placeOf(turn.Place)
				multiply(&sum, x[group*groupRows*l.depth:], y, k == 0)
				gpu.WGMMACommit()
				if l.waits {
					ring.Release(turn)
				} else if k > 0 {
					gpu.WGMMAWait(1)
					ring.Release(last)
				}
				last, turn = turn, ring.Next(turn)
			}
			gpu.WGMMAWait(0)
			if s.K > 0 && !l.waits {
				ring.Release(last)
			}
			write(&sum, batch, row, col)
		}
	}
	gpu.SyncCluster() // no block ends while the others copy to it, or release its places
}

// orderOf is that of tiles of clusters with so many columns.
func (s *Shape) orderOf(cols int) tile.Order {
	const rows = cluster * tileRows
	return tile.Order{Rows: (s.M + rows - 1) / rows, Cols: (s.N + cols - 1) / cols, Count: s.Count, Band: band}
}

// fetchTile starts the copies for a tile that begins at a row and a column, and gives the turn behind.
func fetchTile[T any](l lines, ring tile.Ring, turn tile.Turn, a, b gpu.TensorMap[T], depth, rank, row, col, batch int,
	placeOf func(i int) (a, b []T),
) tile.Turn {
	for k := 0; k < depth; k += l.depth {
		full := ring.AwaitEmpty(turn)
		gpu.MBarrierArriveExpectTx(full, l.parts*(tileRows+l.cols)*tile.LineBytes)
		x, y := placeOf(turn.Place)
		fetch(l, a, b, x, y, full, rank, row, col, k, batch)
		turn = ring.Next(turn)
	}
	return turn
}

// fetch starts the copies of a place: of A this block's rows, and of B for all blocks of the cluster
// this one's share.
func fetch[T any](l lines, a, b gpu.TensorMap[T], x, y []T, full *gpu.MBarrier, rank, row, col, k, batch int) {
	share := l.cols / cluster
	for p := range l.parts {
		gpu.CpAsyncBulkTensorMulticast(x[p*tileRows*l.depth:], a, full, 1<<rank, k, row, batch*l.manyA+p*l.partA)
		gpu.CpAsyncBulkTensorMulticast(y[(p*l.cols+rank*share)*l.depth:], b, full, 1<<cluster-1, k, col+rank*share, batch*l.manyB+p*l.partB)
	}
}

// sums is a thread's fragment of a warpgroup's sums.
type sums[S any] interface {
	gpu.C64x128[S] | gpu.C64x256[S]
	At(thread, i int) (row, col int)
}

// storePairs gives put each two sums of a warpgroup that lie side by side, of those that C has an
// element for, with the place of the first, and how many there are from it on. The sums begin at a row
// and a column.
func storePairs[C sums[S], S any](sum *C, s *Shape, row, col int, put func(row, col, count int, x, y S)) {
	for i := 0; i < len(*sum); i += 2 {
		r, q := (*sum).At(gpu.ThreadIdx.X%groupSize, i)
		if r, q = row+r, col+q; r < s.M && q < s.N {
			put(r, q, s.N-q, (*sum)[i], (*sum)[i+1])
		}
	}
}
