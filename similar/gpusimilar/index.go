package gpusimilar

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/similar"
)

// Index is one state of a similar.Index on the device. Its answers are that index's, in its order
// and with its scores, bit for bit, until it changes. Any number of goroutines may use it.
type Index struct {
	weights *similar.Weights
	sparse  *Sparse[float64]
}

// Match is a document that a search found.
type Match struct {
	ID    string
	Score float64
}

// NewIndex copies the present state of an index of terms to the device, as [NewSparse] does. One
// with vectors is refused: [NewVectors] searches those.
func NewIndex(ctx context.Context, h *Handle, x *similar.Index) (*Index, error) {
	if n := x.Options().Vectors.Dimension; n != 0 {
		return nil, operand.Errorf(gridstride.ErrRange, "%s: the index has vectors of %d numbers, and is searched by terms alone", h.core.Call("NewIndex"), n)
	}
	w, err := x.Weights(ctx)
	if err != nil {
		return nil, err
	}
	s, err := NewSparse(h, len(w.Terms), CSR[float64](w.Rows))
	if err != nil {
		return nil, err
	}
	return &Index{w, s}, nil
}

// Close gives the memory back. What is queued still runs, and nothing more can be queued. A second
// Close does nothing.
func (x *Index) Close() error { return x.sparse.Close() }

// Len is the number of documents.
func (x *Index) Len() int { return len(x.weights.IDs) }

// ID is the id of document i, in the order of the ids.
func (x *Index) ID(i int) string { return x.weights.IDs[i] }

// Search finds the best documents for each of the queries, in one batch: as many as
// similar.Searcher.Search does, but that a query has no filter, and MaxK hits at most together with
// the documents that it is like.
func (x *Index) Search(ctx context.Context, queries ...similar.Query) ([][]Match, error) {
	call, most := x.sparse.h.core.Call("Search"), 1
	for i := range queries {
		q := &queries[i]
		if q.Filter != nil || q.Where != nil {
			return nil, operand.Errorf(gridstride.ErrRange, "%s: query %d has a filter, which the device cannot run", call, i)
		}
		if k := wanted(q) + len(q.Like); q.K < 0 || k > MaxK {
			return nil, operand.Errorf(gridstride.ErrRange, "%s: query %d asks for %d hits and is like %d documents; want %d at most together",
				call, i, q.K, len(q.Like), MaxK)
		} else {
			most = max(most, k)
		}
	}
	rows, err := x.weights.Queries(ctx, queries...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", call, err)
	}
	hits, err := x.sparse.Search(ctx, CSR[float64](rows), most, 0)
	if err != nil {
		return nil, err
	}
	matches := make([][]Match, len(queries))
	for i, q := range queries {
		for _, h := range hits[i] {
			m := Match{x.ID(h.Row), h.Score}
			if len(matches[i]) < wanted(&q) && m.Score > q.Threshold && !slices.Contains(q.Like, m.ID) {
				matches[i] = append(matches[i], m)
			}
		}
	}
	return matches, nil
}

// wanted is how many hits a query asks for.
func wanted(q *similar.Query) int {
	if q.K == 0 {
		return 10
	}
	return q.K
}

// Pairs yields for each document, in their order, the documents most like it, as [Sparse.Pairs]
// does. A document with a score of 0 is never among them.
func (x *Index) Pairs(ctx context.Context, o PairOptions[float64]) iter.Seq2[Neighbors[float64], error] {
	return func(yield func(Neighbors[float64], error) bool) {
		rows, err := x.weights.Likes(ctx)
		if err != nil {
			yield(Neighbors[float64]{}, err)
			return
		}
		o.Above = max(o.Above, 0)
		x.sparse.Pairs(ctx, CSR[float64](rows), o)(yield)
	}
}
