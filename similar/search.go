package similar

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/similar/snippet"
)

// A Share is one term's part of a score.
type Share struct {
	Term  string // of a keyword NAME:"VALUE"
	Score float64
}

// Search returns the best documents, the highest score first, and of equal scores the lower id
// first.
func (x *Searcher) Search(ctx context.Context, q Query) ([]Hit, error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	return x.searchView(ctx, v, &q)
}

func (x *Searcher) searchView(ctx context.Context, v *view, q *Query) (hits []Hit, err error) {
	defer v.end(&err)
	if err := q.check(x.options.Vectors); err != nil {
		return nil, err
	}
	list, err := x.find(ctx, v, q)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		d, err := v.parts[f.part].document(int(f.ord))
		if err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
		hits = append(hits, Hit{d, f.score})
	}
	return hits, nil
}

// Explain returns each term's share of a document's score by the terms of a query, the largest
// first. A vector of the query has no part in it.
func (x *Searcher) Explain(ctx context.Context, q Query, id string) ([]Share, error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	return x.explainView(ctx, v, &q, id)
}

func (x *Searcher) explainView(ctx context.Context, v *view, q *Query, id string) (shares []Share, err error) {
	defer v.end(&err)
	if err := q.check(x.options.Vectors); err != nil {
		return nil, err
	}
	terms, _, err := x.queryTerms(ctx, v, q)
	if err != nil {
		return nil, err
	}
	i, ord, ok := v.place(id)
	if !ok {
		return nil, fmt.Errorf("similar: %q: %w", id, ErrUnknown)
	}
	if err := v.prepare(); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	counts, err := v.counts(terms, i, ord)
	if err != nil {
		return nil, err
	}
	for n, c := range counts {
		if c.tf > 0 {
			shares = append(shares, Share{shownTerm(terms[n].text), v.shareOf(terms[n], c, i, ord)})
		}
	}
	slices.SortStableFunc(shares, func(a, b Share) int { return cmp.Compare(b.Score, a.Score) })
	return shares, ctx.Err()
}

// QueryTerms returns the terms that documents are found by: words in byte order, and after them
// keywords, written NAME:"VALUE". For a prefix and a fuzzy word it returns the terms that these are
// expanded to. [Searcher.Marker] marks the terms' words.
func (x *Searcher) QueryTerms(ctx context.Context, q Query) (names []string, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if err := q.check(x.options.Vectors); err != nil {
		return nil, err
	}
	terms, _, err := x.queryTerms(ctx, v, &q)
	names = make([]string, len(terms))
	for i, t := range terms {
		names[i] = shownTerm(t.text)
	}
	return names, err
}

// Marker returns what marks the words that a query meets in the texts of its hits: the words of its
// Text, and of its Clause the words that documents have. [Searcher.Explain] names the terms that a hit
// shares with liked documents. Add them to mark these, too.
//
// Errors: as for QueryTerms.
func (x *Searcher) Marker(ctx context.Context, q Query) (*snippet.Marker, error) {
	m := snippet.New(x.Analyzer(), q.Text)
	if len(x.searched) > 1 || x.searched[0] != 0 {
		m.Also(x.Analyzers()...)
		m.Add(termsOf(x.Analyzers(), q.Text)...)
	}
	if q.Clause == nil {
		return m, nil
	}
	terms, err := x.QueryTerms(ctx, Query{Clause: q.Clause})
	m.Add(terms...)
	return m, err
}
