package nearest

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/kernels/topk"
)

//go:generate go tool gridstride build

// FewBlock is the number of threads of a block of the kernels for few queries, and Few the largest
// number of queries of a launch of few.
const (
	FewBlock = 128
	Few      = 8

	fewWarps  = FewBlock / gpu.WarpSize
	stripCols = 64
	vectors   = stripCols / 4 // of 16 bytes in a row of a strip, which are as many as a thread loads of it
	padded    = vectors + 1   // a row in shared memory: lanes that read one below the other then use different banks
)

// strip is a warp's part of the rows, a row for each lane, and of the queries.
type strip struct {
	rows    [gpu.WarpSize][padded]gpu.Float32x4
	queries [Few][vectors]gpu.Float32x4
}

// held is what a thread has loaded of the next strip.
type held struct {
	rows    [vectors]gpu.Float32x4
	queries [Few * vectors / gpu.WarpSize]gpu.Float32x4
}

// fewWide1, fewWide and fewAny leave the best rows for one query, or for Few at most. fewWide1 and
// fewWide load 16 bytes at a time: rows and queries begin at multiples of these, and have a multiple
// of 4 columns. A warp takes 32 rows, a lane one of them: so the terms are added along the columns.
// The rows come through shared memory, so that they are read side by side.
//
// The lists of block b begin at list b*Queries of scores and rows, with their lengths in counts.
// inverseRows and inverseQueries are 1 over the norms, for a cosine.
//
// Launch with any number of blocks. The indices are inside the matrices by construction: no index is
// checked here.
//
//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func fewWide1(rows, queries []gpu.Float32x4, inverseRows, inverseQueries []float32, s Shape, scores []float32, chosen, counts []int32) {
	few(rows, queries, inverseRows, inverseQueries, s, lists(scores, chosen, &s), counts, 1, 4, vector)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func fewWide(rows, queries []gpu.Float32x4, inverseRows, inverseQueries []float32, s Shape, scores []float32, chosen, counts []int32) {
	few(rows, queries, inverseRows, inverseQueries, s, lists(scores, chosen, &s), counts, Few, 4, vector)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func fewAny(rows, queries []float32, inverseRows, inverseQueries []float32, s Shape, scores []float32, chosen, counts []int32) {
	few(rows, queries, inverseRows, inverseQueries, s, lists(scores, chosen, &s), counts, Few, 1, numbers)
}

// lists are the block's.
func lists(scores []float32, rows []int32, s *Shape) topk.Lists[float32] {
	first := gpu.BlockIdx.X * s.Queries * s.Len
	return topk.Lists[float32]{Scores: scores[first:], Rows: rows[first:], Len: s.Len}
}

// vector is a vector of a row that begins with column c, and zeros behind the last column.
func vector(row []gpu.Float32x4, c, cols int) (v gpu.Float32x4) {
	if c < cols {
		v = row[c/4]
	}
	return v
}

// numbers is vector for rows that begin anywhere.
func numbers(row []float32, c, cols int) (v gpu.Float32x4) {
	for l := range 4 {
		if c+l < cols {
			v = v.With(l, row[c+l])
		}
	}
	return v
}

// few is the body of the kernels, for so many queries at most. An E has lanes elements.
func few[E any](rows, queries []E, inverseRows, inverseQueries []float32, s Shape, best topk.Lists[float32], counts []int32,
	most, lanes int, load func(row []E, c, cols int) gpu.Float32x4,
) {
	strips := gpu.Shared[[fewWarps]strip]()
	scratch := gpu.Shared[collective.TopK[float32]]()
	states := gpu.Shared[[Few]collective.TopKState[float32]]()
	if i := gpu.ThreadIdx.X; i < Few {
		states[i] = collective.NoLimit[float32]()
	}
	gpu.SyncThreads()
	mine, lane := &strips[gpu.WarpID()], gpu.LaneID()
	first, step := gpu.BlockIdx.X*FewBlock, gpu.GridDim.X*FewBlock // rows of the block
	warp := gpu.WarpID() * gpu.WarpSize                            // the warp's first among them
	var sum [Few]float32
	var next held
	bring(&next, rows, queries, first+warp, 0, &s, most, lanes, load)
	for k := 0; first < s.N; {
		mine.store(&next, most)
		gpu.SyncWarp(gpu.FullMask)
		used := min(vectors, (s.Cols-k+3)/4)
		k += stripCols
		last := k >= s.Cols
		ahead := first
		if last {
			k, ahead = 0, first+step
		}
		bring(&next, rows, queries, ahead+warp, k, &s, most, lanes, load)
		if s.Measure == Euclidean {
			mine.add(&sum, used, lane, most, square)
		} else {
			mine.add(&sum, used, lane, most, product)
		}
		gpu.SyncWarp(gpu.FullMask) // the strip may be written again
		if last {
			choose(&sum, first+warp+lane, inverseRows, inverseQueries, &s, best, states, most)
			first += step
			cut(best, states, scratch, &s, first >= s.N)
		}
	}
	if i := gpu.ThreadIdx.X; i < s.Queries {
		counts[gpu.BlockIdx.X*s.Queries+i] = states[i].Count
	}
}

// bring loads the thread's part of the strip that begins with row first and column k. Behind the last
// row and query, the last is read again.
func bring[E any](h *held, rows, queries []E, first, k int, s *Shape, most, lanes int, load func(row []E, c, cols int) gpu.Float32x4) {
	row, c := gpu.LaneID()/vectors, k+gpu.LaneID()%vectors*4
	for j := range vectors {
		i := min(first+j*gpu.WarpSize/vectors+row, s.N-1)
		h.rows[j] = load(rows[i*(s.RowsStride/lanes):], c, s.Cols)
	}
	for j := range (most*vectors + gpu.WarpSize - 1) / gpu.WarpSize {
		i := min(j*gpu.WarpSize/vectors+row, s.Queries-1)
		h.queries[j] = load(queries[i*(s.QueriesStride/lanes):], c, s.Cols)
	}
}

// store puts what the warp has loaded into its strip.
func (t *strip) store(h *held, most int) {
	row, c := gpu.LaneID()/vectors, gpu.LaneID()%vectors
	for j := range vectors {
		t.rows[j*gpu.WarpSize/vectors+row][c] = h.rows[j]
	}
	for j := range (most*vectors + gpu.WarpSize - 1) / gpu.WarpSize {
		t.queries[j*gpu.WarpSize/vectors+row][c] = h.queries[j]
	}
}

// add adds the terms of the lane's row with each query, of so many vectors.
func (t *strip) add(sum *[Few]float32, used, lane, most int, term func(x, y, sum float32) float32) {
	for v := range used {
		x := t.rows[lane][v]
		for i := range most {
			y := t.queries[i][v]
			for l := range 4 {
				sum[i] = term(x.Lane(l), y.Lane(l), sum[i])
			}
		}
	}
}

// choose adds the row to the lists of the queries of which it is a candidate, and begins new sums.
func choose(sum *[Few]float32, row int, inverseRows, inverseQueries []float32, s *Shape, best topk.Lists[float32],
	states *[Few]collective.TopKState[float32], most int,
) {
	x := float32(1)
	if s.Measure == Cosine && row < s.N {
		x = inverseRows[row]
	}
	for i := range most {
		if row < s.N && i < s.Queries {
			y := float32(1)
			if s.Measure == Cosine {
				y = inverseQueries[i]
			}
			score := scaled(sum[i], x, y)
			if s.Measure == Euclidean {
				score = distance(sum[i], x, y)
			}
			if states[i].Passes(score, int32(row)) {
				best.Add(&states[i], i, score, int32(row))
			}
		}
		sum[i] = 0
	}
}

// cut cuts the lists that have no room for another row of each thread, or all of them.
func cut(best topk.Lists[float32], states *[Few]collective.TopKState[float32], scratch *collective.TopK[float32], s *Shape, all bool) {
	gpu.SyncThreads()
	for i := range s.Queries {
		if all || int(states[i].Count) > s.Len-FewBlock {
			best.Cut(&states[i], scratch, i, s.K)
		}
	}
	gpu.SyncThreads()
}
