package segment

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
)

// ErrTooLarge is the error of documents that one segment cannot hold; several segments can.
var ErrTooLarge = errors.New("segment: too many documents or terms for one segment")

// maxBytes is how long an array with offsets of 32 bits may be.
const maxBytes = math.MaxUint32 - 64

// A Builder makes a segment of documents that come in the byte order of their ids. One goroutine
// may use it.
//
//	b.Begin("id")
//	b.Term("word") // for each word
//	b.End(stored)
type Builder struct {
	s       Segment
	numbers map[string]uint32 // of the terms, by the order in which they came
	names   []string
	seen    []uint32 // of a term: the document that had it last, counted from 1
	place   []uint32 // of a term: where it stands among the entries of that document
	entries []entry  // of all documents, one after the other
	rowEnd  []int
	begun   int
	length  uint32
}

type entry struct{ term, count uint32 }

// NewBuilder returns an empty builder.
func NewBuilder() *Builder { return &Builder{numbers: map[string]uint32{}} }

// Len returns how many documents were added.
func (b *Builder) Len() int { return len(b.rowEnd) }

// Postings returns how many pairs of a document and a term there are.
func (b *Builder) Postings() int { return len(b.entries) }

// Begin begins a document. Its id comes after those before it.
func (b *Builder) Begin(id string) {
	b.s.ids = append(b.s.ids, id...)
	b.s.idEnd = append(b.s.idEnd, uint32(len(b.s.ids)))
	b.begun, b.length = len(b.entries), 0
}

// Term adds a term to the document.
func (b *Builder) Term(term string) {
	n, ok := b.numbers[term]
	if !ok {
		n = uint32(len(b.names))
		term = strings.Clone(term)
		b.numbers[term] = n
		b.names = append(b.names, term)
		b.seen, b.place = append(b.seen, 0), append(b.place, 0)
	}
	b.length++
	if doc := uint32(len(b.rowEnd) + 1); b.seen[n] != doc {
		b.seen[n], b.place[n] = doc, uint32(len(b.entries)-b.begun)
		b.entries = append(b.entries, entry{n, 1})
		return
	}
	b.entries[b.begun+int(b.place[n])].count++
}

// End ends the document. Stored is what Body returns of it.
func (b *Builder) End(stored []byte) {
	b.s.bodies = append(b.s.bodies, stored...)
	b.s.bodyEnd = append(b.s.bodyEnd, uint64(len(b.s.bodies)))
	b.s.lengths = append(b.s.lengths, b.length)
	b.s.length += int64(b.length)
	b.rowEnd = append(b.rowEnd, len(b.entries))
}

// Segment returns the segment. The builder is of no use afterwards.
func (b *Builder) Segment() (*Segment, error) {
	if len(b.s.ids) > maxBytes || len(b.entries) > maxBytes/8 {
		return nil, ErrTooLarge
	}
	s := &b.s
	order, number := b.sortTerms()
	ends, docs, tfs := b.transpose(number)
	for n, name := range order {
		from := 0
		if n > 0 {
			from = ends[n-1]
		}
		s.addList(b.names[name], docs[from:ends[n]], tfs[from:ends[n]])
	}
	s.rankTerms()
	b.writeRows(ends, docs, tfs)
	return s, s.seal()
}

// sortTerms returns the terms in byte order, and of each its place in that.
func (b *Builder) sortTerms() (order, number []uint32) {
	order, number = make([]uint32, len(b.names)), make([]uint32, len(b.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.names[x], b.names[y]) })
	for i, name := range order {
		number[name] = uint32(i)
	}
	return order, number
}

// transpose returns the documents and frequencies of each term, one term after the other.
func (b *Builder) transpose(number []uint32) (ends []int, docs, tfs []uint32) {
	ends = make([]int, len(b.names)+1)
	for _, e := range b.entries {
		ends[number[e.term]+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	docs, tfs = make([]uint32, len(b.entries)), make([]uint32, len(b.entries))
	from := 0
	for doc, end := range b.rowEnd {
		for _, e := range b.entries[from:end] {
			at := &ends[number[e.term]]
			docs[*at], tfs[*at] = uint32(doc), e.count
			*at++
		}
		from = end
	}
	return ends[:len(b.names)], docs, tfs
}

// writeRows takes the terms by rank, so that each row is in the order of the ranks.
func (b *Builder) writeRows(ends []int, docs, tfs []uint32) {
	rows := make([]RowTerm, len(b.entries))
	next := make([]int, len(b.rowEnd))
	copy(next[min(1, len(next)):], b.rowEnd)
	for rank, term := range b.s.byRank {
		from := 0
		if term > 0 {
			from = ends[term-1]
		}
		for i, doc := range docs[from:ends[term]] {
			rows[next[doc]] = RowTerm{uint32(rank), tfs[from+i]}
			next[doc]++
		}
	}
	from := 0
	for _, end := range b.rowEnd {
		b.s.addRow(rows[from:end])
		from = end
	}
}

// addList adds the next term with its postings.
func (s *Segment) addList(term string, docs, tfs []uint32) {
	s.terms = append(s.terms, term...)
	s.termEnd = append(s.termEnd, uint32(len(s.terms)))
	s.df = append(s.df, uint32(len(docs)))
	s.listAt = append(s.listAt, uint32(len(s.lists)))
	var bound Bound
	s.lists, bound = appendList(s.lists, docs, tfs, s.lengths)
	s.bounds = bound.append(s.bounds)
	s.postings += int64(len(docs))
}

// rankTerms orders the terms by descending frequency, when all are there.
func (s *Segment) rankTerms() {
	s.byRank, s.rank = make([]uint32, s.Terms()), make([]uint32, s.Terms())
	for i := range s.byRank {
		s.byRank[i] = uint32(i)
	}
	slices.SortFunc(s.byRank, func(x, y uint32) int { return cmp.Or(cmp.Compare(s.df[y], s.df[x]), cmp.Compare(x, y)) })
	for r, term := range s.byRank {
		s.rank[term] = uint32(r)
	}
}

func (s *Segment) addRow(row []RowTerm) {
	s.rowAt = append(s.rowAt, uint32(len(s.rows)))
	s.rows = appendRow(s.rows, row)
}

// seal ends the arrays that are read in words, and gives back memory that they do not need.
func (s *Segment) seal() error {
	s.lists = append(s.lists, make([]byte, padding)...)
	s.rows = append(s.rows, make([]byte, padding)...)
	if max(len(s.ids), len(s.terms), len(s.lists), len(s.rows)) > maxBytes {
		return ErrTooLarge
	}
	for _, b := range []*[]byte{&s.ids, &s.bodies, &s.terms, &s.lists, &s.bounds, &s.rows} {
		*b = fitted(*b)
	}
	for _, a := range []*[]uint32{&s.idEnd, &s.lengths, &s.termEnd, &s.df, &s.listAt, &s.rowAt} {
		*a = fitted(*a)
	}
	s.bodyEnd = fitted(s.bodyEnd)
	s.vectors.data = fitted(s.vectors.data)
	s.vectors.ready()
	return nil
}

// fitted copies a slice whose capacity is much more than its length.
func fitted[T any](s []T) []T {
	if cap(s)-len(s) > len(s)/16+64 {
		return append(make([]T, 0, len(s)), s...)
	}
	return s
}
