package similar

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// A ValueCount is how many documents have a value of a field.
type ValueCount struct {
	Value     string
	Documents int
}

// Counts returns for each field how many of the documents that a query finds have each value. It
// counts all documents that Search would return with a K below 0, in whatever number. The values
// that most documents have come first, and among equal ones the lower in byte order. most is the
// greatest number of values to return for a field, and negative for all. If a field lists values,
// parted by "; ", each counts. Of a field of dates, as the schema says, the years are counted, as
// [Searcher.FacetOf] says. A query without terms and without a vector finds all documents that
// meet Where.
//
// It takes about 1 ns for each posting of the terms and 2 ns for each value of a document, and
// reads columns as Query.Where does. It returns the same errors as Search.
func (x *Searcher) Counts(ctx context.Context, q Query, most int, fields ...string) (list [][]ValueCount, err error) {
	v, err := x.state()
	if err != nil {
		return nil, err
	}
	defer v.end(&err)
	if err := q.check(x.options.Vectors); err != nil {
		return nil, err
	}
	m, err := x.matching(ctx, v, &q)
	if err != nil {
		return nil, err
	}
	list = make([][]ValueCount, len(fields))
	for i, field := range fields {
		counts := map[string]int{}
		for j, p := range v.parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			column, err := p.columnOf(field)
			if err != nil {
				return nil, fmt.Errorf("similar: %w", err)
			}
			if x.schema.of(field).kind == DateField {
				column.countYears(m.sets[j], counts)
			} else {
				column.count(m.sets[j], counts)
			}
		}
		list[i] = mostFrequent(counts, most)
	}
	return list, nil
}

// count adds up how many documents of a set have each value.
func (c *column) count(set bitset, counts map[string]int) {
	for i, value := range c.values {
		if strings.Contains(value, listed) {
			continue
		}
		n := 0
		for _, doc := range c.of(i) {
			n += int(set[doc/64] >> (doc % 64) & 1)
		}
		if n > 0 {
			counts[value] += n
		}
	}
}

// countYears adds up how many documents of a set have a date in each year.
func (c *column) countYears(set bitset, counts map[string]int) {
	c.ranges()
	met := newBitset(64 * len(set)) // documents of the present year
	for i, d := range c.dates {
		year := yearOf(d.date)
		if i > 0 && year != yearOf(c.dates[i-1].date) {
			clear(met)
		}
		for _, doc := range c.of(d.value) {
			if set.has(doc) && !met.has(doc) {
				met.add(doc)
				counts[year]++
			}
		}
	}
}

// yearOf is the year of a date, in UTC, as dates write it.
func yearOf(t time.Time) string { return t.UTC().Format("2006") }

// FacetOf returns what [Searcher.Counts] counts of a value: the year, of a date in a field of
// dates, and otherwise the value itself.
func (x *Searcher) FacetOf(field, value string) string {
	if x.schema.of(field).kind == DateField {
		if t, ok := dateOf(value); ok {
			return yearOf(t)
		}
	}
	return value
}

// mostFrequent returns the values with the highest counts.
func mostFrequent(counts map[string]int, most int) []ValueCount {
	list := make([]ValueCount, 0, len(counts))
	for value, n := range counts {
		list = append(list, ValueCount{value, n})
	}
	slices.SortFunc(list, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Value, b.Value))
	})
	if most >= 0 {
		list = slices.Clone(list[:min(most, len(list))])
	}
	return list
}

// matched is the documents that a query finds.
type matched struct {
	sets   []bitset // of each part
	terms  []queryTerm
	scored []found // the same documents, with their scores, if these were computed
}

// matching returns the documents that a query finds.
func (x *Searcher) matching(ctx context.Context, v *view, q *Query) (m matched, err error) {
	terms, _, err := x.queryTerms(ctx, v, q)
	if err != nil {
		return m, err
	}
	with, err := v.withVector(terms, q)
	if err != nil {
		return m, err
	}
	m.terms, m.sets = terms, make([]bitset, len(v.parts))
	if q.Clause != nil || q.Filter != nil || q.Threshold != 0 || with.Vector != nil || v.scheme.Kind != weight.KindBM25 && len(terms) > 0 {
		m.scored, err = x.matchingScored(ctx, v, q, m.sets)
		return m, err
	}
	all := strings.TrimSpace(q.Text) == "" && len(q.Like) == 0 && q.Document == nil
	for i, p := range v.parts {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		set := newBitset(p.Len())
		if all {
			for ord := range p.Len() {
				set.add(uint32(ord))
			}
		} else if err := p.union(terms, set); err != nil {
			return m, fmt.Errorf("similar: %w", err)
		}
		allowed, err := p.allowed(q.Where)
		if err != nil {
			return m, fmt.Errorf("similar: %w", err)
		}
		p.clear(set, allowed)
		for _, id := range q.Like {
			if ord, ok := p.find(id); ok {
				set[ord/64] &^= 1 << (ord % 64)
			}
		}
		m.sets[i] = set
	}
	return m, nil
}

// matchingScored finds the documents of each part that a query finds, by their scores.
func (x *Searcher) matchingScored(ctx context.Context, v *view, q *Query, sets []bitset) ([]found, error) {
	for i, p := range v.parts {
		sets[i] = newBitset(p.Len())
	}
	every := *q
	every.K, every.Sort, every.Collapse = -1, nil, 0
	list, err := x.find(ctx, v, &every)
	for _, f := range list {
		sets[f.part].add(f.ord)
	}
	return append([]found{}, list...), err
}

// union adds the documents of terms to a set.
func (p *part) union(terms []queryTerm, set bitset) error {
	var c segment.Cursor
	for _, t := range terms {
		term, ok := p.FindTerm(t.text)
		if !ok {
			continue
		}
		c.Open(p.Segment, term)
		for more := true; more; more = c.Next() {
			for _, doc := range c.Docs() {
				set.add(doc)
			}
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return nil
}

// clear takes deleted documents out of a set, and those that are not allowed.
func (p *part) clear(set bitset, allowed *docSet) {
	for w := range set {
		if allowed != nil {
			set[w] &= allowed.bitset[w]
		}
		if p.dead.Documents == 0 {
			continue
		}
		for word := set[w]; word != 0; word &= word - 1 {
			if ord := w*64 + bits.TrailingZeros64(word); p.isDead(ord) {
				set[w] &^= 1 << (ord % 64)
			}
		}
	}
}
