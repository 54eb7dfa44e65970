package similar

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
)

// MaxCollapsed is how many hits a search with Query.Collapse has at most.
const MaxCollapsed = 1000

const (
	// maxCandidates is how many documents such a search looks at.
	maxCandidates = 20_000
	// comparedTerms is how many terms of a document are compared, the first ones.
	comparedTerms = 10_000
)

// checkCollapse says what is wrong with Collapse.
func (q *Query) checkCollapse() error {
	switch {
	case !(q.Collapse >= 0 && q.Collapse <= 1):
		return fmt.Errorf("similar: Collapse is %v; want 0 to 1", q.Collapse)
	case q.Collapse > 0 && (q.K < 0 || q.K > MaxCollapsed):
		return fmt.Errorf("similar: K is %d; want at most %d with Collapse", q.K, MaxCollapsed)
	}
	return nil
}

// findDistinct returns the best documents for a query, without those that are nearly the same as a
// better one. It asks for more documents until enough differ.
func (x *Searcher) findDistinct(ctx context.Context, v *view, q *Query) ([]found, error) {
	more := *q
	more.Collapse = 0
	for more.K = 2*q.limit() + 10; ; more.K *= 4 {
		more.K = min(more.K, maxCandidates)
		list, err := x.find(ctx, v, &more)
		if err != nil {
			return nil, err
		}
		distinct, err := x.distinct(ctx, v, list, q)
		if err != nil || len(distinct) == q.limit() || len(list) < more.K || more.K == maxCandidates {
			return distinct, err
		}
	}
}

// distinct returns the first documents of a list that are not nearly the same as one before.
func (x *Searcher) distinct(ctx context.Context, v *view, list []found, q *Query) (kept []found, err error) {
	var bags [][]uint64 // of the documents in kept
	for _, f := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, err := v.parts[f.part].document(int(f.ord))
		if err != nil {
			return nil, fmt.Errorf("similar: %w", err)
		}
		bag := x.bag(&d)
		alike := func(other []uint64) bool { return resemblance(bag, other, q.Collapse) >= q.Collapse }
		if slices.ContainsFunc(bags, alike) {
			continue
		}
		bags, kept = append(bags, bag), append(kept, f)
		if len(kept) == q.limit() {
			break
		}
	}
	return kept, nil
}

// bag returns hashes of the first terms of a document's title and text, sorted. A term that occurs
// twice is there twice.
func (x *Searcher) bag(d *Document) []uint64 {
	var bag []uint64
	for _, s := range []string{d.Title, d.Text} {
		for t := range x.analyzer.Terms(s) {
			if len(bag) == comparedTerms {
				break
			}
			h := fnv.New64a()
			h.Write([]byte(t.Text))
			bag = append(bag, h.Sum64())
		}
	}
	slices.Sort(bag)
	return bag
}

// resemblance returns how many terms two documents share, of all that they have: 1 for the same
// terms, as often (Jaccard's coefficient, of multisets). It is 0 if it is less than a bound that
// the lengths alone tell, and of a document without terms.
func resemblance(a, b []uint64, bound float64) float64 {
	short, long := min(len(a), len(b)), max(len(a), len(b))
	if short == 0 || float64(short)/float64(long) < bound {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}
