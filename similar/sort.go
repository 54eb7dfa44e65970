package similar

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
)

// An Order sorts hits by a field. Numbers and dates come first, in their order on one axis of years:
// the date 1969-07 is after the number 1969 and before 1970. Other values follow in byte order, and
// documents without the field last, whatever the direction. Of a field that lists values the lowest
// counts, or with Descending the highest.
type Order struct {
	Field      string
	Descending bool
}

// maxOrders is how many fields hits may be sorted by.
const maxOrders = 8

func checkOrders(list []Order) error {
	if len(list) > maxOrders {
		return fmt.Errorf("similar: hits sorted by %d fields; want %d at most", len(list), maxOrders)
	}
	if slices.ContainsFunc(list, func(o Order) bool { return o.Field == "" }) {
		return errors.New("similar: hits sorted by a field without a name")
	}
	return nil
}

// ParseOrder reads NAME, or -NAME for Descending.
func ParseOrder(s string) (Order, error) {
	name, descending := strings.CutPrefix(s, "-")
	if name == "" {
		return Order{}, fmt.Errorf("similar: the order %q; want NAME, or -NAME for the highest first", s)
	}
	return Order{name, descending}, nil
}

// A sortKey is a value as it is compared.
type sortKey struct {
	text string // of what is no number and no date
	axis float64
	date time.Time
}

func keyOf(v string) sortKey {
	if x, ok := numberOf(v); ok {
		return sortKey{axis: x}
	}
	if t, ok := dateOf(v); ok {
		t = t.UTC()
		start := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		part := float64(t.Sub(start)) / float64(start.AddDate(1, 0, 0).Sub(start))
		return sortKey{axis: float64(t.Year()) + part, date: t}
	}
	return sortKey{text: v, axis: math.Inf(1)} // no number is infinite
}

func (k sortKey) compare(o sortKey) int {
	return cmp.Or(cmp.Compare(k.axis, o.axis), k.date.Compare(o.date), strings.Compare(k.text, o.text))
}

// ordered is a column as it is sorted by.
type ordered struct {
	once sync.Once
	keys []sortKey // each once, in order
	rank []uint32  // of each value of the column its key

	sides [2]orderedSide // by the lowest value of a document, and by the highest
}

type orderedSide struct {
	once sync.Once
	of   []uint32 // the key of each document, or unsorted if it has none
}

const unsorted = math.MaxUint32

// side returns the key of each document of n.
func (c *column) side(n int, highest bool) (keys []sortKey, of []uint32) {
	o := &c.order
	o.once.Do(func() {
		all := make([]sortKey, len(c.values))
		order := make([]int, len(c.values))
		for i, v := range c.values {
			all[i], order[i] = keyOf(v), i
		}
		slices.SortFunc(order, func(a, b int) int { return all[a].compare(all[b]) })
		o.rank = make([]uint32, len(c.values))
		for _, i := range order {
			if last := len(o.keys) - 1; last < 0 || o.keys[last].compare(all[i]) != 0 {
				o.keys = append(o.keys, all[i])
			}
			o.rank[i] = uint32(len(o.keys) - 1)
		}
	})
	s := &o.sides[0]
	if highest {
		s = &o.sides[1]
	}
	s.once.Do(func() {
		s.of = slices.Repeat([]uint32{unsorted}, n)
		for value, rank := range o.rank {
			if c.lists(value) {
				continue
			}
			for _, doc := range c.of(value) {
				if had := s.of[doc]; had == unsorted || (rank > had) == highest {
					s.of[doc] = rank
				}
			}
		}
	})
	return o.keys, s.of
}

// lists reports whether a value lists several values, each of which counts as a value, too.
func (c *column) lists(value int) bool { return strings.Contains(c.values[value], listed) }

// A sorter keeps the first k documents in the order of a query.
type sorter struct {
	v      *view
	orders []Order
	k      int
	keys   [][][]sortKey // by part and order
	of     [][][]uint32
	list   []found // a heap, the last in the order on top
}

func (x *Searcher) newSorter(v *view, q *Query) (*sorter, error) {
	s := &sorter{v: v, orders: q.Sort, k: q.limit(), keys: make([][][]sortKey, len(v.parts)), of: make([][][]uint32, len(v.parts))}
	for i, p := range v.parts {
		for _, o := range q.Sort {
			c, err := p.columnOf(o.Field)
			if err != nil {
				return nil, fmt.Errorf("similar: %w", err)
			}
			keys, of := c.side(p.Len(), o.Descending)
			s.keys[i], s.of[i] = append(s.keys[i], keys), append(s.of[i], of)
		}
	}
	return s, nil
}

// compare compares two documents.
func (s *sorter) compare(a, b found) int {
	for n, o := range s.orders {
		x, y := s.of[a.part][n][a.ord], s.of[b.part][n][b.ord]
		c := 0
		switch {
		case x == unsorted || y == unsorted:
			if c = cmp.Compare(x, y); c != 0 {
				return c
			}
			continue
		case a.part == b.part:
			c = cmp.Compare(x, y)
		default:
			c = s.keys[a.part][n][x].compare(s.keys[b.part][n][y])
		}
		if o.Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	if a.part == b.part {
		return cmp.Compare(a.ord, b.ord)
	}
	return strings.Compare(s.v.parts[a.part].ID(int(a.ord)), s.v.parts[b.part].ID(int(b.ord)))
}

func (s *sorter) Len() int           { return len(s.list) }
func (s *sorter) Less(i, j int) bool { return s.compare(s.list[i], s.list[j]) > 0 }
func (s *sorter) Swap(i, j int)      { s.list[i], s.list[j] = s.list[j], s.list[i] }
func (s *sorter) Push(f any)         { s.list = append(s.list, f.(found)) }
func (s *sorter) Pop() any {
	last := s.list[len(s.list)-1]
	s.list = s.list[:len(s.list)-1]
	return last
}

// add keeps a document if it is among the first.
func (s *sorter) add(f found) {
	switch {
	case len(s.list) < s.k:
		heap.Push(s, f)
	case s.compare(f, s.list[0]) < 0:
		s.list[0] = f
		heap.Fix(s, 0)
	}
}

// findSorted returns the first documents that a query finds, in its order. If the scores are not
// needed to find documents, only the scores of the first are computed.
func (x *Searcher) findSorted(ctx context.Context, v *view, q *Query) ([]found, error) {
	s, err := x.newSorter(v, q)
	if err != nil {
		return nil, err
	}
	plain := *q
	plain.Sort = nil
	m, err := x.matching(ctx, v, &plain)
	if err != nil {
		return nil, err
	}
	for _, f := range m.scored {
		s.add(f)
	}
	for i, set := range m.sets {
		for w, word := range set {
			if w%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for ; m.scored == nil && word != 0; word &= word - 1 {
				s.add(found{part: i, ord: uint32(w*64 + bits.TrailingZeros64(word))})
			}
		}
	}
	slices.SortFunc(s.list, s.compare)
	if m.scored == nil {
		for i := range s.list {
			if s.list[i].score, err = v.scoreOf(m.terms, s.list[i]); err != nil {
				return nil, err
			}
		}
	}
	return s.list, ctx.Err()
}

// scoreOf returns the score of a document for terms in byte order.
func (v *view) scoreOf(terms []queryTerm, f found) (float64, error) {
	if err := v.prepare(); err != nil {
		return 0, fmt.Errorf("similar: %w", err)
	}
	counts, err := v.counts(terms, f.part, int(f.ord))
	score := 0.0
	for i, c := range counts {
		if c.tf > 0 {
			score += float64(v.shareOf(terms[i], c, f.part, int(f.ord)))
		}
	}
	return score, err
}
