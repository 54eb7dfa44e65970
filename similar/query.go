package similar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// A queryTerm is a term of a query that documents have, with its weight in the query.
type queryTerm struct {
	text   string
	df     int64
	weight float64 // above 0
}

// queryTerms returns the terms of a query in byte order, with those of its feedback, and the filter
// that its clauses are, nil where they let every document through that has one of the terms.
func (x *Searcher) queryTerms(ctx context.Context, v *view, q *Query) ([]queryTerm, *filter, error) {
	terms, f, err := x.ownTerms(v, q)
	if err != nil || q.Feedback == nil {
		return terms, f, err
	}
	terms, err = x.expand(ctx, v, terms, f, q)
	return terms, f, err
}

// ownTerms returns the terms of what a query says, and its filter.
func (x *Searcher) ownTerms(v *view, q *Query) ([]queryTerm, *filter, error) {
	counts, err := x.count(v, q)
	if err != nil {
		return nil, nil, err
	}
	if q.Clause == nil && len(x.searched) == 1 {
		return v.weigh(counts), nil, nil
	}
	c := &compiled{}
	if q.Clause != nil {
		if c, err = x.compile(v, q.Clause); err != nil {
			return nil, nil, err
		}
	}
	if len(x.searched) > 1 {
		x.spoken(v, x.Analyzers(), q.Text, allTerms, 1, func(o occurrence) { c.terms = append(c.terms, o) })
	}
	if c.ranges && len(c.terms)+len(counts) == 0 && q.Vector == nil && q.Document == nil && len(q.Like) == 0 {
		c.filter.alone = true
		return nil, &c.filter, nil
	}
	terms := v.weighClauses(c, counts)
	if q.Text == "" && q.Document == nil && len(q.Like) == 0 && q.Vector == nil && q.Feedback == nil {
		return terms, c.simplify(), nil
	}
	if c.root == nil {
		return terms, nil, nil
	}
	return terms, &c.filter, nil
}

// count counts the terms of a query.
func (x *Searcher) count(v *view, q *Query) (map[string]int64, error) {
	counts := map[string]int64{}
	count := func(t string) { counts[t]++ }
	if len(x.searched) == 1 {
		x.terms(x.speaks[x.searched[0]], q.Text, count)
	}
	if q.Document == nil && len(q.Like) == 0 {
		return counts, nil
	}
	return counts, x.countLike(v, q, counts)
}

// check returns an error for a query that cannot be answered.
func (q *Query) check(o VectorOptions) error {
	if err := q.checkElsewhere(o); err != nil {
		return err
	}
	if math.IsNaN(q.Threshold) {
		return errors.New("similar: the query's threshold is not a number")
	}
	if q.Where != nil {
		left := maxConditions
		if err := checkCondition(q.Where, 0, &left); err != nil {
			return err
		}
	}
	if err := checkOrders(q.Sort); err != nil {
		return err
	}
	if q.Feedback != nil {
		if err := q.Feedback.check(); err != nil {
			return err
		}
	}
	return q.checkCollapse()
}

// limit returns how many hits there are at most.
func (q *Query) limit() int {
	switch {
	case q.K == 0:
		return 10
	case q.K < 0:
		return math.MaxInt
	}
	return q.K
}

// share returns what a term adds to the score of a document.
func (v *view) share(t queryTerm, tf uint32, d weight.Document) float64 {
	return t.weight * v.scheme.Document(int64(tf), t.df, d, v.collection)
}

// frequencies returns how often each term of a query stands in a document.
func (p *part) frequencies(terms []queryTerm, ord int) ([]uint32, error) {
	tfs := make([]uint32, len(terms))
	row, err := p.Row(ord, nil)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	for i, t := range terms {
		term, ok := p.FindTerm(t.text)
		if !ok {
			continue
		}
		at, ok := slices.BinarySearchFunc(row, term.Rank, func(e segment.RowTerm, rank uint32) int { return int(e.Rank()) - int(rank) })
		if ok {
			tfs[i] = row[at].Count()
		}
	}
	return tfs, nil
}
