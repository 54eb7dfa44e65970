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

// Metric says how the score of two vectors is computed. The largest score is the best.
//
// The terms of a score are added in the order of the columns, each with one fused multiply-add,
// starting with 0. A norm is the root of a sum of squares. Lane l of 32 adds the squares of the
// columns l, l+32 and so on, each with one fused multiply-add. Then the sums of lanes 16 apart are
// added, then of lanes 8 apart, and so on to 1. All of it is in the type of the scores.
type Metric int

const (
	// Dot is the dot product.
	Dot = Metric(nearest.Dot)
	// Cosine is the dot product, times 1 over the norm of the row, times 1 over the norm of the
	// query, each rounded. The score of a vector of zeros with any finite vector is 0. Squares are
	// not scaled: the sum of a vector's squares must be inside the range of the scores' type, as it
	// is in float32 for norms of 1e-18 to 1e18. A vector with infinities or NaN has NaN with every
	// one.
	Cosine = Metric(nearest.Cosine)
	// Euclidean is the Euclidean distance with the sign changed: less the root of the sum of the
	// squares of the differences, each of them rounded.
	Euclidean = Metric(nearest.Euclidean)
)

// Vectors are the rows of a matrix on the device, made ready for searches with scores of S: the
// hits have the best scores in that type. Any number of goroutines may use them.
type Vectors[S gpublas.Float] struct {
	h       *Handle
	rows    operand.Matrix[float32]
	metric  Metric
	mu      sync.Mutex // taken before the handle's lock
	closed  bool
	inverse gridstride.Buffer[S] // 1 over the norms, for a cosine
	copies  *shortlist.Copies    // made by the first search that needs them
	noRoom  bool                 // whether there was no memory for the copies
}

// NewVectors makes the rows of a matrix ready. It queues the computation of the norms, if the metric
// has any, and allocates a number for each. The matrix stays the caller's: its elements are used by
// each search, and must not change until Close. Searches are fastest where rows begin at multiples
// of 16 bytes, and have a multiple of 4 columns.
//
// On a GPU of 9.0, the first search of [Dot] or [Cosine] that goes by rough scores makes a copy of
// the rows in bfloat16, which takes half the memory of the rows, and 4 bytes a row. Without that
// memory, searches compute the exact scores of all rows.
//
// Searches with scores of float64 take little longer by rough scores. Otherwise they take many times
// as long.
//
// Errors: a matrix that cannot be one, of no columns, or of more rows than an int32 counts; an
// unknown metric; the errors of [gridstride.Make] and [gridstride.Device.Load].
func NewVectors[S gpublas.Float](h *Handle, rows gpublas.Matrix[float32], m Metric) (*Vectors[S], error) {
	call := h.core.Call("NewVectors")
	v := &Vectors[S]{h: h, rows: operand.Matrix[float32](rows), metric: m}
	if m < Dot || m > Euclidean {
		return nil, operand.Errorf(gridstride.ErrRange, "%s: there is no metric %d", call, int(m))
	}
	if err := v.rows.Check(call, "rows"); err != nil {
		return nil, err
	}
	if rows.Cols == 0 || rows.Rows > math.MaxInt32-nearest.Many {
		return nil, operand.Errorf(gpublas.ErrShape, "%s: rows is %d x %d; want at least one column, and %d rows at most",
			call, rows.Rows, rows.Cols, math.MaxInt32-nearest.Many)
	}
	if m != Cosine || rows.Rows == 0 {
		return v, nil
	}
	err := h.core.Queue("NewVectors", func(s *gridstride.Stream, _ onepass.Work) error {
		return spaceOf[S](h).inverseOf(s, v.rows, &v.inverse)
	})
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// Close gives the norms and the copy back, and leaves the matrix. What is queued still runs, and
// nothing more can be queued. A second Close does nothing.
func (v *Vectors[S]) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil
	}
	v.closed = true
	return errors.Join(v.inverse.Free(), v.copies.Free())
}

// queue runs what queues the launches of a search.
func (v *Vectors[S]) queue(method string, launch func(s *gridstride.Stream, w onepass.Work) error) error {
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
func (v *Vectors[S]) Search(ctx context.Context, queries gpublas.Matrix[float32], k int) (hits [][]Hit[S], err error) {
	return wait(ctx, v.h.Stream(), max(queries.Rows, 0), k, func(rows gridstride.Buffer[int32], scores gridstride.Buffer[S]) error {
		return v.SearchTo(queries, k, rows, scores)
	})
}

// SearchTo leaves the hits of [Vectors.Search] for query i in rows[i*k] up to rows[i*k+k-1], and
// their scores in the same places of scores. If there are fewer, the others are row -1.
func (v *Vectors[S]) SearchTo(queries gpublas.Matrix[float32], k int, rows gridstride.Buffer[int32], scores gridstride.Buffer[S]) error {
	call, q := v.h.core.Call("Search"), operand.Matrix[float32](queries)
	if err := v.checkQueries(call, q, k, rows, scores); err != nil || q.Rows == 0 {
		return err
	}
	return v.queue("Search", func(s *gridstride.Stream, w onepass.Work) error {
		if v.rows.Rows == 0 {
			n := q.Rows * k
			return errors.Join(rows.Slice(0, n).Fill(s, -1), scores.Slice(0, n).Zero(s))
		}
		f := shortlist.Search[S]{Metric: nearest.Metric(v.metric), Rows: v.rows, Queries: q, InverseRows: v.inverse, K: k}
		space := spaceOf[S](v.h)
		if v.metric == Cosine {
			if err := space.inverseOf(s, q, &space.inverse); err != nil {
				return err
			}
			f.InverseQueries = space.inverse
		}
		rough, err := v.roughly(s, q.Rows)
		switch {
		case err != nil:
			return err
		case rough != nil:
			return v.searchRoughly(s, rough, f, rows, scores)
		}
		return v.searchAll(s, w, f, rows, scores)
	})
}

// searchRoughly queues a search by rough scores.
func (v *Vectors[S]) searchRoughly(s *gridstride.Stream, rough *shortlist.Plan, f shortlist.Search[S], rows gridstride.Buffer[int32], scores gridstride.Buffer[S]) error {
	space := spaceOf[S](v.h)
	exact, err := space.exact()
	if err != nil {
		return err
	}
	return shortlist.Launch(s, rough, exact, &v.h.memory, &space.lists, v.copies, f, rows, scores)
}

// searchAll queues a search that computes the exact scores of all rows.
func (v *Vectors[S]) searchAll(s *gridstride.Stream, w onepass.Work, f shortlist.Search[S], rows gridstride.Buffer[int32], scores gridstride.Buffer[S]) error {
	space := spaceOf[S](v.h)
	if single, ok := any(f).(shortlist.Search[float32]); ok {
		plan, err := v.h.nearest()
		if err != nil {
			return err
		}
		all := nearest.Search{Metric: f.Metric, Rows: f.Rows, Queries: f.Queries, InverseRows: single.InverseRows,
			InverseQueries: single.InverseQueries, K: f.K}
		return plan.Launch(s, &v.h.singles.lists, w, all, rows, any(scores).(gridstride.Buffer[float32]))
	}
	exact, err := space.exact()
	if err != nil {
		return err
	}
	return exact.LaunchAll(s, &v.h.memory, &space.lists, f, rows, scores)
}
