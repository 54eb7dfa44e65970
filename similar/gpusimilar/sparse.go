package gpusimilar

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/postings"
	"github.com/gridstride/gridstride/similar"
)

// CSR is sparse rows on the host, compressed: one after the other. Row i is the numbers Terms[j]
// with the weights Weights[j] for j from Starts[i] up to Starts[i+1]. The terms of a row rise. There
// is one start more than rows, and the first is 0.
type CSR[T gpublas.Float] struct {
	Starts  []int
	Terms   []int32
	Weights []T
}

// Rows is the number of rows.
func (c *CSR[T]) Rows() int { return max(len(c.Starts)-1, 0) }

// check is an error unless there are rows whose terms rise and are below terms.
func (c *CSR[T]) check(call, name string, terms int) error {
	n := len(c.Terms)
	if len(c.Weights) != n {
		return operand.Errorf(gpublas.ErrShape, "%s: %s has %d terms and %d weights", call, name, n, len(c.Weights))
	}
	if n > math.MaxInt32-1<<16 || c.Rows() > math.MaxInt32-1<<16 {
		return operand.Errorf(gpublas.ErrShape, "%s: %s has %d rows with %d terms; want fewer than %d of each", call, name, c.Rows(), n, math.MaxInt32-1<<16)
	}
	if len(c.Starts) > 0 && (c.Starts[0] != 0 || c.Starts[c.Rows()] != n) {
		return operand.Errorf(gpublas.ErrShape, "%s: the rows of %s go from %d to %d, for %d terms", call, name, c.Starts[0], c.Starts[c.Rows()], n)
	}
	for i := range c.Rows() {
		if c.Starts[i] > c.Starts[i+1] || c.Starts[i+1] > n {
			return operand.Errorf(gpublas.ErrShape, "%s: row %d of %s goes from %d to %d", call, i, name, c.Starts[i], c.Starts[i+1])
		}
		least := int32(0)
		for _, t := range c.Terms[c.Starts[i]:c.Starts[i+1]] {
			if t < least || int(t) >= terms {
				return operand.Errorf(gpublas.ErrShape, "%s: row %d of %s has term %d where terms rise from %d to %d", call, i, name, t, least, terms-1)
			}
			least = t + 1
		}
	}
	return nil
}

// CSRBuffers is a [CSR] on the device.
type CSRBuffers[T gpublas.Float] struct {
	Starts, Terms gridstride.Buffer[int32]
	Weights       gridstride.Buffer[T]
}

// Sparse is a collection of documents by terms on the device, made ready for searches. Any number
// of goroutines may use it.
//
// A score is the sum, starting with 0, of the query's weight times the document's, over the terms
// of the query, in the order of their numbers. Each product and each sum is rounded. Where the
// numbers of the terms are in the order of their bytes, these are the bits of package similar's
// scores, of float64. A document that shares no term has the score 0.
type Sparse[T gpublas.Float] struct {
	h       *Handle
	terms   int
	plan    *postings.Plan[T]
	columns postings.Postings[T]

	mu     sync.Mutex // taken before the handle's lock
	closed bool
	memory postings.Memory[T]
}

// NewSparse copies documents to the device, whose terms have numbers below terms: a document takes
// 4 bytes and a weight for each term it has, and a term takes 4. It waits for the copy. Searches
// keep working memory of up to 140 MB.
//
// Errors: rows that cannot be some, or have terms that are not below terms or do not rise; the
// errors of [gridstride.Make] and [gridstride.Device.Load].
func NewSparse[T gpublas.Float](h *Handle, terms int, documents CSR[T]) (*Sparse[T], error) {
	call := h.core.Call("NewSparse")
	if terms < 0 || terms > math.MaxInt32-1 {
		return nil, operand.Errorf(gridstride.ErrRange, "%s: %d terms", call, terms)
	}
	if err := documents.check(call, "documents", terms); err != nil {
		return nil, err
	}
	dev := h.Stream().Device()
	plan, err := postings.NewPlan[T](dev)
	if err != nil {
		return nil, err
	}
	starts, rows, weights := transposed(terms, &documents)
	x := &Sparse[T]{h: h, terms: terms, plan: plan}
	var errs [3]error
	x.columns.N = documents.Rows()
	x.columns.Starts, errs[0] = gridstride.CopyOf(dev, starts)
	x.columns.Documents, errs[1] = gridstride.CopyOf(dev, rows)
	x.columns.Weights, errs[2] = gridstride.CopyOf(dev, weights)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// transposed is documents by term: the documents with term t are elements starts[t] up to
// starts[t+1], in their order.
func transposed[T gpublas.Float](terms int, c *CSR[T]) (starts, rows []int32, weights []T) {
	starts, rows, weights = make([]int32, terms+1), make([]int32, len(c.Terms)), make([]T, len(c.Terms))
	next := make([]int32, terms+1)
	for _, t := range c.Terms {
		starts[t+1]++
	}
	for t := range terms {
		starts[t+1] += starts[t]
	}
	copy(next, starts)
	for i := range c.Rows() {
		for j := c.Starts[i]; j < c.Starts[i+1]; j++ {
			at := next[c.Terms[j]]
			next[c.Terms[j]]++
			rows[at], weights[at] = int32(i), c.Weights[j]
		}
	}
	return starts, rows, weights
}

// Len is the number of documents.
func (x *Sparse[T]) Len() int { return x.columns.N }

// Close gives the memory back. What is queued still runs, and nothing more can be queued. A second
// Close does nothing.
func (x *Sparse[T]) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return errors.Join(x.columns.Starts.Free(), x.columns.Documents.Free(), x.columns.Weights.Free(), x.memory.Free())
}

// Search finds the k best documents for each of the queries, of those with a score above above:
// hits[i] are the hits of query i, fewer than k if there are no more. k is 1 to MaxK. It copies the
// queries to the device, and allocates buffers for them and the result.
func (x *Sparse[T]) Search(ctx context.Context, queries CSR[T], k int, above T) ([][]Hit[T], error) {
	return x.search(ctx, "Search", queries, k, -1, above)
}

func (x *Sparse[T]) search(ctx context.Context, method string, queries CSR[T], k, self int, above T) ([][]Hit[T], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := queries.check(x.h.core.Call(method), "queries", x.terms); err != nil {
		return nil, err
	}
	rows, err := x.rows(queries)
	defer func() { _ = rows.free() }()
	if err != nil {
		return nil, err
	}
	return wait(ctx, x.h.Stream(), queries.Rows(), k, func(out gridstride.Buffer[int32], scores gridstride.Buffer[T]) error {
		return x.searchTo(method, rows, k, self, above, out, scores)
	})
}

// rows copies rows to the device.
func (x *Sparse[T]) rows(c CSR[T]) (r CSRBuffers[T], err error) {
	starts := make([]int32, c.Rows()+1)
	for i := range c.Rows() {
		starts[i+1] = int32(c.Starts[i+1])
	}
	var errs [3]error
	dev := x.h.Stream().Device()
	r.Starts, errs[0] = gridstride.CopyOf(dev, starts)
	r.Terms, errs[1] = gridstride.CopyOf(dev, c.Terms)
	r.Weights, errs[2] = gridstride.CopyOf(dev, c.Weights)
	return r, errors.Join(errs[:]...)
}

func (r *CSRBuffers[T]) free() error {
	return errors.Join(r.Starts.Free(), r.Terms.Free(), r.Weights.Free())
}

// SearchTo leaves the hits of [Sparse.Search] for query i in rows[i*k] up to rows[i*k+k-1], and
// their scores in the same places of scores. If there are fewer, the others are row -1. The queries
// are as in [CSR], which is not checked: terms that the documents cannot have count nothing.
func (x *Sparse[T]) SearchTo(queries CSRBuffers[T], k int, above T, rows gridstride.Buffer[int32], scores gridstride.Buffer[T]) error {
	return x.searchTo("Search", queries, k, -1, above, rows, scores)
}

func (x *Sparse[T]) searchTo(method string, q CSRBuffers[T], k, self int, above T, rows gridstride.Buffer[int32], scores gridstride.Buffer[T]) error {
	call, n := x.h.core.Call(method), q.Starts.Len()-1
	if n < 0 || q.Weights.Len() < q.Terms.Len() {
		return operand.Errorf(gpublas.ErrShape, "%s: queries has %d starts, %d terms and %d weights", call, n+1, q.Terms.Len(), q.Weights.Len())
	}
	if err := checkResult(call, n, k, rows, scores); err != nil || n == 0 {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return operand.Errorf(gridstride.ErrClosed, "%s: the documents are closed", call)
	}
	return x.h.core.Queue(method, func(s *gridstride.Stream, _ onepass.Work) error {
		return x.plan.Launch(s, &x.memory, &x.columns, postings.Queries[T](q), k, self, above, rows, scores)
	})
}

// Neighbors are the hits of one row.
type Neighbors[T gpublas.Float] struct {
	Row     int
	Nearest []Hit[T]
}

// PairOptions say which pairs are wanted.
type PairOptions[T gpublas.Float] struct {
	K     int // how many neighbours of a row at most: 1 to MaxK
	Above T   // neighbours have more than this score
	First int // the row to begin with, so that pairs that were interrupted can go on

	// Part and Parts ask for a range of the rows alone, part Part of Parts, from 0: all parts in their
	// order are all rows, so that devices and jobs share the work. 0 Parts, or 1, are all rows. Parts is
	// similar.MaxParts at most.
	Part, Parts int
}

// Pairs yields for each row of queries, in their order, the best documents. Row i is document i with
// the weights that it has as a query, and not among its own neighbours. The rows are searched some
// thousand at a time, in memory that does not grow with their number. An error is the last result.
func (x *Sparse[T]) Pairs(ctx context.Context, queries CSR[T], o PairOptions[T]) iter.Seq2[Neighbors[T], error] {
	return func(yield func(Neighbors[T], error) bool) {
		if err := x.checkPairs(queries.Rows(), o); err != nil {
			yield(Neighbors[T]{}, err)
			return
		}
		together := x.columns.Together(o.K)
		from, last := o.rows(x.Len())
		for first := from; first < last; first += together {
			end := min(first+together, last)
			hits, err := x.search(ctx, "Pairs", queries.part(first, end), o.K, first, o.Above)
			if err != nil {
				yield(Neighbors[T]{}, fmt.Errorf("rows %d to %d: %w", first, end-1, err))
				return
			}
			for i := range hits {
				if !yield(Neighbors[T]{first + i, hits[i]}, nil) {
					return
				}
			}
		}
	}
}

// rows are the rows of n that are searched by.
func (o *PairOptions[T]) rows(n int) (from, to int) {
	parts := max(o.Parts, 1)
	share := func(part int) int { // ⌊part·n/parts⌋, without a product that overflows
		return part*(n/parts) + int(uint64(part)*uint64(n%parts)/uint64(parts))
	}
	return max(o.First, share(o.Part)), share(o.Part + 1)
}

// checkPairs is an error unless as many rows as documents can be searched by.
func (x *Sparse[T]) checkPairs(rows int, o PairOptions[T]) error {
	call := x.h.core.Call("Pairs")
	switch {
	case rows != x.Len():
		return operand.Errorf(gpublas.ErrShape, "%s: queries has %d rows; want %d, one a document", call, rows, x.Len())
	case o.First < 0:
		return operand.Errorf(gridstride.ErrRange, "%s: First is %d; want 0 at least", call, o.First)
	case o.Parts < 0 || o.Parts > similar.MaxParts:
		return operand.Errorf(gridstride.ErrRange, "%s: %d parts; want 0 to %d", call, o.Parts, similar.MaxParts)
	case o.Part < 0 || o.Part >= max(o.Parts, 1):
		return operand.Errorf(gridstride.ErrRange, "%s: part %d of %d; parts count from 0", call, o.Part, max(o.Parts, 1))
	case o.K < 1 || o.K > MaxK:
		return operand.Errorf(gridstride.ErrRange, "%s: K is %d; want 1 to %d", call, o.K, MaxK)
	}
	return nil
}

// part is the rows from i up to j.
func (c *CSR[T]) part(i, j int) CSR[T] {
	from, to := c.Starts[i], c.Starts[j]
	p := CSR[T]{Starts: make([]int, j-i+1), Terms: c.Terms[from:to], Weights: c.Weights[from:to]}
	for r := range p.Starts {
		p.Starts[r] = c.Starts[i+r] - from
	}
	return p
}
