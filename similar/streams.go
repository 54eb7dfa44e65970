package similar

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/gridstride/gridstride/similar/internal/segment"
	"github.com/gridstride/gridstride/similar/weight"
)

// A field with a B is a stream: BM25 takes its counts and its length separately. All other fields are
// the first stream together. For each term the segments keep how often a document has it in all
// streams, as ever, and a mark for each stream but the first: a term whose postings are the documents
// with the word in that field. Another mark has the lengths of the field. So an index without such
// fields has nothing of this.

// maxStreams is how many fields may have a B.
const maxStreams = 16

// markOf is the mark of a term in a stream. The first stream, 0, has no marks. The mark of an empty
// term has the lengths.
func markOf(stream int, term string) string {
	return string([]byte{special[0], byte(stream)}) + term
}

// streamLengths is how long the streams of a segment's documents are.
type streamLengths struct {
	once sync.Once
	of   [][]uint32 // by stream, from 1 on; the first has what the others leave
	most []uint32   // the longest of each
	err  error
}

// streams returns the lengths of the streams of a part.
func (p *part) streams(n int) (*streamLengths, error) {
	l := &p.columns.streams
	l.once.Do(func() { l.err = l.read(p, n) })
	return l, l.err
}

func (l *streamLengths) read(p *part, n int) error {
	first := make([]uint32, p.Len())
	copy(first, p.Lengths())
	l.of, l.most = [][]uint32{first}, make([]uint32, n+1)
	for stream := 1; stream <= n; stream++ {
		of := make([]uint32, p.Len())
		if t, ok := p.FindTerm(markOf(stream, "")); ok {
			var c segment.Cursor
			c.Open(p.Segment, t)
			for more := true; more; more = c.Next() {
				tfs := c.TFs()
				for i, doc := range c.Docs() {
					of[doc] = min(tfs[i], first[doc]) // no longer than the document, also in a damaged file
					first[doc] -= of[doc]
				}
			}
			if err := c.Err(); err != nil {
				return err
			}
		}
		l.of = append(l.of, of)
	}
	for stream, of := range l.of {
		for _, length := range of {
			l.most[stream] = max(l.most[stream], length)
		}
	}
	return nil
}

// viewStreams has the statistics of the streams that the weights of a view use.
type viewStreams struct {
	b      []float64 // of each stream
	once   sync.Once
	err    error            // what follows is not whole then
	totals []int64          // the length of each, of all documents together
	means  []float64        // the mean length of each
	parts  []*streamLengths // of each part
}

// newStreams returns the streams of a schema, nil if no field has a B.
func newStreams(o Options) *viewStreams {
	s, err := newSchema(o.Fields)
	if err != nil || len(s.streams) == 0 {
		return nil
	}
	return &viewStreams{b: append([]float64{o.Weight.Resolved().B}, s.streams...)}
}

// prepareStreams finds the mean lengths of the streams, once.
func (v *view) prepareStreams() error {
	s := v.streams
	if s == nil {
		return nil
	}
	s.once.Do(func() { s.err = v.computeStreams() })
	return s.err
}

// computeStreams finds the mean lengths of the streams.
func (v *view) computeStreams() error {
	s := v.streams
	s.totals = make([]int64, len(s.b))
	for _, p := range v.parts {
		l, err := p.streams(len(s.b) - 1)
		if err != nil {
			return err
		}
		s.parts = append(s.parts, l)
		for stream, of := range l.of {
			for ord, length := range of {
				if !p.isDead(ord) {
					s.totals[stream] += int64(length)
				}
			}
		}
	}
	if v.table != nil {
		s.totals = v.table.lengths
	}
	for _, total := range s.totals {
		s.means = append(s.means, float64(total)/float64(max(1, v.collection.Documents)))
	}
	return nil
}

// marked returns how many postings are of marks. Document frequencies and lengths have none of
// them, and BM25 takes no other number of them.
func (v *view) marked() (n int64) {
	if v.streams == nil || v.table != nil {
		return 0 // a table has none
	}
	for _, p := range v.parts {
		for w := p.WalkFrom(markOf(1, "")); w.Next() && segment.IsMark(w.Name()); {
			n += p.liveDF(w.Term())
		}
	}
	return n
}

// termCount is how often a document has a term, and how often in each stream.
type termCount struct {
	tf      uint32
	streams []uint32 // from stream 1 on, nil if there are no others
}

// weightOf returns the weight of a term in a document by its streams, after prepare.
func (v *view) weightOf(c termCount, part, ord int) float64 {
	var list [maxStreams + 1]weight.Stream
	s, n, first := v.streams, 1, c.tf
	lengths := s.parts[part].of
	for i, tf := range c.streams {
		if tf > 0 {
			list[n] = weight.Stream{TF: int64(tf), Length: int64(lengths[i+1][ord]), B: s.b[i+1], Mean: s.means[i+1]}
			n, first = n+1, first-min(tf, first)
		}
	}
	if first == 0 {
		return v.scheme.Streams(list[1:n])
	}
	list[0] = weight.Stream{TF: int64(first), Length: int64(lengths[0][ord]), B: s.b[0], Mean: s.means[0]}
	return v.scheme.Streams(list[:n])
}

// shareOf returns what a term adds to the score of a document.
func (v *view) shareOf(t queryTerm, c termCount, part, ord int) float64 {
	if v.streams == nil {
		return v.share(t, c.tf, v.normed(part, ord))
	}
	return t.weight * v.weightOf(c, part, ord)
}

// A streamCursor is the lists of the marks of a term.
type streamCursor struct {
	lists  []lookup // of stream 1 and on
	most   []int64  // the most that a document has of the term in each; below 0 any number
	counts []uint32 // in the document that is scored
}

// openStreams opens the lists of a term's marks.
func (s *scan) openStreams(t *scanTerm) {
	if s.v.streams == nil {
		return
	}
	n := len(s.v.streams.b) - 1
	t.streams = &streamCursor{make([]lookup, n), make([]int64, n), make([]uint32, n)}
	for i := range t.streams.lists {
		l := &t.streams.lists[i]
		if l.open(s.p, markOf(i+1, t.text)); !l.there {
			continue
		}
		for _, b := range l.Bound() {
			if b.TF == 0 {
				t.streams.most[i] = -1
			} else if t.streams.most[i] >= 0 {
				t.streams.most[i] = max(t.streams.most[i], int64(b.TF))
			}
		}
	}
}

// count finds how often a document has the term in each stream, from the document's row.
func (c *streamCursor) count(row []segment.RowTerm) {
	for i := range c.lists {
		c.counts[i] = 0
		if l := &c.lists[i]; l.there {
			if at, ok := slices.BinarySearchFunc(row, l.rank, compareRank); ok {
				c.counts[i] = row[at].Count()
			}
		}
	}
}

func compareRank(t segment.RowTerm, rank uint32) int { return cmp.Compare(t.Rank(), rank) }

// damage returns the error of the first list that is damaged.
func (c *streamCursor) damage() (err error) {
	if c == nil {
		return nil
	}
	for i := range c.lists {
		err = cmp.Or(err, c.lists[i].Err())
	}
	return err
}

// shareAt returns the share of a term in a document that has it. Documents rise, or are the same.
func (s *scan) shareAt(t *scanTerm, tf, doc uint32) float64 {
	c := t.streams
	for i := range c.lists {
		l := &c.lists[i]
		if c.counts[i] = 0; l.there && l.first(doc) == doc {
			c.counts[i] = l.TFs()[l.at]
		}
	}
	return t.weight * s.v.weightOf(termCount{tf, c.counts}, s.part, int(doc))
}

// boundOf bounds the share of a term in documents that a bound covers.
func (s *scan) boundOf(t *scanTerm, b segment.Bound) float64 {
	if t.streams == nil {
		return s.v.boundOf(t.queryTerm, b)
	}
	most := 0.0
	for _, p := range b {
		tf := int64(p.TF)
		if tf == 0 {
			tf = -1
		}
		most = max(most, s.streamsBound(t, tf, p.Length))
	}
	return most
}

// streamsBound bounds the share of a term that documents of a length have tf times at most, all
// streams together, or any number of times if tf is below 0.
func (s *scan) streamsBound(t *scanTerm, tf int64, length uint32) float64 {
	var list [maxStreams + 1]weight.Stream
	v, others := s.v.streams, uint64(0)
	for i, most := range t.streams.most {
		if others += uint64(v.parts[s.part].most[i+1]); most < 0 || tf >= 0 && tf < most {
			most = tf
		}
		list[i+1] = weight.Stream{TF: most, B: v.b[i+1], Mean: v.means[i+1]}
	}
	// The first stream has the rest of the length, whatever the others have.
	list[0] = weight.Stream{TF: tf, Length: max(0, int64(length)-int64(min(others, math.MaxInt64))), B: v.b[0], Mean: v.means[0]}
	return t.weight * s.v.scheme.StreamsBound(list[:len(v.b)])
}

// counts returns how often a document has each term of a query.
func (v *view) counts(terms []queryTerm, part, ord int) ([]termCount, error) {
	p := v.parts[part]
	tfs, err := p.frequencies(terms, ord)
	if err != nil {
		return nil, err
	}
	list := make([]termCount, len(terms))
	for i, tf := range tfs {
		list[i].tf = tf
	}
	if v.streams == nil {
		return list, nil
	}
	marks := make([]queryTerm, len(terms))
	for stream := 1; stream < len(v.streams.b); stream++ {
		for i, t := range terms {
			marks[i].text = markOf(stream, t.text)
		}
		if tfs, err = p.frequencies(marks, ord); err != nil {
			return nil, err
		}
		for i, tf := range tfs {
			list[i].streams = append(list[i].streams, tf)
		}
	}
	return list, nil
}

// streamTally counts the words of the streams of one document.
type streamTally struct {
	tallies []tally             // of stream 1 and on
	marks   []map[uint32]uint32 // of a stream the numbers of marks, by the numbers of terms
}

// count counts words of a field that is a stream.
func (a *analyst) count(r rule, numbers []uint32) {
	if r.stream == 0 {
		return
	}
	for len(a.streams.tallies) < r.stream {
		a.streams.tallies = append(a.streams.tallies, tally{})
		a.streams.marks = append(a.streams.marks, map[uint32]uint32{})
	}
	t := &a.streams.tallies[r.stream-1]
	t.weight = r.weight
	t.add(numbers)
}

// mark adds the marks of the document that was counted. They have a place, if there are places.
func (a *analyst) mark(place uint32) {
	for i := range a.streams.tallies {
		t, length := &a.streams.tallies[i], uint32(0)
		for _, n := range t.met {
			a.builder.Mark(a.markNumber(i+1, n), t.counts[n], place)
			length += t.counts[n]
			t.counts[n] = 0
		}
		if t.met = t.met[:0]; length > 0 {
			a.builder.Mark(a.lexicon.Number(markOf(i+1, "")), length, place)
		}
	}
}

// markNumber returns the number of the mark of a term.
func (a *analyst) markNumber(stream int, term uint32) uint32 {
	marks := a.streams.marks[stream-1]
	n, ok := marks[term]
	if !ok {
		n = a.lexicon.Number(markOf(stream, strings.Clone(a.lexicon.Term(term))))
		marks[term] = n
	}
	return n
}
