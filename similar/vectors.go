package similar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/metric"
	"github.com/gridstride/gridstride/similar/internal/segment"
)

// Storage is the format of the elements of vectors. Less memory is less exact: scores are of the
// stored vectors.
type Storage uint8

const (
	Float32 Storage = iota
	Float16         // IEEE 754's binary16, up to 65504
	Int8            // 255 steps between the greatest magnitude of a vector and its negative
)

// Metric is the score of a document's vector for a query's vector.
type Metric uint8

const (
	Cosine    Metric = iota // x·y/(|x||y|)
	Dot                     // x·y
	Euclidean               // 1/(1 + |x-y|), so that the nearest score most
)

// VectorOptions are the settings of the vectors of an index. The zero value is for an index without
// vectors.
type VectorOptions struct {
	Dimension int
	Storage   Storage
	Metric    Metric
}

func (o VectorOptions) check() error {
	if o.Dimension < 0 || o.Dimension > 1<<20 || o.Storage > Int8 || o.Metric > Euclidean {
		return fmt.Errorf("similar: vectors of dimension %d, storage %d and metric %d; dimensions are up to %d, storages up to %d, metrics up to %d", o.Dimension, o.Storage, o.Metric, 1<<20, Int8, Euclidean)
	}
	return nil
}

// checkVector returns an error for a vector that cannot be compared.
func (o VectorOptions) checkVector(x []float32) error {
	switch {
	case o.Dimension == 0:
		return errors.New("the index has no vectors: set Options.Vectors.Dimension")
	case len(x) != o.Dimension:
		return fmt.Errorf("a vector of dimension %d in an index of dimension %d", len(x), o.Dimension)
	}
	zero := true
	for i, e := range x {
		if math.IsNaN(float64(e)) || math.IsInf(float64(e), 0) {
			return fmt.Errorf("element %d of a vector is %v", i, e)
		}
		if o.Storage == Float16 && math.Abs(float64(e)) > segment.MaxHalf {
			return fmt.Errorf("element %d of a vector is %v, and float16 keeps up to %d", i, e, segment.MaxHalf)
		}
		zero = zero && e == 0
	}
	if zero && o.Metric == Cosine {
		return errors.New("a zero vector, which has no cosine with another")
	}
	return nil
}

// searchVector returns the best documents for the vector of a query.
func (v *view) searchVector(ctx context.Context, match *filter, q *Query) ([]found, error) {
	floor := q.Threshold
	if floor == 0 {
		floor = math.Inf(-1)
	}
	t := &top{v: v, k: q.limit(), floor: floor}
	var scores []float64
	for i, p := range v.parts {
		allowed, err := p.allowed(q.Where)
		if err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
		scores = slices.Grow(scores[:0], p.Vectors())[:p.Vectors()]
		if err := guarded(v.parts, func() error { return p.score(ctx, q.Vector, v.vectors.Metric, scores) }); err != nil {
			return nil, err
		}
		m := match.of(p)
		for n, score := range scores {
			f := found{score, i, uint32(p.VectorDoc(n))}
			if score < t.limit() || !t.wants(f) || p.isDead(int(f.ord)) || slices.Contains(q.Like, p.ID(int(f.ord))) || m != nil && !m.matches(f.ord) {
				continue
			}
			if allowed != nil && !allowed.has(f.ord) {
				continue
			}
			if q.Filter != nil {
				d, err := p.document(int(f.ord))
				if err != nil {
					return nil, fmt.Errorf("similar: %w", err)
				}
				if !q.Filter(&d) {
					continue
				}
			}
			t.keep(f)
		}
		if err := m.damage(); err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
	}
	return t.sorted(), ctx.Err()
}

// vectorsAtOnce is how many vectors a processor is given at a time.
const vectorsAtOnce = 128

// score computes the scores of all vectors of a part, by all processors.
func (p *part) score(ctx context.Context, x []float32, m Metric, scores []float64) error {
	var next atomic.Int64
	length := blas.Nrm2(x)
	work := func() {
		scratch := make([]float32, len(x))
		for ctx.Err() == nil {
			from := int(next.Add(vectorsAtOnce)) - vectorsAtOnce
			if from >= len(scores) {
				return
			}
			for n := from; n < min(from+vectorsAtOnce, len(scores)); n++ {
				scores[n] = m.score(x, length, p.Vector(n, scratch), p.VectorNorm(n))
			}
		}
	}
	parallel(min(runtime.GOMAXPROCS(0), (len(scores)+vectorsAtOnce-1)/vectorsAtOnce), work)
	return ctx.Err()
}

// score compares two vectors, given with their norms.
func (m Metric) score(x []float32, xNorm float32, y []float32, yNorm float32) float64 {
	switch m {
	case Dot:
		return float64(blas.Dot(x, y))
	case Euclidean:
		return 1 / (1 + math.Sqrt(float64(metric.SquaredEuclidean(x, y))))
	}
	norms := float64(xNorm) * float64(yNorm)
	if norms == 0 { // the stored form of a vector may be zero
		return 0
	}
	return max(-1, min(1, float64(blas.Dot(x, y))/norms))
}

// fusedDepth is how long the lists are that are fused, if no more hits are wanted.
const fusedDepth = 100

// fuse makes one list of several: a document scores the sum of 1/(60 + its rank) over the lists
// that it is in (Cormack, Clarke, Büttcher, Reciprocal rank fusion outperforms Condorcet and
// individual rank learning methods, SIGIR 2009).
func (v *view) fuse(q *Query, lists ...[]found) []found {
	type place struct {
		part int
		ord  uint32
	}
	scores := map[place]float64{}
	for _, list := range lists {
		for i, f := range list {
			scores[place{f.part, f.ord}] += 1 / float64(60+i+1)
		}
	}
	t := newTop(v, q.limit(), q.Threshold)
	for at, score := range scores {
		if f := (found{score, at.part, at.ord}); t.wants(f) {
			t.keep(f)
		}
	}
	return t.sorted()
}

// find returns the best documents for a query: by its terms, its vector, or both.
func (x *Searcher) find(ctx context.Context, v *view, q *Query) ([]found, error) {
	if q.Collapse > 0 {
		return x.findDistinct(ctx, v, q)
	}
	if len(q.Sort) > 0 {
		return x.findSorted(ctx, v, q)
	}
	terms, match, err := x.queryTerms(ctx, v, q)
	if err != nil {
		return nil, err
	}
	if q, err = v.withVector(terms, q); err != nil {
		return nil, err
	}
	if q.Vector == nil {
		return v.search(ctx, terms, match, q)
	}
	if len(terms) == 0 {
		return v.searchVector(ctx, match, q)
	}
	deep := *q
	deep.Threshold, deep.K = 0, max(fusedDepth, min(q.limit(), math.MaxInt-1))
	if q.K < 0 {
		deep.K = -1
	}
	byTerms, err := v.search(ctx, terms, match, &deep)
	if err != nil {
		return nil, err
	}
	byVector, err := v.searchVector(ctx, match, &deep)
	return v.fuse(q, byTerms, byVector), err
}

// withVector returns the query with the vector to search for: its own, Document's, or, if no terms
// are known of the documents in Like, the mean of their vectors.
func (v *view) withVector(terms []queryTerm, q *Query) (*Query, error) {
	with := *q
	if with.Vector == nil && q.Document != nil {
		with.Vector = q.Document.Vector
	}
	if with.Vector == nil && len(terms) == 0 && q.Text == "" && q.Clause == nil && v.vectors.Dimension > 0 {
		with.Vector = v.mean(q)
	}
	if with.Vector == nil {
		return q, nil
	}
	if err := v.vectors.checkVector(with.Vector); err != nil {
		return nil, fmt.Errorf("similar: the query has %w", err)
	}
	return &with, nil
}

// mean returns the mean of the vectors of the documents in Like, nil where none has one.
func (v *view) mean(q *Query) (sum []float32) {
	ids := slices.Clone(q.Like)
	slices.SortFunc(ids, cmp.Compare[string])
	n := 0
	for _, id := range ids {
		vector := v.vector(q, id)
		if vector == nil {
			continue
		}
		if sum == nil {
			sum = make([]float32, v.vectors.Dimension)
		}
		blas.Axpy(1, vector, sum)
		n++
	}
	if n > 1 {
		blas.Scal(1/float32(n), sum)
	}
	return sum
}

// vector returns the vector of a document of the index, or of one that the query has; nil if it has
// none.
func (v *view) vector(q *Query, id string) []float32 {
	part, ord, ok := v.place(id)
	if !ok {
		if s, err := q.elsewhere(id); err == nil {
			return s.Vector
		}
		return nil
	}
	return v.vectorAt(part, ord)
}

// vectorAt returns the vector of a document, or nil.
func (v *view) vectorAt(part, ord int) []float32 {
	at, ok := v.parts[part].VectorOf(ord)
	if !ok {
		return nil
	}
	return v.parts[part].Vector(at, make([]float32, v.vectors.Dimension))
}
