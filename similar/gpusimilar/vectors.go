package gpusimilar

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/nearest"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/shortlist"
)

// Measure says how the score of two vectors is computed. The largest score is the best.
//
// The terms of a score are added in the order of the columns, each with one fused multiply-add,
// starting with 0. A norm is the root of a sum of squares. Lane l of 32 adds the squares of the
// columns l, l+32 and so on, each with one fused multiply-add. Then the sums of lanes 16 apart are
// added, then of lanes 8 apart, and so on to 1. All of it is in float32 for [Vectors.Search], and
// in float64 for [Vectors.Search64].
type Measure int

const (
	// Dot is the dot product.
	Dot = Measure(nearest.Dot)
	// Cosine is the dot product, times 1 over the norm of the row, times 1 over the norm of the
	// query, each rounded. The score of a vector of zeros with any finite vector is 0. Squares are
	// not scaled: the sum of a vector's squares must be inside the range of float32, as it is for
	// norms of 1e-18 to 1e18. A vector with infinities or NaN has NaN with every one.
	Cosine = Measure(nearest.Cosine)
	// Euclidean is the Euclidean distance with the sign changed: less the root of the sum of the
	// squares of the differences, each of them rounded.
	Euclidean = Measure(nearest.Euclidean)
)

// Vectors are the rows of a matrix on the device, made ready for searches. Any number of goroutines
// may use them.
type Vectors struct {
	h         *Handle
	rows      operand.Matrix[float32]
	measure   Measure
	mu        sync.Mutex // taken before the handle's lock
	closed    bool
	inverse   gridstride.Buffer[float32] // 1 over the norms, for a cosine
	inverse64 gridstride.Buffer[float64] // made by the first search that needs it
	copies    *shortlist.Copies          // likewise
	noRoom    bool                       // whether there was no memory for the copies
}

// Vectors makes the rows of a matrix ready. It queues the computation of the norms, if the measure
// has any, and allocates a number for each. The matrix stays the caller's: its elements are used by
// each search, and must not change until Close. Searches are fastest where rows begin at multiples
// of 16 bytes, and have a multiple of 4 columns.
//
// On a GPU of 9.0, the first search of [Dot] or [Cosine] that goes by rough scores makes a copy of
// the rows in bfloat16, which takes half the memory of the rows, and 4 bytes a row. Without that
// memory, searches compute the exact scores of all rows.
//
// Errors: a matrix that cannot be one, of no columns, or of more rows than an int32 counts; an
// unknown measure; the errors of [gridstride.Make] and [gridstride.Device.Load].
func (h *Handle) Vectors(rows gpublas.Matrix[float32], m Measure) (*Vectors, error) {
	call := h.core.Call("Vectors")
	v := &Vectors{h: h, rows: operand.Matrix[float32](rows), measure: m}
	if m < Dot || m > Euclidean {
		return nil, operand.Errorf(gridstride.ErrRange, "%s: %d is no measure", call, int(m))
	}
	if err := v.rows.Check(call, "rows"); err != nil {
		return nil, err
	}
	if rows.Cols == 0 || rows.Rows > math.MaxInt32-nearest.Many {
		return nil, operand.Errorf(gpublas.ErrShape, "%s: rows is %d x %d: it has at least one column, and %d rows at most",
			call, rows.Rows, rows.Cols, math.MaxInt32-nearest.Many)
	}
	if m != Cosine || rows.Rows == 0 {
		return v, nil
	}
	err := h.core.Queue("Vectors", func(s *gridstride.Stream, _ onepass.Work) error { return h.space32.inverseOf(s, v.rows, &v.inverse) })
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// Close gives the norms and the copy back, and leaves the matrix. What is queued still runs, and
// nothing more can be queued. A second Close does nothing.
func (v *Vectors) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil
	}
	v.closed = true
	return errors.Join(v.inverse.Free(), v.inverse64.Free(), v.copies.Free())
}

// queue runs what queues the launches of a search.
func (v *Vectors) queue(method string, launch func(s *gridstride.Stream, w onepass.Work) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return operand.Errorf(gridstride.ErrClosed, "%s: the vectors are closed", v.h.core.Call(method))
	}
	return v.h.core.Queue(method, launch)
}

// Search finds the k best rows for each row of queries, which have as many columns: hits[i] are the
// hits of row i, fewer than k if there are no more. k is 1 to MaxK. It allocates buffers for the
// result.
func (v *Vectors) Search(ctx context.Context, queries gpublas.Matrix[float32], k int) (hits [][]Hit[float32], err error) {
	return wait(ctx, v.h.Stream(), max(queries.Rows, 0), k, func(rows gridstride.Buffer[int32], scores gridstride.Buffer[float32]) error {
		return v.SearchTo(queries, k, rows, scores)
	})
}

// SearchTo leaves the hits of [Vectors.Search] for query i in rows[i*k] up to rows[i*k+k-1], and
// their scores in the same places of scores. If there are fewer, the others are row -1.
func (v *Vectors) SearchTo(queries gpublas.Matrix[float32], k int, rows gridstride.Buffer[int32], scores gridstride.Buffer[float32]) error {
	call, q := v.h.core.Call("Search"), operand.Matrix[float32](queries)
	if err := checkQueries(call, v, q, k, rows, scores); err != nil || q.Rows == 0 {
		return err
	}
	return v.queue("Search", func(s *gridstride.Stream, w onepass.Work) error {
		if v.rows.Rows == 0 {
			return nothing(s, q.Rows*k, rows, scores)
		}
		if q.Rows > nearest.Few && v.goesRough(q.Rows, leastWork32) {
			plan, copies, err := v.roughly(s)
			if err != nil {
				return err
			}
			if copies != nil {
				f := shortlist.Search[float32]{Measure: nearest.Measure(v.measure), Rows: v.rows, Queries: q, InverseRows: v.inverse, K: k}
				return searchExact(s, v.h, &v.h.space32, plan, copies, f, rows, scores)
			}
		}
		return v.search(s, w, q, k, rows, scores)
	})
}

// search queues a search that computes the scores of all rows.
func (v *Vectors) search(s *gridstride.Stream, w onepass.Work, q operand.Matrix[float32], k int, rows gridstride.Buffer[int32], scores gridstride.Buffer[float32]) error {
	plan, err := v.h.nearest()
	if err != nil {
		return err
	}
	space := &v.h.space32
	search := nearest.Search{Measure: nearest.Measure(v.measure), Rows: v.rows, Queries: q, InverseRows: v.inverse, K: k}
	if v.measure == Cosine {
		if err := space.inverseOf(s, q, &space.inverse); err != nil {
			return err
		}
		search.InverseQueries = space.inverse
	}
	return plan.Launch(s, &space.lists, w, search, rows, scores)
}

// Search64 is [Vectors.Search] with scores of float64, computed of the same numbers: the hits have
// the best scores in float64.
//
// By rough scores it takes little longer. Otherwise it takes many times as long.
func (v *Vectors) Search64(ctx context.Context, queries gpublas.Matrix[float32], k int) (hits [][]Hit[float64], err error) {
	return wait(ctx, v.h.Stream(), max(queries.Rows, 0), k, func(rows gridstride.Buffer[int32], scores gridstride.Buffer[float64]) error {
		return v.Search64To(queries, k, rows, scores)
	})
}

// Search64To leaves the hits of [Vectors.Search64] as [Vectors.SearchTo] does.
func (v *Vectors) Search64To(queries gpublas.Matrix[float32], k int, rows gridstride.Buffer[int32], scores gridstride.Buffer[float64]) error {
	call, q := v.h.core.Call("Search64"), operand.Matrix[float32](queries)
	if err := checkQueries(call, v, q, k, rows, scores); err != nil || q.Rows == 0 {
		return err
	}
	return v.queue("Search64", func(s *gridstride.Stream, _ onepass.Work) (err error) {
		if v.rows.Rows == 0 {
			return nothing(s, q.Rows*k, rows, scores)
		}
		space := &v.h.space64
		if v.measure == Cosine && v.inverse64.Len() == 0 {
			if err := space.inverseOf(s, v.rows, &v.inverse64); err != nil {
				return err
			}
		}
		var plan *shortlist.Plan
		var copies *shortlist.Copies
		if v.goesRough(max(q.Rows, nearest.Few), leastWork64) {
			if plan, copies, err = v.roughly(s); err != nil {
				return err
			}
		}
		f := shortlist.Search[float64]{Measure: nearest.Measure(v.measure), Rows: v.rows, Queries: q, InverseRows: v.inverse64, K: k}
		return searchExact(s, v.h, space, plan, copies, f, rows, scores)
	})
}
