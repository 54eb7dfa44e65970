package gpusimilar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Spread are vectors on several devices that are searched as one collection. Any number of goroutines
// may use it.
type Spread[S gpublas.Float] struct {
	parts []*Vectors[S]
	first []int // the row of the collection that each part begins with
}

// NewSpread makes a collection of the rows of parts, one part after the other: row 0 of the second
// part follows the last row of the first. All have the same metric and number of columns. Parts may
// have different numbers of rows, also none. The parts stay the caller's, and must not be closed
// before the last search has ended. Parts of one device are searched one after the other.
//
// Errors: gpublas.ErrShape.
func NewSpread[S gpublas.Float](parts ...*Vectors[S]) (*Spread[S], error) {
	const call = "gpusimilar: NewSpread"
	if len(parts) == 0 {
		return nil, operand.Errorf(gpublas.ErrShape, "%s: no parts; want at least one", call)
	}
	x, row := &Spread[S]{parts: slices.Clone(parts)}, 0
	for i, p := range parts {
		switch first := parts[0]; {
		case p.metric != first.metric:
			return nil, operand.Errorf(gpublas.ErrShape, "%s: part %d has metric %d, and part 0 metric %d", call, i, int(p.metric), int(first.metric))
		case p.rows.Cols != first.rows.Cols:
			return nil, operand.Errorf(gpublas.ErrShape, "%s: part %d has %d columns, and part 0 %d", call, i, p.rows.Cols, first.rows.Cols)
		}
		x.first = append(x.first, row)
		row += p.rows.Rows
	}
	return x, nil
}

// Search is [Vectors.Search] of the collection: the hits are the same, with the same bits, as if all
// rows were on one device. The queries are on the device of one of the parts, and are ordered by its
// stream. They are copied to the other devices. Each device finds the k best of its rows, and these
// are merged on the host.
//
// Errors: the errors of Vectors.Search, with the part; gridstride.ErrWrongDevice where the queries are
// on no part's device.
func (x *Spread[S]) Search(ctx context.Context, queries gpublas.Matrix[float32], k int) (hits [][]Hit[S], err error) {
	if err := operand.Matrix[float32](queries).Check("gpusimilar: Search", "queries"); err != nil {
		return nil, err
	}
	ready, err := x.ready(queries)
	if err != nil {
		return nil, err
	}
	found, errs := make([][][]Hit[S], len(x.parts)), make([]error, len(x.parts))
	var all sync.WaitGroup
	for i, p := range x.parts {
		all.Go(func() {
			if found[i], errs[i] = p.searchCopy(ctx, queries, ready, k); errs[i] != nil {
				errs[i] = fmt.Errorf("part %d: %w", i, errs[i])
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return x.merge(found, queries.Rows, k), nil
}

// ready is the point from which the queries may be read.
func (x *Spread[S]) ready(queries gpublas.Matrix[float32]) (*gridstride.Event, error) {
	var err error
	for _, p := range x.parts {
		s := p.h.Stream()
		if err = queries.Data.Check(s); err == nil {
			return s.Record(), nil
		}
	}
	return nil, fmt.Errorf("gpusimilar: Search: the queries are on no part's device: %w", err)
}

// searchCopy searches the part for queries of any device.
func (v *Vectors[S]) searchCopy(ctx context.Context, queries gpublas.Matrix[float32], ready *gridstride.Event, k int) (hits [][]Hit[S], err error) {
	s := v.h.Stream()
	if err := s.After(ready); err != nil {
		return nil, err
	}
	if queries.Data.Check(s) == nil {
		return v.Search(ctx, queries, k)
	}
	from := operand.Matrix[float32](queries).Span()
	to, err := gridstride.Make[float32](s.Device(), from.Len())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Free()) }()
	if err := gridstride.Copy(s, to, from); err != nil {
		return nil, err
	}
	queries.Data = to
	return v.Search(ctx, queries, k)
}

// merge is the k best of the hits of all parts for each query. Each part's are sorted.
func (x *Spread[S]) merge(found [][][]Hit[S], queries, k int) [][]Hit[S] {
	hits, heads := make([][]Hit[S], queries), make([][]Hit[S], len(x.parts))
	for q := range hits {
		count := 0
		for i := range x.parts {
			heads[i] = found[i][q]
			count += len(heads[i])
		}
		hits[q] = make([]Hit[S], 0, min(k, count))
		for len(hits[q]) < min(k, count) {
			best := -1
			for i, head := range heads { // of equal scores the first part's row is the smallest
				if len(head) > 0 && (best < 0 || compareScores(head[0].Score, heads[best][0].Score) > 0) {
					best = i
				}
			}
			h := heads[best][0]
			hits[q] = append(hits[q], Hit[S]{x.first[best] + h.Row, h.Score})
			heads[best] = heads[best][1:]
		}
	}
	return hits
}

// compareScores compares scores, where -0 is 0, and NaN the worst.
func compareScores[S gpublas.Float](a, b S) int { return cmp.Compare(a+0, b+0) }
