package nearest

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/topk"
)

//go:generate go tool gridstride build

// FewBlock is the number of threads of a block of the kernels for few queries, and Few the largest
// number of queries of a launch of few.
const (
	FewBlock = 128
	Few      = 8
)

// Strip says how a warp goes through the rows: a row for each lane, and Vectors vectors of 16 bytes
// of its columns at a time. It is constant when a kernel is compiled.
type Strip struct {
	Warps   int // of a block
	Queries int // that a warp compares with its rows, at most
	Vectors int // of a row in a strip; a power of two, mostVectors at most
}

// mostVectors is the largest number of vectors of a strip's row.
const mostVectors = 32

// The strips of the kernels, and what a block of them has in shared memory, in vectors.
const (
	fewWarps   = FewBlock / gpu.WarpSize
	fewVectors = 16
	fewShared1 = fewWarps * (gpu.WarpSize*(fewVectors+1) + gpu.WarpSize)
	fewShared  = fewWarps * (gpu.WarpSize*(fewVectors+1) + Few*fewVectors)
)

// held is a thread's loaded part of the next strip.
type held struct {
	rows    [mostVectors]gpu.Float32x4
	queries [Few * mostVectors / gpu.WarpSize]gpu.Float32x4
}

// fewWide1, fewWide and fewAny leave the best rows for one query, or for Few at most. fewWide1 and
// fewWide load 16 bytes at a time: rows and queries begin at multiples of these, and have a
// multiple of 4 columns. A warp takes 32 rows, a lane one of them: so the terms are added along the
// columns. The rows come through shared memory, so that they are read side by side.
//
// The lists of block b begin at list b*Queries of scores and rows, with their lengths in counts.
// inverseRows and inverseQueries are 1 over the norms, for a cosine.
//
// Launch with any number of blocks. The indices are inside the matrices by construction: no index
// is checked here.
//
//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func fewWide1(rows, queries []gpu.Float32x4, inverseRows, inverseQueries []float32, s Shape, scores []float32, chosen, counts []int32) {
	Best(gpu.Shared[[fewShared1]gpu.Float32x4]()[:], rows, queries, inverseRows, inverseQueries, s, scores, chosen, counts,
		Strip{fewWarps, 1, fewVectors}, 4, vector)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func fewWide(rows, queries []gpu.Float32x4, inverseRows, inverseQueries []float32, s Shape, scores []float32, chosen, counts []int32) {
	Best(gpu.Shared[[fewShared]gpu.Float32x4]()[:], rows, queries, inverseRows, inverseQueries, s, scores, chosen, counts,
		Strip{fewWarps, Few, fewVectors}, 4, vector)
}

//gpu:kernel block=128 minblocks=4
//gpu:nobounds
func fewAny(rows, queries []float32, inverseRows, inverseQueries []float32, s Shape, scores []float32, chosen, counts []int32) {
	Best(gpu.Shared[[fewShared]gpu.Float32x4]()[:], rows, queries, inverseRows, inverseQueries, s, scores, chosen, counts,
		Strip{fewWarps, Few, fewVectors}, 1, numbers)
}

// lists are the block's.
func lists(scores []float32, rows []int32, s *Shape) topk.Lists[float32] {
	first := gpu.BlockIdx.X * s.Queries * s.Len
	return topk.Lists[float32]{Scores: scores[first:], Rows: rows[first:], Len: s.Len}
}

// vector is a vector of a row that begins with column c, and zeros after the last column.
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

// Best is the body of the kernels: it leaves the best rows of each query, as fewWide1 says. Shared
// has room for a strip of each warp. A row in it is one vector longer than needed, so that lanes
// that read one below the other use different banks. The loaded part of the queries follows the
// rows. An E has lanes elements.
func Best[E any](shared []gpu.Float32x4, rows, queries []E, inverseRows, inverseQueries []float32, s Shape,
	scores []float32, chosen, counts []int32, t Strip, lanes int, load func(row []E, c, cols int) gpu.Float32x4,
) {
	scratch := gpu.Shared[collective.TopK[float32]]()
	states := gpu.Shared[[Few]collective.TopKState[float32]]()
	if i := gpu.ThreadIdx.X; i < Few {
		states[i] = collective.NoLimit[float32]()
	}
	gpu.SyncThreads()
	best := lists(scores, chosen, &s)
	shared = shared[gpu.WarpID()*(len(shared)/t.Warps):]
	var sum [Few]float32
	var next held
	round, now := 0, t.part(0, s.N)
	bring(&next, rows, queries, now, 0, &s, t, lanes, load)
	for k := 0; now.some; {
		next.store(shared, t)
		gpu.SyncWarp(gpu.FullMask)
		used := min(t.Vectors, (s.Cols-k+3)/4)
		k += t.Vectors * 4
		last, ahead := k >= s.Cols, now
		if last {
			round++
			k, ahead = 0, t.part(round, s.N)
		}
		bring(&next, rows, queries, ahead, k, &s, t, lanes, load)
		if s.Metric == Euclidean {
			add(&sum, shared, used, t, square)
		} else {
			add(&sum, shared, used, t, product)
		}
		gpu.SyncWarp(gpu.FullMask) // the strip may be written again
		if last {
			choose(&sum, now, inverseRows, inverseQueries, &s, best, states, t.Queries)
			cut(best, states, scratch, &s, t.Warps*gpu.WarpSize, !ahead.some)
		}
		now = ahead
	}
	if i := gpu.ThreadIdx.X; i < s.Queries {
		counts[gpu.BlockIdx.X*s.Queries+i] = states[i].Count
	}
}

// part is the rows that a warp takes in a round, from first up to end.
type part struct {
	first, end int
	some       bool // whether the round has rows, of this warp or of others
}

// part is the warp's part in a round. All warps of the launch take 32 rows each in a round, and
// fewer in the last one, so that each has some: they finish at the same time.
func (t Strip) part(round, n int) part {
	warps := gpu.GridDim.X * t.Warps
	begin := round * warps * gpu.WarpSize
	if begin >= n {
		return part{0, n, false}
	}
	each := min(gpu.WarpSize, (n-begin+warps-1)/warps)
	first := begin + (gpu.BlockIdx.X*t.Warps+gpu.WarpID())*each
	return part{first, min(first+each, n), true}
}

// bring loads the thread's share of the strip that begins with column k of a part. After the part's
// last row, and the last query, it reads the last again.
func bring[E any](h *held, rows, queries []E, p part, k int, s *Shape, t Strip, lanes int, load func(row []E, c, cols int) gpu.Float32x4) {
	row, c := gpu.LaneID()/t.Vectors, k+gpu.LaneID()%t.Vectors*4
	for j := range t.Vectors {
		i := min(p.first+j*gpu.WarpSize/t.Vectors+row, p.end-1)
		h.rows[j] = load(rows[i*(s.RowsStride/lanes):], c, s.Cols)
	}
	for j := range (t.Queries*t.Vectors + gpu.WarpSize - 1) / gpu.WarpSize {
		i := min(j*gpu.WarpSize/t.Vectors+row, s.Queries-1)
		h.queries[j] = load(queries[i*(s.QueriesStride/lanes):], c, s.Cols)
	}
}

// store puts what the warp has loaded into its strip.
func (h *held) store(shared []gpu.Float32x4, t Strip) {
	row, c := gpu.LaneID()/t.Vectors, gpu.LaneID()%t.Vectors
	for j := range t.Vectors {
		shared[(j*gpu.WarpSize/t.Vectors+row)*(t.Vectors+1)+c] = h.rows[j]
	}
	queries := shared[gpu.WarpSize*(t.Vectors+1)+gpu.LaneID():]
	for j := range (t.Queries*t.Vectors + gpu.WarpSize - 1) / gpu.WarpSize {
		queries[j*gpu.WarpSize] = h.queries[j]
	}
}

// add adds the terms of the lane's row with each query, of used vectors.
func add(sum *[Few]float32, shared []gpu.Float32x4, used int, t Strip, term func(x, y, sum float32) float32) {
	row, queries := shared[gpu.LaneID()*(t.Vectors+1):], shared[gpu.WarpSize*(t.Vectors+1):]
	for v := range used {
		x := row[v]
		for i := range t.Queries {
			y := queries[i*t.Vectors+v]
			for l := range 4 {
				sum[i] = term(x.Lane(l), y.Lane(l), sum[i])
			}
		}
	}
}

// choose adds the lane's row to the lists of the queries for which it is a candidate, and begins
// new sums, of most queries at most.
func choose(sum *[Few]float32, p part, inverseRows, inverseQueries []float32, s *Shape, best topk.Lists[float32],
	states *[Few]collective.TopKState[float32], most int,
) {
	row := p.first + gpu.LaneID()
	exists := row < p.end
	x := float32(1)
	if s.Metric == Cosine && exists {
		x = inverseRows[row]
	}
	for i := range most {
		if exists && i < s.Queries {
			y := float32(1)
			if s.Metric == Cosine {
				y = inverseQueries[i]
			}
			score := scaled(sum[i], x, y)
			if s.Metric == Euclidean {
				score = distance(sum[i], x, y)
			}
			if states[i].Passes(score, int32(row)) {
				best.Add(&states[i], i, score, int32(row))
			}
		}
		sum[i] = 0
	}
}

// cut cuts the lists without room for a row more from each of the threads, or all lists.
func cut(best topk.Lists[float32], states *[Few]collective.TopKState[float32], scratch *collective.TopK[float32], s *Shape, threads int, all bool) {
	gpu.SyncThreads()
	for i := range s.Queries {
		if all || int(states[i].Count) > s.Len-threads {
			best.Cut(&states[i], scratch, i, s.K)
		}
	}
	gpu.SyncThreads()
}
