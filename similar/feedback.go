package similar

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar/weight"
)

// FeedbackMethod is how documents named as good, or found first, change a query.
type FeedbackMethod uint8

const (
	// Rocchio adds to the vector of the query the mean of the documents' vectors, times Weight
	// (Rocchio, Relevance feedback in information retrieval, 1971, without its documents named as
	// bad). An element of a document's vector is how often the document has the term, times the
	// weight of the term in a query that has it once. It is not normalised: a few words, as of a
	// title, change a query little.
	//
	// It is the default for what a significance test says: see docs/similar.md.
	Rocchio FeedbackMethod = iota
	// RM3 mixes the query's terms with the documents' terms, Weight of the latter, each scaled so
	// that its weights add up to 1. A term of the documents counts by its probability in each, and
	// a document by its share of the scores (Lavrenko and Croft, Relevance-based language models,
	// SIGIR 2001; Abdul-Jaleel and others, UMass at TREC 2004).
	RM3
)

// Feedback adds terms to a query: the ones that weigh most in some documents. These are those named
// in Good, or else the first that the query itself finds. Of several documents, only terms count
// that are in two of them at least, so that names and dates of one do not.
type Feedback struct {
	Method    FeedbackMethod
	Good      []string // ids
	Documents int      // how many of the first answers count where Good is empty; 5 where 0
	Terms     int      // how many terms of theirs count; 30 where 0
	Weight    float64  // of their terms; 0 means 0.165 with Rocchio (the query has 1), 0.5 of 1 with RM3
}

func (f *Feedback) check() error {
	switch {
	case f.Method > RM3:
		return fmt.Errorf("similar: unknown method of feedback %d", f.Method)
	case f.Documents < 0 || f.Terms < 0:
		return fmt.Errorf("similar: feedback of %d documents and %d terms; neither may be negative", f.Documents, f.Terms)
	case !(f.Weight >= 0) || math.IsInf(f.Weight, 0) || f.Method == RM3 && f.Weight > 1:
		return fmt.Errorf("similar: feedback with the weight %v; it is at least 0, and at most 1 with RM3", f.Weight)
	}
	return nil
}

// A good document is one that feedback learns of, and how much it counts.
type good struct {
	part, ord int
	elsewhere *Sample // if it is of another index
	share     float64
}

// expand returns the terms of a query and of its feedback.
func (x *Searcher) expand(ctx context.Context, v *view, terms []queryTerm, match *filter, q *Query) ([]queryTerm, error) {
	f := *q.Feedback
	f.Documents, f.Terms = cmp.Or(f.Documents, 5), cmp.Or(f.Terms, 30)
	f.Weight = cmp.Or(f.Weight, defaultWeights[f.Method])
	goods, err := v.goods(ctx, terms, match, q, f)
	if err != nil || len(goods) == 0 {
		return terms, err
	}
	names, mass, err := v.learn(goods, f)
	if err != nil {
		return nil, err
	}
	if f.Method == Rocchio {
		return v.sum(terms, 1, names, mass, f.Weight), nil
	}
	own := 0.0
	for _, t := range terms {
		own += t.weight
	}
	return v.sum(terms, (1-f.Weight)/positive(own), names, mass, f.Weight/positive(total(mass))), nil
}

// defaultWeights are the weights of each method if Feedback.Weight is 0.
var defaultWeights = [...]float64{Rocchio: 0.165, RM3: 0.5}

// goods returns the documents to learn of.
func (v *view) goods(ctx context.Context, terms []queryTerm, match *filter, q *Query, f Feedback) (list []good, err error) {
	for _, id := range f.Good {
		g := good{share: 1}
		var ok bool
		if g.part, g.ord, ok = v.place(id); !ok {
			if g.elsewhere, err = q.elsewhere(id); err != nil {
				return nil, err
			}
		}
		list = append(list, g)
	}
	if len(f.Good) == 0 {
		first := Query{Like: q.Like, K: f.Documents, Where: q.Where, Filter: q.Filter}
		hits, err := v.search(ctx, terms, match, &first)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			list = append(list, good{part: h.part, ord: int(h.ord), share: h.score})
		}
	}
	sum := 0.0
	for i := range list {
		if f.Method == Rocchio {
			list[i].share = 1
		}
		sum += list[i].share
	}
	for i := range list {
		list[i].share /= sum
	}
	return list, nil
}

// learn returns the terms of documents that weigh most, in byte order, and their weights.
func (v *view) learn(goods []good, f Feedback) (names []string, mass []float64, err error) {
	type learnt struct {
		mass float64
		in   int
	}
	sums := map[string]learnt{}
	for _, g := range goods {
		s := g.elsewhere
		if s == nil {
			if s, err = v.sampleAt(g.part, g.ord); err != nil {
				return nil, nil, err
			}
		}
		length := float64(s.length())
		for name, n := range s.Terms {
			w := g.share * float64(n)
			if f.Method == RM3 {
				w /= length
			}
			l := sums[name]
			sums[name] = learnt{l.mass + float64(w), l.in + 1}
		}
	}
	maps.DeleteFunc(sums, func(_ string, l learnt) bool { return l.in < min(2, len(goods)) })
	names = slices.Sorted(maps.Keys(sums))
	terms := make([]weight.Term, len(names))
	for i, name := range names {
		terms[i] = weight.Term{Count: 1, DF: v.df(name)}
	}
	for i, rarity := range v.scheme.Query(terms, v.collection) {
		mass = append(mass, sums[names[i]].mass*rarity)
	}
	names, mass = heaviest(names, mass, f.Terms)
	return names, mass, nil
}

// heaviest returns the n names with the greatest masses, in byte order.
func heaviest(names []string, mass []float64, n int) ([]string, []float64) {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(mass[b], mass[a]), cmp.Compare(a, b)) })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	top, most := make([]string, len(order)), make([]float64, len(order))
	for i, at := range order {
		top[i], most[i] = names[at], mass[at]
	}
	return top, most
}

// sum adds up two vectors of terms, each times a factor.
func (v *view) sum(terms []queryTerm, factor float64, names []string, mass []float64, scale float64) []queryTerm {
	both := map[string]queryTerm{}
	for _, t := range terms {
		t.weight *= factor
		both[t.text] = t
	}
	for i, name := range names {
		t := both[name]
		if t.text == "" {
			t.text, t.df = name, v.df(name)
		}
		t.weight += float64(mass[i] * scale)
		both[name] = t
	}
	list := slices.SortedFunc(maps.Values(both), func(a, b queryTerm) int { return strings.Compare(a.text, b.text) })
	return slices.DeleteFunc(list, func(t queryTerm) bool { return !(t.weight > 0) })
}

func total(list []float64) float64 {
	sum := 0.0
	for _, w := range list {
		sum += w
	}
	return sum
}

// positive is a sum to divide by, and 1 if there is nothing to divide.
func positive(sum float64) float64 {
	if sum == 0 {
		return 1
	}
	return sum
}
