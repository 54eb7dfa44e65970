package similar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// A Neighbor is a document near another one.
type Neighbor struct {
	ID         string
	Score      float64 // as in a search by the other document
	Similarity float64 // Score over the score of the other document itself: about 1 for a copy
}

// Neighbors are the documents nearest to one, the nearest first.
type Neighbors struct {
	ID      string
	Nearest []Neighbor
}

// PairOptions say which pairs of documents are wanted.
type PairOptions struct {
	K         int     // how many neighbours of a document at most; 10 where 0, any number where negative
	Threshold float64 // neighbours have more than this similarity
	After     string  // begin after this id, which need not be in the index; at the first where empty

	// Part and Parts ask for the documents of part Part of Parts, from 0, at most MaxParts. Their
	// neighbours are of all documents. Each part has a range of the ids, and about as much work as
	// another. All parts in their order are what there is without, as long as the documents are the
	// same. 0 Parts, or 1, are all documents.
	Part, Parts int
}

// pairsAtOnce is how many documents a processor is given at a time.
const pairsAtOnce = 16

// Pairs yields for each document, by the byte order of the ids, the documents nearest to it: the
// results of a search by the document (Query.Like), by its terms, or by its vector if it has no
// terms. All processors search, a few documents ahead of the yielded one, so memory is bounded. The
// results are of the state that the index had at the beginning. After an interruption it goes on
// after the last yielded id. An error is the last result.
func (x *Searcher) Pairs(ctx context.Context, o PairOptions) iter.Seq2[Neighbors, error] {
	return pairs(ctx, x.state, o)
}

func pairs(ctx context.Context, state func() (*view, error), o PairOptions) iter.Seq2[Neighbors, error] {
	return func(yield func(Neighbors, error) bool) {
		if math.IsNaN(o.Threshold) {
			yield(Neighbors{}, errors.New("similar: the threshold of pairs is not a number"))
			return
		}
		if err := o.checkPart(); err != nil {
			yield(Neighbors{}, err)
			return
		}
		v, err := state()
		if err != nil {
			yield(Neighbors{}, err)
			return
		}
		defer runtime.KeepAlive(v)
		var broken error // what ended next
		next, stop := iter.Pull(func(yield func(found) bool) { broken = v.inPart(ctx, o, yield) })
		defer stop()
		for {
			batch := make([]found, 0, pairsAtOnce*runtime.GOMAXPROCS(0))
			for len(batch) < cap(batch) {
				f, ok := next()
				if !ok {
					break
				}
				batch = append(batch, f)
			}
			if len(batch) == 0 {
				if broken != nil {
					yield(Neighbors{}, broken)
				}
				return
			}
			var list []Neighbors
			err := guarded(v.parts, func() (err error) {
				list, err = v.neighbors(ctx, batch, o)
				return err
			})
			if d := v.damage(); d != nil {
				list, err = nil, d
			}
			for _, n := range list {
				if !yield(n, nil) {
					return
				}
			}
			if err != nil {
				yield(Neighbors{}, err)
				return
			}
		}
	}
}

// byID yields the living documents after an id, by id.
func (v *view) byID(after string) iter.Seq[found] {
	return func(yield func(found) bool) {
		at := make([]int, len(v.parts))
		for i, p := range v.parts {
			ord, ok := p.Find(after, 0)
			if at[i] = ord; ok {
				at[i]++
			}
		}
		for {
			best := -1
			for i, p := range v.parts {
				for at[i] < p.Len() && p.isDead(at[i]) {
					at[i]++
				}
				if at[i] < p.Len() && (best < 0 || p.ID(at[i]) < v.parts[best].ID(at[best])) {
					best = i
				}
			}
			if best < 0 || !yield(found{part: best, ord: uint32(at[best])}) {
				return
			}
			at[best]++
		}
	}
}

// neighbors finds the neighbors of each document of a batch, by all processors. With an error it
// returns those before the document that failed.
func (v *view) neighbors(ctx context.Context, batch []found, o PairOptions) ([]Neighbors, error) {
	list, errs := make([]Neighbors, len(batch)), make([]error, len(batch))
	var next atomic.Int64
	parallel(runtime.GOMAXPROCS(0), func() {
		for i := int(next.Add(1)) - 1; i < len(batch); i = int(next.Add(1)) - 1 {
			list[i], errs[i] = v.nearest(ctx, batch[i], o)
		}
	})
	for i, err := range errs {
		if err != nil {
			return list[:i], err
		}
	}
	return list, nil
}

// nearest finds the documents nearest to one, by its terms, or by its vector if it has none.
func (v *view) nearest(ctx context.Context, f found, o PairOptions) (Neighbors, error) {
	p := v.parts[f.part]
	id := strings.Clone(p.ID(int(f.ord)))
	counts := map[string]int64{}
	if err := cmp.Or(v.prepare(), v.countRow(counts, f.part, int(f.ord))); err != nil {
		return Neighbors{}, fmt.Errorf("similar: %w", err)
	}
	terms := v.weigh(counts)
	counted, err := v.counts(terms, f.part, int(f.ord))
	if err != nil {
		return Neighbors{}, err
	}
	self := 0.0
	for i, c := range counted {
		if c.tf > 0 {
			self += float64(v.shareOf(terms[i], c, f.part, int(f.ord)))
		}
	}
	q := Query{Like: []string{id}, K: o.K}
	search := func() ([]found, error) { return v.search(ctx, terms, nil, &q) }
	if at, ok := p.VectorOf(int(f.ord)); ok && len(terms) == 0 {
		q.Vector = p.vector(at)
		self = v.vectors.Metric.score(q.Vector, p.VectorNorm(at), q.Vector, p.VectorNorm(at))
		search = func() ([]found, error) { return v.searchVector(ctx, nil, &q) }
	}
	q.Threshold = max(o.Threshold, 0) * self * slack
	hits, err := search()
	n := Neighbors{ID: id}
	for _, h := range hits {
		if s := h.score / self; s > o.Threshold {
			n.Nearest = append(n.Nearest, Neighbor{strings.Clone(v.parts[h.part].ID(int(h.ord))), h.score, s})
		}
	}
	return n, err
}

// weigh returns the terms that were counted, with their weights in a query.
func (v *view) weigh(counts map[string]int64) []queryTerm {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	terms := make([]weight.Term, len(names))
	for i, t := range names {
		terms[i] = weight.Term{Count: counts[t], DF: v.df(t)}
	}
	var list []queryTerm
	for i, w := range v.scheme.Query(terms, v.collection) {
		if w > 0 {
			list = append(list, queryTerm{names[i], terms[i].DF, w})
		}
	}
	return list
}

// countRow adds the terms of a document.
func (v *view) countRow(counts map[string]int64, part, ord int) error {
	p := v.parts[part]
	row, err := p.Row(ord, nil)
	for _, t := range row {
		if name := p.TermName(t.Rank()); v.streams == nil || !segment.IsMark(name) {
			counts[name] += int64(t.Count())
		}
	}
	return err
}

// Groups returns the groups of near-duplicates: documents that are connected by similarities above
// a threshold, such as 0.8, each group by id, the groups by their first ids. A document is compared
// with its 100 nearest. It takes as long as Pairs, and memory for the ids of the groups.
func (x *Searcher) Groups(ctx context.Context, threshold float64) ([][]string, error) {
	parent := map[string]string{}
	root := func(id string) string {
		for parent[id] != id {
			if _, ok := parent[id]; !ok {
				parent[id] = id
			}
			id, parent[id] = parent[id], parent[parent[id]]
		}
		return id
	}
	for n, err := range x.Pairs(ctx, PairOptions{K: 100, Threshold: threshold}) {
		if err != nil {
			return nil, err
		}
		for _, near := range n.Nearest {
			a, b := root(n.ID), root(near.ID)
			parent[max(a, b)] = min(a, b)
		}
	}
	groups := map[string][]string{}
	for id := range parent {
		groups[root(id)] = append(groups[root(id)], id)
	}
	var list [][]string
	for _, ids := range groups {
		slices.Sort(ids)
		list = append(list, ids)
	}
	slices.SortFunc(list, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return list, nil
}
