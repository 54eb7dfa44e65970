package gpusimilar_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/similar/gpusimilar"
)

var collections = flag.Int("collections", 60, "how many random collections are searched")

// compressed is rows with some of the terms, up to most of each, with weights from next.
func compressed[T gpublas.Float](r *rand.Rand, rows, terms, most int, next func() T) (c gpusimilar.CSR[T]) {
	c.Starts = []int{0}
	for range rows {
		row := r.Perm(terms)[:r.IntN(min(most, terms)+1)]
		slices.Sort(row)
		for _, t := range row {
			c.Terms, c.Weights = append(c.Terms, int32(t)), append(c.Weights, next())
		}
		c.Starts = append(c.Starts, len(c.Terms))
	}
	return c
}

// plain is the hits of a plain loop for a query, which is document self, or none.
func plain[T gpublas.Float](documents, queries gpusimilar.CSR[T], q, terms, k, self int, above T) (hits []gpusimilar.Hit[T]) {
	weights := make([]T, terms)
	has := make([]bool, terms)
	for j := queries.Starts[q]; j < queries.Starts[q+1]; j++ {
		weights[queries.Terms[j]], has[queries.Terms[j]] = queries.Weights[j], true
	}
	for d := range documents.Rows() {
		var sum T
		for j := documents.Starts[d]; j < documents.Starts[d+1]; j++ {
			if t := documents.Terms[j]; has[t] {
				sum += T(weights[t] * documents.Weights[j])
			}
		}
		if sum > above && d != self {
			hits = append(hits, gpusimilar.Hit[T]{Row: d, Score: sum})
		}
	}
	slices.SortFunc(hits, func(a, b gpusimilar.Hit[T]) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Row, b.Row))
	})
	return hits[:min(k, len(hits))]
}

// sparse compares the hits on the device with the plain loop's, of queries and of all pairs.
func sparse[T gpublas.Float](b *bench, documents, queries gpusimilar.CSR[T], terms, k int, above T) {
	b.Helper()
	x, err := gpusimilar.NewSparse(b.h, terms, documents)
	must(b, err)
	defer func() { must(b, x.Close()) }()
	hits, err := x.Search(b.Context(), queries, k, above)
	must(b, err)
	if len(hits) != queries.Rows() {
		b.Fatalf("%d lists for %d queries", len(hits), queries.Rows())
	}
	for q := range hits {
		if want := plain(documents, queries, q, terms, k, -1, above); !slices.Equal(hits[q], want) {
			b.Fatalf("%d documents, query %d of %d, the best %d above %v: %v, want %v", documents.Rows(), q, queries.Rows(), k, above, hits[q], want)
		}
	}
}

func TestSparse(t *testing.T) {
	t.Parallel()
	t.Run("float32", testSparse[float32])
	t.Run("float64", testSparse[float64])
}

// testSparse has documents of several tiles, queries of more terms than a block has threads, and
// terms that are in more documents than a block takes at a time.
func testSparse[T gpublas.Float](t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ documents, queries, terms, inDocument, inQuery, k int }{
		{0, 3, 5, 2, 2, 4}, {1, 1, 1, 1, 1, 1}, {31, 33, 40, 8, 5, 3}, {33, 2, 700, 90, 600, 128}, {4096 + 33, 3, 6, 5, 6, 10}, {9000, 1, 40, 6, 9, 128}, {5, 0, 3, 3, 3, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(c.documents), 7))
			next := func() T { return T(r.NormFloat64()) }
			documents := compressed(r, c.documents, c.terms, c.inDocument, next)
			sparse(newBench(t), documents, compressed(r, c.queries, c.terms, c.inQuery, next), c.terms, c.k, 0)
		})
	}
}

// TestCollections searches random collections, with weights that make ties, and some that are no
// numbers, above scores of both signs.
func TestCollections(t *testing.T) {
	t.Parallel()
	b, r := newBench(t), rand.New(rand.NewPCG(8, 8))
	values := []float64{0.25, 0.5, 1, 1, 1, 2, 3, -1, math.NaN(), math.Inf(1)}
	n := *collections
	if testing.Short() {
		n = min(n, 10)
	}
	for range n {
		terms, usable := 1+r.IntN(30), values[:3+r.IntN(len(values)-2)]
		next := func() float64 { return usable[r.IntN(len(usable))] }
		if r.IntN(3) == 0 {
			next = r.NormFloat64
		}
		above := []float64{0, 0, 0, -1, 1.5, math.Inf(-1)}[r.IntN(6)]
		sparse(b, compressed(r, r.IntN(60), terms, 8, next), compressed(r, 1+r.IntN(5), terms, 8, next), terms, 1+r.IntN(20), above)
	}
}

// TestPairs: each document finds others alone, from the row where it begins, and stops on request.
func TestPairs(t *testing.T) {
	t.Parallel()
	b, r := newBench(t), rand.New(rand.NewPCG(9, 9))
	const n, terms, k = 65, 50, 5
	documents := compressed(r, n, terms, 9, r.ExpFloat64)
	queries := gpusimilar.CSR[float64]{Starts: documents.Starts, Terms: documents.Terms, Weights: make([]float64, len(documents.Terms))}
	for i := range queries.Weights {
		queries.Weights[i] = r.ExpFloat64()
	}
	x, err := gpusimilar.NewSparse(b.h, terms, documents)
	must(t, err)
	defer func() { must(t, x.Close()) }()
	const first = 31
	row := first
	for near, err := range x.Pairs(t.Context(), queries, gpusimilar.PairOptions[float64]{K: k, First: first}) {
		must(t, err)
		if want := plain(documents, queries, near.Row, terms, k, near.Row, 0); near.Row != row || !slices.Equal(near.Nearest, want) {
			t.Errorf("row %d has %v, want row %d with %v", near.Row, near.Nearest, row, want)
		}
		row++
	}
	if row != n {
		t.Errorf("the last row was %d of %d", row-1, n)
	}
	for _, parts := range []int{2, 7, n + 3} {
		row = 0
		for part := range parts {
			for near, err := range x.Pairs(t.Context(), queries, gpusimilar.PairOptions[float64]{K: k, Part: part, Parts: parts}) {
				must(t, err)
				if want := plain(documents, queries, near.Row, terms, k, near.Row, 0); near.Row != row || !slices.Equal(near.Nearest, want) || row*parts/n > part+1 {
					t.Errorf("part %d of %d has row %d with %v, want row %d with %v", part, parts, near.Row, near.Nearest, row, want)
				}
				row++
			}
		}
		if row != n {
			t.Errorf("%d parts have %d rows, want %d", parts, row, n)
		}
	}
	for near := range x.Pairs(t.Context(), queries, gpusimilar.PairOptions[float64]{K: k}) {
		if near.Row == 1 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := last(x.Pairs(ctx, queries, gpusimilar.PairOptions[float64]{K: k})); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of a context that has ended is %v", err)
	}
}

// last is the error of the last pairs.
func last(all iter.Seq2[gpusimilar.Neighbors[float64], error]) (last error) {
	for _, err := range all {
		last = err
	}
	return last
}

func TestSparseRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := func(starts []int, terms ...int32) gpusimilar.CSR[float64] {
		return gpusimilar.CSR[float64]{Starts: starts, Terms: terms, Weights: make([]float64, len(terms))}
	}
	short := rows([]int{0, 2}, 1, 2)
	short.Weights = short.Weights[:1]
	x, err := gpusimilar.NewSparse(b.h, 4, rows([]int{0, 2, 3}, 1, 2, 3))
	must(t, err)
	defer func() { must(t, x.Close()) }()
	for _, c := range []struct {
		err  error
		kind error
		text string
	}{
		{second(gpusimilar.NewSparse(b.h, 2, rows([]int{0, 2}, 1, 2))), gpublas.ErrShape, "gpusimilar: NewSparse: row 0 of documents has term 2 where terms rise from 2 to 1"},
		{second(gpusimilar.NewSparse(b.h, 3, rows([]int{0, 2}, 2, 2))), gpublas.ErrShape, "gpusimilar: NewSparse: row 0 of documents has term 2 where terms rise from 3 to 2"},
		{second(gpusimilar.NewSparse(b.h, 3, rows([]int{0, 1}, 1, 2))), gpublas.ErrShape, "gpusimilar: NewSparse: the rows of documents go from 0 to 1, for 2 terms"},
		{second(gpusimilar.NewSparse(b.h, 3, rows([]int{0, 2, 1, 2}, 1, 2))), gpublas.ErrShape, "gpusimilar: NewSparse: row 1 of documents goes from 2 to 1"},
		{second(gpusimilar.NewSparse(b.h, 3, short)), gpublas.ErrShape, "gpusimilar: NewSparse: documents has 2 terms and 1 weights"},
		{second(x.Search(t.Context(), rows([]int{0, 1}, 4), 1, 0)), gpublas.ErrShape, "gpusimilar: Search: row 0 of queries has term 4 where terms rise from 0 to 3"},
		{second(x.Search(t.Context(), rows([]int{0, 1}, 3), 200, 0)), gridstride.ErrRange, "gpusimilar: Search: k is 200; want 1 to 128"},
		{last(x.Pairs(t.Context(), rows([]int{0, 1}, 3), gpusimilar.PairOptions[float64]{K: 1})), gpublas.ErrShape, "gpusimilar: Pairs: queries has 1 rows; want 2, one a document"},
		{last(x.Pairs(t.Context(), rows([]int{0, 1, 1}, 3), gpusimilar.PairOptions[float64]{})), gridstride.ErrRange, "gpusimilar: Pairs: K is 0; want 1 to 128"},
		{last(x.Pairs(t.Context(), rows([]int{0, 1, 1}, 3), gpusimilar.PairOptions[float64]{K: 1, First: -1})), gridstride.ErrRange, "gpusimilar: Pairs: First is -1; want 0 at least"},
		{last(x.Pairs(t.Context(), rows([]int{0, 1, 1}, 3), gpusimilar.PairOptions[float64]{K: 1, Part: 2, Parts: 2})), gridstride.ErrRange, "gpusimilar: Pairs: part 2 of 2; parts count from 0"},
		{last(x.Pairs(t.Context(), rows([]int{0, 1, 1}, 3), gpusimilar.PairOptions[float64]{K: 1, Parts: -1})), gridstride.ErrRange, "gpusimilar: Pairs: -1 parts; want 0 to 65536"},
	} {
		if !errors.Is(c.err, c.kind) || c.err.Error() != c.text {
			t.Errorf("the error is %v, want %s", c.err, c.text)
		}
	}
}
