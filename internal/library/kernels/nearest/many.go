package nearest

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

// ManyBlock is the number of threads of a block of the kernels for many queries, and Many the
// number of queries, and of rows, that a block takes at a time.
const (
	ManyBlock = 256
	Many      = 128

	lanes32 = 4                                     // of 16 bytes
	perRows = 8                                     // queries of a thread
	stages  = 2 * 2 * manyDepth * (Many + tile.Pad) // of shared memory: two of the queries and of the rows

	manyDepth = 8
)

// manyTile is how a block computes the scores of Many queries and Many rows.
func manyTile() tile.Tiling {
	return tile.Tiling{Threads: ManyBlock, Size: tile.Size{Rows: Many, Cols: Many}, ThreadRows: perRows, WarpCols: 2, Slices: 1, Depth: manyDepth, Vector: lanes32}
}

// manyProducts and its like leave the best rows for many queries. A block takes Many queries and a
// part of the rows: for each tile of these it computes all scores, in registers, and keeps those
// that are candidates. In manyProducts and manySquares, rows and queries begin at multiples of 16
// bytes, and have a multiple of 4 columns. The squares are for the Euclidean distance.
//
// The lists of block (t, p) begin at list p*s.Queries + t*Many of scores and rows, with their
// lengths in counts. s.Queries is a multiple of Many, and queries of them exist. inverseRows and
// inverseQueries are 1 over the norms, for a cosine.
//
// Launch with one block for each Many queries, and in the second dimension any number for parts of
// the rows, at most one for each Many. The indices are inside the matrices by construction: no
// index is checked here.
//
//gpu:kernel block=256 minblocks=2
//gpu:nobounds
func manyProducts(rows, queries []gpu.Float32x4, inverseRows, inverseQueries []float32, s Shape, exist int, scores []float32, chosen, counts []int32) {
	many(rows, queries, inverseRows, inverseQueries, s, exist, scores, chosen, counts, lanes32, gpu.Float32x4.Lane, product, scaled)
}

//gpu:kernel block=256 minblocks=2
//gpu:nobounds
func manySquares(rows, queries []gpu.Float32x4, s Shape, exist int, scores []float32, chosen, counts []int32) {
	many(rows, queries, nil, nil, s, exist, scores, chosen, counts, lanes32, gpu.Float32x4.Lane, square, distance)
}

//gpu:kernel block=256 minblocks=2
//gpu:nobounds
func anyProducts(rows, queries, inverseRows, inverseQueries []float32, s Shape, exist int, scores []float32, chosen, counts []int32) {
	many(rows, queries, inverseRows, inverseQueries, s, exist, scores, chosen, counts, 1, tile.Only[float32], product, scaled)
}

//gpu:kernel block=256 minblocks=2
//gpu:nobounds
func anySquares(rows, queries []float32, s Shape, exist int, scores []float32, chosen, counts []int32) {
	many(rows, queries, nil, nil, s, exist, scores, chosen, counts, 1, tile.Only[float32], square, distance)
}

// many is the body of the kernels. A V is a vector of lanes. lane takes one.
func many[V any](rows, queries []V, inverseRows, inverseQueries []float32, s Shape, exist int, scores []float32, chosen, counts []int32,
	lanes int, lane func(v V, i int) float32, term func(x, y, sum float32) float32, score func(sum, x, y float32) float32,
) {
	shared := gpu.Shared[[stages]float32]()
	scratch := gpu.Shared[collective.TopK[float32]]()
	states := gpu.Shared[[Many]collective.TopKState[float32]]()
	if i := gpu.ThreadIdx.X; i < Many {
		states[i] = collective.NoLimit[float32]()
	}
	firstQuery := gpu.BlockIdx.X * Many
	list := gpu.BlockIdx.Y*s.Queries + firstQuery
	best := topk.Lists[float32]{Scores: scores[list*s.Len:], Rows: chosen[list*s.Len:], Len: s.Len}
	tiles := (s.N + Many - 1) / Many
	end := tiles * (gpu.BlockIdx.Y + 1) / gpu.GridDim.Y
	for t := tiles * gpu.BlockIdx.Y / gpu.GridDim.Y; t < end; t++ {
		at := manyTile().At(firstQuery, t*Many)
		var sum tile.Sums[float32]
		tile.Accumulate(&sum, shared[:], tile.Operand[V]{Data: queries, Size: exist, Stride: s.QueriesStride / lanes},
			tile.Operand[V]{Data: rows, Size: s.N, Stride: s.RowsStride / lanes}, 0, s.Cols, at, manyTile(), lanes, true, true, lane, term)
		chooseOf(&sum, at, exist, inverseRows, inverseQueries, &s, best, states, score)
		cutMany(best, states, scratch, &s, min(Many, exist-firstQuery), t+1 == end)
	}
	if i := gpu.ThreadIdx.X; i < Many {
		counts[list+i] = states[i].Count
	}
}

// chooseOf adds rows to the lists of the queries for which they are candidates, by the thread's
// sums. Most sums are of no candidate: it finds that out for a query's sums together.
func chooseOf(sum *tile.Sums[float32], at tile.Position, exist int, inverseRows, inverseQueries []float32,
	s *Shape, best topk.Lists[float32], states *[Many]collective.TopKState[float32], score func(sum, x, y float32) float32,
) {
	t, row := manyTile(), at.TileCol+at.Col
	var x [tile.PerCols]float32
	for c := range tile.PerCols {
		x[c] = 1
		if s.Metric == Cosine {
			x[c] = inverseRows[min(row+t.Col(c), s.N-1)]
		}
	}
	for r := range perRows {
		q, y := at.Row+t.Row(r), float32(1)
		if s.Metric == Cosine {
			y = inverseQueries[min(at.TileRow+q, exist-1)]
		}
		limit, any := states[q], false
		for c := range tile.PerCols {
			sum[r][c] = score(sum[r][c], x[c], y)
			any = any || sum[r][c] >= limit.Value
		}
		if !any || at.TileRow+q >= exist {
			continue
		}
		for c := range tile.PerCols {
			if i := row + t.Col(c); i < s.N && limit.Passes(sum[r][c], int32(i)) {
				best.Add(&states[q], q, sum[r][c], int32(i))
			}
		}
	}
}

// cutMany cuts the lists that have no room for the rows of another tile, or all of them.
func cutMany(best topk.Lists[float32], states *[Many]collective.TopKState[float32], scratch *collective.TopK[float32], s *Shape, queries int, all bool) {
	gpu.SyncThreads()
	for i := range queries {
		if all || int(states[i].Count) > s.Len-Many {
			best.Cut(&states[i], scratch, i, s.K)
		}
	}
	gpu.SyncThreads()
}
