package similar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/text"
	"github.com/gridstride/gridstride/similar/weight"
)

// likeTerms is how many terms of the documents that a query is like count where Query.Terms is 0,
// as with Elasticsearch's more_like_this.
const likeTerms = 25

// likePostings is about how many postings the chosen terms have together, so that a search takes
// the same time in a large index: 1 ms. A term with more than its share of them is common. It counts
// where too few others are there.
const likePostings = 1 << 17

// A sample is the terms of the documents that a query is like, each once: how often term i occurs in
// them, and what it is called.
type sample struct {
	counts []uint32
	name   func(i int) string // good until the sample's end
	end    func()
}

// countLike adds the terms that represent the documents which a query is like.
func (x *Searcher) countLike(v *view, q *Query, counts map[string]int64) error {
	s, err := x.sample(v, q)
	if err != nil {
		return err
	}
	defer s.end()
	n := cmp.Or(q.Terms, likeTerms)
	if n < 0 || n >= len(s.counts) {
		for i, c := range s.counts {
			counts[strings.Clone(s.name(i))] += int64(c)
		}
		return nil
	}
	for _, t := range v.heaviest(s, n) {
		counts[strings.Clone(t.name)] += t.count
	}
	return nil
}

// sample counts the terms of the documents that a query is like.
func (x *Searcher) sample(v *view, q *Query) (sample, error) {
	if len(q.Like) == 1 && q.Document == nil {
		return v.sampleRow(q, q.Like[0])
	}
	a := x.takeReader()
	if q.Document != nil {
		x.schema.texts(q.Document, func(s string, r rule) {
			a.tally.weight = r.weight
			a.of(r).Numbers(s, a.tally.add)
		})
		a.tally.weight = 1
		a.keywords(q.Document, a.tally.add)
	}
	own := a.sample()
	if len(q.Like) == 0 {
		return own, nil
	}
	defer own.end()
	counts := map[string]int64{}
	for i, c := range own.counts {
		counts[strings.Clone(own.name(i))] += int64(c)
	}
	for _, id := range q.Like {
		if err := v.countDocument(counts, q, id); err != nil {
			return sample{}, err
		}
	}
	return sampleOf(counts), nil
}

// sampleOf is the sample of terms that were counted.
func sampleOf(counts map[string]int64) sample {
	var names []string
	var list []uint32
	for name, c := range counts {
		names, list = append(names, name), append(list, uint32(min(c, 1<<32-1)))
	}
	return sample{list, func(i int) string { return names[i] }, func() {}}
}

// sampleRow is the sample of a document of the index, or of one that the query has.
func (v *view) sampleRow(q *Query, id string) (sample, error) {
	part, ord, ok := v.place(id)
	if !ok {
		s, err := q.elsewhere(id)
		if err != nil {
			return sample{}, err
		}
		return sampleOf(s.Terms), nil
	}
	p := v.parts[part]
	row, err := p.Row(ord, nil)
	if err != nil {
		return sample{}, fmt.Errorf("similar: %w", err)
	}
	if v.streams != nil {
		row = slices.DeleteFunc(row, func(t segment.RowTerm) bool { return segment.IsMark(p.TermName(t.Rank())) })
	}
	counts := make([]uint32, len(row))
	for i, t := range row {
		counts[i] = t.Count()
	}
	return sample{counts, func(i int) string { return p.TermName(row[i].Rank()) }, func() {}}, nil
}

// countDocument adds the terms of a document of the index, or of one that the query has.
func (v *view) countDocument(counts map[string]int64, q *Query, id string) error {
	i, ord, ok := v.place(id)
	if !ok {
		s, err := q.elsewhere(id)
		if err != nil {
			return err
		}
		for name, n := range s.Terms {
			counts[name] += n
		}
		return nil
	}
	if err := v.countRow(counts, i, ord); err != nil {
		return fmt.Errorf("similar: %w", err)
	}
	return nil
}

// A tally counts terms by the numbers that a lexicon gives them.
type tally struct {
	counts []uint32 // by number
	met    []uint32 // the numbers whose count is not 0
	weight uint32   // what a term adds
}

func (t *tally) add(numbers []uint32) {
	for _, n := range numbers {
		if n == text.Omitted {
			continue
		}
		if int(n) >= len(t.counts) {
			t.counts = append(t.counts, make([]uint32, int(n)+1-len(t.counts)+len(t.counts)/2)...)
		}
		if t.counts[n] == 0 {
			t.met = append(t.met, n)
		}
		t.counts[n] += t.weight
	}
}

// readerWords is the most words that the analyst of queries remembers between queries. Most words
// of a text were in another one before, and then need no stemming.
const readerWords = 1 << 18

// takeReader returns the analyst of queries, or another one while that is at work.
func (x *Searcher) takeReader() *analyst {
	if a := x.reader.Swap(nil); a != nil {
		return a
	}
	return x.newAnalyst()
}

// sample returns the counts of the words that the analyst has tallied. The analyst must not be used
// otherwise before the sample's end.
func (a *analyst) sample() sample {
	counts := make([]uint32, len(a.tally.met))
	for i, n := range a.tally.met {
		counts[i] = a.tally.counts[n]
	}
	return sample{counts, func(i int) string { return a.lexicon.Term(a.tally.met[i]) }, func() {
		for _, n := range a.tally.met {
			a.tally.counts[n] = 0
		}
		a.tally.met = a.tally.met[:0]
		if a.size() < readerWords {
			a.index.reader.Store(a)
		}
	}}
}

// A weighed term is one that may represent documents.
type weighed struct {
	name   string
	count  int64
	df     int64
	weight float64
}

// compare orders by descending weight, and then by name.
func (t weighed) compare(u weighed) int {
	return cmp.Or(cmp.Compare(u.weight, t.weight), strings.Compare(t.name, u.name))
}

// A choice is the best terms so far: of those that are not common, and of common ones.
type choice struct {
	n            int
	rare, common []weighed // in the order of compare, n at most
}

func (c *choice) add(t weighed) {
	list := &c.rare
	if t.df > likePostings/int64(c.n) {
		list = &c.common
	}
	if len(*list) == c.n && (*list)[c.n-1].weight > t.weight {
		return
	}
	if at, _ := slices.BinarySearchFunc(*list, t, weighed.compare); at < c.n {
		*list = slices.Insert(*list, at, t)
		*list = (*list)[:min(c.n, len(*list))]
	}
}

// terms returns the chosen terms: all rare ones, and common ones while there is room for them.
func (c *choice) terms() []weighed {
	list, postings := c.rare, int64(0)
	for _, t := range list {
		postings += t.df
	}
	for _, t := range c.common[:min(len(c.common), c.n-len(list))] {
		if postings += t.df; postings > likePostings && len(list) > 0 {
			break
		}
		list = append(list, t)
	}
	return list
}

// heaviest returns the n terms of a sample that weigh most in a query, and of equal ones the lower in
// byte order. See likePostings for which terms count last. Terms that occur once do not count if n
// others do, which are not common: as with more_like_this, and most of a long text's terms occur once.
func (v *view) heaviest(s sample, n int) []weighed {
	c := &choice{n: n}
	if v.scheme.Kind != weight.KindBM25 {
		once := func(t weighed) bool { return t.count == 1 }
		list := v.weighAll(s)
		for _, t := range slices.DeleteFunc(slices.Clone(list), once) {
			c.add(t)
		}
		if len(c.rare) < n {
			*c = choice{n: n}
			for _, t := range list {
				c.add(t)
			}
		}
		return c.terms()
	}
	one := make([]weight.Term, 1)
	weigh := func(count, df int64) float64 {
		one[0] = weight.Term{Count: count, DF: df}
		return v.scheme.Query(one, v.collection)[0]
	}
	last, most := int64(0), 0.0
	for _, o := range s.byCount() {
		t := weighed{count: int64(^uint32(o >> 32))}
		enough := len(c.rare) == n
		if t.count != last {
			if last, most = t.count, weigh(t.count, 1); last == 1 && enough {
				break
			}
		}
		if enough && most < c.rare[n-1].weight {
			break // a term is in one document at least, and the terms to come have no higher count
		}
		t.name = s.name(int(uint32(o)))
		if t.df = v.frequency(t.name); t.df > 0 {
			t.weight = weigh(t.count, t.df)
			c.add(t)
		}
	}
	return c.terms()
}

// weighAll weighs the terms of a sample by a scheme in which a term's weight depends on the others.
func (v *view) weighAll(s sample) []weighed {
	list := make([]weighed, len(s.counts))
	for i, c := range s.counts {
		list[i] = weighed{name: s.name(i), count: int64(c)}
	}
	slices.SortFunc(list, func(a, b weighed) int { return strings.Compare(a.name, b.name) })
	terms := make([]weight.Term, len(list))
	for i := range list {
		list[i].df = v.frequency(list[i].name)
		terms[i] = weight.Term{Count: list[i].count, DF: list[i].df}
	}
	for i, w := range v.scheme.Query(terms, v.collection) {
		list[i].weight = w
	}
	return slices.DeleteFunc(list, func(t weighed) bool { return !(t.weight > 0) })
}

// byCount returns the terms by descending count, each as the complement of its count and its number.
func (s *sample) byCount() []uint64 {
	order := make([]uint64, 0, len(s.counts))
	var once []uint64
	for i, c := range s.counts {
		o := uint64(^c)<<32 | uint64(i)
		if c == 1 {
			once = append(once, o)
		} else {
			order = append(order, o)
		}
	}
	slices.Sort(order)
	return append(order, once...)
}

// frequency is df for whoever asks for many terms.
func (v *view) frequency(term string) int64 {
	if v.table != nil {
		return v.table.Frequency(term)
	}
	n := int64(0)
	for _, p := range v.parts {
		if rank, df, ok := p.Frequency(term); ok {
			n += p.liveDF(segment.Term{Rank: rank, DF: df})
		}
	}
	return n
}
