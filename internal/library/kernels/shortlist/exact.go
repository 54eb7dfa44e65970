package shortlist

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
)

// vectors are the operands of exact scores: rows and queries of Cols elements, with the distance
// from one to the next in elements, and 1 over their norms for a cosine.
type vectors[T gpu.Float] struct {
	Rows, Queries               []float32
	Cols                        int
	RowsStride, QueriesStride   int
	InverseRows, InverseQueries []T
	Metric                      nearest.Metric
}

// A warp has this many columns of its rows in shared memory at a time, and brings this many rows of
// them at once. A line there is longer by one, so that lanes that read one below the other use
// different banks.
const (
	strip   = gpu.WarpSize
	line    = strip + 1
	atATime = 8
)

// stage is a warp's shared memory.
type stage [gpu.WarpSize * line]float32

// few is how many queries scan compares with a row at a time.
const few = 8

// sums is the sums of a lane.
type sums[T gpu.Float] interface{ [1]T | [few]T }

// terms adds up the terms of the score of the lane's row with queries, along the columns. The warp's
// lanes below lanes, at least one, have different rows. All lanes make the call. queryOf is the
// number of a query.
func terms[T gpu.Float, S sums[T]](v *vectors[T], at *stage, row, lanes int, queryOf func(i int) int) S {
	if v.Metric == nearest.Euclidean {
		return termsOf[T, S](v, at, row, lanes, queryOf, square)
	}
	return termsOf[T, S](v, at, row, lanes, queryOf, product)
}

// product and square add a term of a score to a sum, as package nearest does it for float32.
func product[T gpu.Float](x, y, sum T) T { return gpu.FMA(x, y, sum) }

func square[T gpu.Float](x, y, sum T) T { return gpu.FMA(x-y, x-y, sum) }

func termsOf[T gpu.Float, S sums[T]](v *vectors[T], at *stage, row, lanes int, queryOf func(i int) int, term func(x, y, sum T) T) (sum S) {
	c := 0
	for ; c+strip <= v.Cols; c += strip {
		addStrip(&sum, v, at, row, lanes, c, strip, queryOf, term)
	}
	for ; c < v.Cols; c += strip {
		addStrip(&sum, v, at, row, lanes, c, v.Cols-c, queryOf, term)
	}
	return sum
}

// addStrip adds the terms of used columns from column c on.
func addStrip[T gpu.Float, S sums[T]](sum *S, v *vectors[T], at *stage, row, lanes, c, used int, queryOf func(i int) int, term func(x, y, sum T) T) {
	lane := gpu.LaneID()
	col := c + min(lane, used-1)
	v.bring(at, row, lanes, col)
	var y, zeros S // the zeros are as many, which vet sees to be the same in all lanes
	for q := range len(zeros) {
		y[q] = T(v.Queries[queryOf(q)*v.QueriesStride+col])
	}
	gpu.SyncWarp(gpu.FullMask)
	mine := at[min(lane, lanes-1)*line:]
	for j := range used {
		x := T(mine[j])
		for q := range len(zeros) {
			(*sum)[q] = term(x, gpu.ShflSync(gpu.FullMask, y[q], j), (*sum)[q])
		}
	}
	gpu.SyncWarp(gpu.FullMask) // the strip may be written again
}

// bring copies a column of each lane's row into the stage: the one that the calling lane names.
func (v *vectors[T]) bring(at *stage, row, lanes, col int) {
	for first := 0; first < lanes; first += atATime {
		var x [atATime]float32
		for i := range atATime {
			x[i] = v.Rows[gpu.ShflSync(gpu.FullMask, row, min(first+i, lanes-1))*v.RowsStride+col]
		}
		for i := range atATime {
			at[min(first+i, lanes-1)*line+gpu.LaneID()] = x[i]
		}
	}
}

// scoreOf makes a score of a sum, as package nearest does it for float32.
func (v *vectors[T]) scoreOf(sum T, row, query int) T {
	switch v.Metric {
	case nearest.Cosine:
		return sum * v.InverseRows[row] * v.InverseQueries[query]
	case nearest.Euclidean:
		return -gpu.Sqrt(sum)
	}
	return sum
}

// best are the rows that were chosen for the queries: K for each, with their scores.
type best[T gpu.Float] struct {
	Rows   []int32
	Scores []T
	K      int
}

// put writes a thread's part of a query's rows: row -1 with a score of 0 after the last one.
func (b *best[T]) put(query, j int, some bool, row int32, score T) {
	if !some {
		row, score = -1, 0
	}
	b.Rows[query*b.K+j], b.Scores[query*b.K+j] = row, score
}

// left is the queries that remain to scan. Count[0] is their number. If Queries has no elements,
// they are all.
type left struct {
	Queries []int32
	Count   []int32
}

// at is the number of the i-th of them.
func (r *left) at(i int) int {
	if len(r.Queries) == 0 {
		return i
	}
	return int(r.Queries[i])
}
