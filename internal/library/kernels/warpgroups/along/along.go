package along

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// Blocks of TF32 and int8 compute this many columns of C at a time, through this many places.
const (
	tileCols = 256
	places   = 4
)

// How many elements a line of a tile has.
const (
	depthTF32 = tile.LineBytes / 4
	depthInt8 = tile.LineBytes
)

// placeTF32 and placeInt8 are the factors multiplied at a time.
type placeTF32 struct {
	a [warpgroups.TileRows * depthTF32]gpu.TF32
	b [tileCols * depthTF32]gpu.TF32
}

type placeInt8 struct {
	a [warpgroups.TileRows * depthInt8]int8
	b [tileCols * depthInt8]int8
}

// productTF32 and productInt8 are C = alpha*A*B + beta*C for each of a batch. If boxes is set, beta
// is 0 and C goes by boxes of its map.
//
//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func productTF32(a, b gpu.TensorMap[gpu.TF32], to gpu.TensorMap[float32], c []float32, boxes bool, s warpgroups.Shape, manyA, manyB int,
	alpha, beta float32,
) {
	at, stage := gpu.Shared[[places]placeTF32](), gpu.Shared[warpgroups.Stage[float32]]()
	products(gpu.Shared[[places]gpu.MBarrier]()[:], gpu.Shared[[places]gpu.MBarrier]()[:], a, b, &s,
		lines{cols: tileCols, depth: depthTF32, parts: 1, manyA: manyA, manyB: manyB},
		func(i int) (a, b []gpu.TF32) { return at[i].a[:], at[i].b[:] },
		func(sum *gpu.C64x256[float32], x, y []gpu.TF32, first bool) {
			for step := range steps {
				gpu.WGMMA(sum, stepOf(x, step, depthTF32), stepOf(y, step, depthTF32), !first || step > 0)
			}
		},
		func(sum *gpu.C64x256[float32], batch, row, col int) {
			warpgroups.Store(sum, stage, to, boxes, &s, batch, row, col,
				func(sum float32) float32 { return alpha * sum },
				func(at int, x float32) { put(c, at, x, beta) })
		})
	gpu.CpAsyncBulkWaitGroupRead(0)
}

// turnedTF32 is productTF32 for a B across k, which is a: it computes the transpose of C from B's
// and A's, and the shape has the transpose's sizes.
//
//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func turnedTF32(a, b gpu.TensorMap[gpu.TF32], to gpu.TensorMap[float32], c []float32, boxes bool, s warpgroups.Shape, manyA, manyB int,
	alpha, beta float32,
) {
	at, stage := gpu.Shared[[places]placeTF32](), gpu.Shared[warpgroups.Stage[float32]]()
	ring := warpgroups.NewRing(gpu.Shared[[places]gpu.MBarrier]()[:], gpu.Shared[[places]gpu.MBarrier]()[:])
	warpgroups.ProductsAcross(ring, &s, warpgroups.Place{Cols: tileCols, Depth: depthTF32},
		func(place int, full *gpu.MBarrier, row, col, k, batch int) {
			gpu.MBarrierArriveExpectTx(full, (warpgroups.TileRows+tileCols)*tile.LineBytes)
			p := &at[place]
			for i := 0; i < warpgroups.TileRows; i += warpgroups.PanelK {
				gpu.CpAsyncBulkTensor(p.a[i*depthTF32:], a, full, row+i, k, batch*manyA)
			}
			first := gpu.BlockRank() * (tileCols / warpgroups.Cluster)
			gpu.CpAsyncBulkTensorMulticast(p.b[first*depthTF32:], b, full, 1<<warpgroups.Cluster-1, k, col+first, batch*manyB)
		},
		func(place, group int) warpgroups.Across {
			return warpgroups.LoadAcross(at[place].a[group*warpgroups.GroupRows*depthTF32:])
		},
		func(sum *gpu.C64x256[float32], x *warpgroups.Across, place int, first bool) {
			for step := range steps {
				gpu.WGMMA(sum, x[step], stepOf(at[place].b[:], step, depthTF32), !first || step > 0)
			}
		},
		func(sum *gpu.C64x256[float32], batch, row, col int) {
			warpgroups.StoreTurned(sum, stage, to, boxes, &s, batch, row, col,
				func(sum float32) float32 { return alpha * sum },
				func(at int, x float32) { put(c, at, x, beta) })
		})
	gpu.CpAsyncBulkWaitGroupRead(0)
}

//gpu:kernel block=384 minblocks=1 cluster=2 target=sm_90a
//gpu:nobounds
func productInt8(a, b gpu.TensorMap[int8], to gpu.TensorMap[int32], c []int32, boxes bool, s warpgroups.Shape, manyA, manyB int, alpha, beta int32) {
	at, stage := gpu.Shared[[places]placeInt8](), gpu.Shared[warpgroups.Stage[int32]]()
	products(gpu.Shared[[places]gpu.MBarrier]()[:], gpu.Shared[[places]gpu.MBarrier]()[:], a, b, &s,
		lines{cols: tileCols, depth: depthInt8, parts: 1, manyA: manyA, manyB: manyB},
		func(i int) (a, b []int8) { return at[i].a[:], at[i].b[:] },
		func(sum *gpu.C64x256[int32], x, y []int8, first bool) {
			for step := range steps {
				gpu.WGMMAS32(sum, stepOf(x, step, depthInt8), stepOf(y, step, depthInt8), !first || step > 0)
			}
		},
		func(sum *gpu.C64x256[int32], batch, row, col int) {
			warpgroups.Store(sum, stage, to, boxes, &s, batch, row, col,
				func(sum int32) int32 { return alpha * sum },
				func(at int, x int32) {
					if beta != 0 {
						x += beta * c[at]
					}
					c[at] = x
				})
		})
	gpu.CpAsyncBulkWaitGroupRead(0)
}

// put writes x + beta*C to an element of C.
func put(c []float32, at int, x, beta float32) {
	if beta != 0 {
		x = gpu.FMA(beta, c[at], x)
	}
	c[at] = x
}

// steps is the number of instructions along a line. Each takes 32 bytes.
const steps = 4

// stepOf is a tile along k from a step on.
func stepOf[T any](x []T, step, depth int) gpu.Matrix[T] {
	return gpu.MatrixOf(x[step*depth/steps:], 0, 8*tile.LineBytes, gpu.Swizzle128)
}

// lines is the part that a block multiplies at a time: 128 rows of A and cols columns of B, of each
// of parts parts, depth deep. manyA and manyB are from a product's factors to the next product's in
// the third dimension of their maps, partA and partB from part to part. If waits is set, a place is
// free when multiply returns.
type lines struct {
	cols, depth, parts         int
	manyA, manyB, partA, partB int
	waits                      bool
}

// products is the body of the kernels. placeOf gives the parts of A and B in a place, one after the
// other. multiply adds the products of a place to the sum of a warpgroup, whose rows of A begin
// with x, and write puts a sum into C.
func products[T, C any](full, empty []gpu.MBarrier, a, b gpu.TensorMap[T], s *warpgroups.Shape, l lines, placeOf func(i int) (a, b []T),
	multiply func(sum *C, x, y []T, first bool), write func(sum *C, batch, row, col int),
) {
	warpgroups.Products(warpgroups.NewRing(full, empty), s, warpgroups.Place{Cols: l.cols, Depth: l.depth, Waits: l.waits},
		func(place int, full *gpu.MBarrier, row, col, k, batch int) {
			gpu.MBarrierArriveExpectTx(full, l.parts*(warpgroups.TileRows+l.cols)*tile.LineBytes)
			x, y := placeOf(place)
			fetch(l, a, b, x, y, full, row, col, k, batch)
		},
		func(sum *C, place, group int, first bool) {
			x, y := placeOf(place)
			multiply(sum, x[group*warpgroups.GroupRows*l.depth:], y, first)
		}, write)
}

// fetch starts the copies of a place: of A this block's rows, and of B for all blocks of the
// cluster this one's share.
func fetch[T any](l lines, a, b gpu.TensorMap[T], x, y []T, full *gpu.MBarrier, row, col, k, batch int) {
	rank, share := gpu.BlockRank(), l.cols/warpgroups.Cluster
	for p := range l.parts {
		gpu.CpAsyncBulkTensorMulticast(x[p*warpgroups.TileRows*l.depth:], a, full, 1<<rank, k, row, batch*l.manyA+p*l.partA)
		gpu.CpAsyncBulkTensorMulticast(y[(p*l.cols+rank*share)*l.depth:], b, full, 1<<warpgroups.Cluster-1, k, col+rank*share, batch*l.manyB+p*l.partB)
	}
}
