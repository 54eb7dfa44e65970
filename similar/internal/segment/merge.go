package segment

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
)

// A Source is a segment to merge, and which of its documents to leave out.
type Source struct {
	*Segment
	Dead  func(ord int) bool                             // nil where all live
	Whole func(head []byte) bool                         // reports whether a head can be read; nil if all can
	Split func(body []byte) (head, text []byte, ok bool) // makes a head and a text of the body of an old segment
}

// Gone is the new ordinal of a document that was left out.
const Gone = math.MaxUint32

// Merge makes one segment of the documents of several that live. No id lives twice. It returns the
// new ordinals of the documents of each source, too.
func Merge(ctx context.Context, sources []Source) (*Segment, [][]uint32, error) {
	m := &merger{sources: sources}
	s, err := m.merge(ctx)
	return s, m.ords, err
}

// MergeTo is Merge into a file, which it writes from the beginning to the end. It holds some bytes
// for each document and each term, and the documents of one term.
func MergeTo(ctx context.Context, sources []Source, w io.Writer) ([][]uint32, error) {
	m := &merger{sources: sources}
	m.w.out = newContainerWriter(w, magic)
	s, err := m.merge(ctx)
	if err != nil {
		return nil, err
	}
	s.writeRest(m.w.out)
	return m.ords, m.w.out.finish()
}

type merger struct {
	sources []Source
	w       writer
	ords    [][]uint32 // of a source's document: its new ordinal
	origin  []origin   // of a new document: its origin
	ranks   [][]uint32 // of a source's rank: the new one
	read    int        // for forget
}

type origin struct{ source, ord uint32 }

func (m *merger) merge(ctx context.Context) (*Segment, error) {
	m.w.reset()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{m.documents, m.texts, m.heads, m.vectors, m.lists, m.rows, m.places} {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if m.w.out != nil && m.w.out.err != nil {
			return nil, m.w.out.err
		}
	}
	for _, src := range m.sources {
		if err := src.Err(); err != nil {
			return nil, err
		}
	}
	return m.w.segment(false)
}

// forgetEvery is after how many documents or terms a merge into a file lets go of what it has read
// of files.
const forgetEvery = 1 << 14

// step is called for each document and each term.
func (m *merger) step(ctx context.Context) error {
	if m.read++; m.read%1024 != 0 {
		return nil
	}
	if m.w.out != nil && m.read%forgetEvery == 0 {
		for _, src := range m.sources {
			src.mapping.forget()
		}
	}
	return ctx.Err()
}

// documents merges the ids.
func (m *merger) documents(ctx context.Context) error {
	heads := newHeads(len(m.sources))
	next := make([]int, len(m.sources)) // the document that each source has come to
	advance := func(i int) {
		src := m.sources[i]
		for next[i] < src.Len() && src.Dead != nil && src.Dead(next[i]) {
			next[i]++
		}
		if next[i] < src.Len() {
			heads.set(i, src.ID(next[i]))
		} else {
			heads.end(i)
		}
	}
	all := 0
	for i, src := range m.sources {
		all += src.Len()
		m.ords = append(m.ords, slices.Repeat([]uint32{Gone}, src.Len()))
		advance(i)
	}
	w := &m.w
	m.origin = make([]origin, 0, all)
	w.ids.data.to(w.out, kindIDs)
	var last []byte
	for i := heads.lowest(); i >= 0; i = heads.lowest() {
		if err := m.step(ctx); err != nil {
			return err
		}
		src, ord := m.sources[i], next[i]
		n := uint32(len(m.origin))
		if id := src.ID(ord); n > 0 && string(last) >= id {
			return cmp.Or(src.Err(), src.Damaged("the id of document %d is not in order", ord))
		}
		last = append(last[:0], src.ID(ord)...)
		m.ords[i][ord] = n
		m.origin = append(m.origin, origin{uint32(i), uint32(ord)})
		w.ids.data.bytes = append(w.ids.data.bytes, last...)
		w.addDocument(src.lengths[ord])
		if !w.vectors.addFrom(int(n), src.Segment, ord) {
			return src.Damaged("its vectors have another dimension or storage than the index")
		}
		next[i]++
		advance(i)
	}
	w.ids.data.done(0)
	return nil
}

// texts writes the texts.
func (m *merger) texts(ctx context.Context) error {
	size := uint64(0)
	for _, src := range m.sources {
		size += src.texts.likely()
	}
	return m.stored(ctx, &m.w.texts, kindTexts, size, func(src Source, r *Reader, ord int) ([]byte, error) {
		if !src.old {
			return r.Text(ord)
		}
		_, text, err := src.split(ord)
		return text, err
	})
}

// heads writes the titles and fields.
func (m *merger) heads(ctx context.Context) error {
	size := uint64(0)
	for _, src := range m.sources {
		size += src.heads.likely()
	}
	return m.stored(ctx, &m.w.heads, kindHeads, size, func(src Source, r *Reader, ord int) ([]byte, error) {
		if src.old {
			head, _, err := src.split(ord)
			return head, err
		}
		head, err := r.Head(ord)
		if err == nil && src.Whole != nil && !src.Whole(head) {
			err = src.Damaged("the title or the fields of document %q are broken", src.ID(ord))
		}
		return head, err
	})
}

// split returns the head and the text of a document of an old segment.
func (src *Source) split(ord int) (head, text []byte, err error) {
	head, text, ok := src.Split(src.Body(ord))
	if !ok {
		err = src.Damaged("the body of document %q is broken", src.ID(ord))
	}
	return head, text, err
}

func (m *merger) stored(ctx context.Context, w *storedWriter, kind int, size uint64, read func(src Source, r *Reader, ord int) ([]byte, error)) error {
	readers := make([]Reader, len(m.sources))
	for i, src := range m.sources {
		readers[i].Reset(src.Segment)
	}
	if w.data.to(m.w.out, kind); m.w.out == nil {
		w.raw = make([]byte, 0, size)
	}
	for _, o := range m.origin {
		if err := m.step(ctx); err != nil {
			return err
		}
		b, err := read(m.sources[o.source], &readers[o.source], int(o.ord))
		if err != nil {
			return err
		}
		w.raw = append(w.raw, b...)
		w.end()
	}
	w.done()
	return nil
}

// vectors writes the elements of the vectors.
func (m *merger) vectors(ctx context.Context) error {
	v := &m.w.vectors
	data := stream{bytes: v.data}
	data.to(m.w.out, kindData)
	for _, ord := range v.ords {
		if err := m.step(ctx); err != nil {
			return err
		}
		o := m.origin[ord]
		from := &m.sources[o.source].vectors
		n, _ := m.sources[o.source].VectorOf(int(o.ord))
		b := from.data[n*from.stride() : (n+1)*from.stride()]
		if !m.sources[o.source].guard.whole(b) {
			return m.sources[o.source].Damaged("vector %d has another checksum", n)
		}
		data.bytes = append(data.bytes, b...)
		data.spill()
	}
	data.done(0)
	v.data = data.bytes
	return nil
}

// heads are the next names of several ordered lists. Most are told apart by their first bytes.
type heads struct {
	names []string
	keys  []uint64
	left  []bool
}

func newHeads(n int) *heads { return &heads{make([]string, n), make([]uint64, n), make([]bool, n)} }

func (h *heads) set(i int, name string) { h.names[i], h.keys[i], h.left[i] = name, keyOf(name), true }
func (h *heads) end(i int)              { h.left[i] = false }

// less reports whether the name of one list, which is there, precedes another's.
func (h *heads) less(i, j int) bool {
	return h.keys[i] < h.keys[j] || h.keys[i] == h.keys[j] && h.names[i] < h.names[j]
}

// lowest returns the list with the lowest name, the first of several, or -1.
func (h *heads) lowest() int {
	best := -1
	for i, left := range h.left {
		if left && (best < 0 || h.less(i, best)) {
			best = i
		}
	}
	return best
}

// posting is a document in the high half, so that postings are ordered as numbers, and a frequency, or
// the number of its places.
type posting uint64

// A sourceTerm is a term of a source.
type sourceTerm struct {
	source int
	Term
}

// terms merges the dictionaries: it calls visit for each name, in order, with the term of each source
// that has it.
func (m *merger) terms(ctx context.Context, visit func(name string, of []sourceTerm) error) error {
	heads := newHeads(len(m.sources))
	walkers := make([]*Walker, len(m.sources))
	advance := func(i int) {
		if walkers[i].Next() {
			heads.set(i, walkers[i].Name())
		} else {
			heads.end(i)
		}
	}
	for i, src := range m.sources {
		walkers[i] = src.Walk()
		advance(i)
	}
	var last []byte
	var of []sourceTerm
	for n := 0; ; n++ {
		first := heads.lowest()
		if first < 0 {
			return nil
		}
		if err := m.step(ctx); err != nil {
			return err
		}
		if n > 0 && string(last) >= heads.names[first] {
			return m.sources[first].Damaged("term %q of its dictionary is not in order", heads.names[first])
		}
		last, of = append(last[:0], heads.names[first]...), of[:0]
		for i := first; i < len(m.sources); i++ {
			if i == first || heads.left[i] && !heads.less(first, i) {
				of = append(of, sourceTerm{i, walkers[i].Term()})
				if i > first {
					advance(i)
				}
			}
		}
		if err := visit(heads.names[first], of); err != nil {
			return err
		}
		advance(first)
	}
}

// lists writes the dictionary, and the list of each term.
func (m *merger) lists(ctx context.Context) error {
	for _, src := range m.sources {
		m.ranks = append(m.ranks, make([]uint32, src.Terms()))
	}
	w := &m.w
	w.dictionary.lists.to(w.out, kindLists)
	var lists listMerger
	err := m.terms(ctx, func(name string, of []sourceTerm) error {
		lists.begin()
		for _, t := range of {
			m.ranks[t.source][t.Rank] = uint32(w.counts[countTerms])
			if err := lists.add(m.sources[t.source].Segment, t.Term, m.ords[t.source]); err != nil {
				return err
			}
		}
		if docs, tfs := lists.merged(); len(docs) > 0 {
			w.addTerm(name, docs, tfs)
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.dictionary.lists.done(padding)
	w.dictionary.end()
	rank := w.dictionary.rank
	for _, list := range m.ranks {
		for i, place := range list {
			if int(place) < len(rank) { // a term whose documents are all gone is in no row
				list[i] = rank[place]
			}
		}
	}
	return nil
}

// A listMerger merges lists of one term.
type listMerger struct {
	all, spare []posting
	runs       []int
	docs, tfs  []uint32
	cursor     Cursor
}

func (l *listMerger) begin() { l.all, l.runs = l.all[:0], append(l.runs[:0], 0) }

// add adds the postings of a term that live, with their new ordinals.
func (l *listMerger) add(s *Segment, t Term, ords []uint32) error {
	c := &l.cursor
	c.Open(s, t)
	for more := true; more; more = c.Next() {
		tfs := c.TFs()
		for i, d := range c.Docs() {
			if n := ords[d]; n != Gone {
				l.all = append(l.all, posting(n)<<32|posting(tfs[i]))
			}
		}
	}
	l.runs = append(l.runs, len(l.all))
	return c.Err()
}

// merged returns the documents and frequencies. They are good until the next begin.
func (l *listMerger) merged() (docs, tfs []uint32) {
	l.all, l.spare = mergeRuns(l.all, l.spare, l.runs)
	l.docs, l.tfs = sized(l.docs, len(l.all)), sized(l.tfs, len(l.all))
	for i, p := range l.all {
		l.docs[i], l.tfs[i] = uint32(p>>32), uint32(p)
	}
	return l.docs, l.tfs
}

// mergeRuns orders what consists of ordered runs. It returns it, and memory for the next time.
func mergeRuns(all, spare []posting, runs []int) (ordered, other []posting) {
	if slices.IsSorted(all) {
		return all, spare
	}
	for len(runs) > 2 {
		spare = slices.Grow(spare[:0], len(all))
		ends := append(runs[:0:0], 0)
		for i := 0; i+1 < len(runs); i += 2 {
			a := all[runs[i]:runs[i+1]]
			var b []posting
			if i+2 < len(runs) {
				b = all[runs[i+1]:runs[i+2]]
			}
			spare = mergeTwo(spare, a, b)
			ends = append(ends, len(spare))
		}
		all, spare, runs = spare, all, ends
	}
	return all, spare
}

func mergeTwo(dst, a, b []posting) []posting {
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			dst, a = append(dst, a[0]), a[1:]
		} else {
			dst, b = append(dst, b[0]), b[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// rows writes the rows anew, with the new ranks.
func (m *merger) rows(ctx context.Context) error {
	var row []RowTerm
	postings := uint64(0)
	m.w.rows.data.to(m.w.out, kindRows)
	for _, o := range m.origin {
		if err := m.step(ctx); err != nil {
			return err
		}
		src := m.sources[o.source]
		var err error
		if row, err = src.Row(int(o.ord), row[:0]); err != nil {
			return err
		}
		ranks := m.ranks[o.source]
		for i, t := range row {
			row[i] = rowTerm(ranks[t.Rank()], t.Count())
		}
		slices.Sort(row)
		if !distinct(row, m.w.counts[countTerms]) {
			return src.Damaged("the row of document %d has terms whose lists do not have the document", o.ord)
		}
		postings += uint64(len(row))
		m.w.addRow(row)
	}
	m.w.rows.data.done(padding)
	if postings != m.w.counts[countPostings] {
		return m.sources[0].Damaged("the rows of this file, or of one that is merged with it, have %d terms, and the lists %d", postings, m.w.counts[countPostings])
	}
	return nil
}

// distinct reports whether the ranks of a row, which is sorted, differ and are below terms.
func distinct(row []RowTerm, terms uint64) bool {
	for i, t := range row {
		if i > 0 && row[i-1].Rank() == t.Rank() {
			return false
		}
	}
	return len(row) == 0 || uint64(row[len(row)-1].Rank()) < terms
}
