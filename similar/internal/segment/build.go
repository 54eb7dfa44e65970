package segment

import "math"

// A Builder makes segments of documents that come in the byte order of their ids. One goroutine may
// use it.
//
//	b := NewBuilder(names)
//	b.Begin("id")
//	b.Terms(numbers) // of the terms of a text, in any order
//	b.End(appendHead, appendText)
//	s, err := b.Segment()
//
// It keeps its working memory from one segment to the next.
type Builder struct {
	names   func(number uint32) string
	w       writer
	terms   []builderTerm
	state   []termState // by number
	entries []entry     // of all documents, one after the other
	rowEnd  []int
	spots   []spot // of all documents, if there are places
	stamp   uint32 // of the present document, above every earlier document's
	first   uint32 // of the first document of the segment
	length  uint32
	weight  uint32
	scratch scratch
}

// builderTerm is a term of the segment that is built, in the order in which they came.
type builderTerm struct{ number, df uint32 }

// termState says where a term stood last: in which document, and at which of the entries.
type termState struct{ stamp, term, entry uint32 }

// An entry is a term of a document and its count there.
type entry struct{ term, count uint32 }

// scratch is the working memory of Segment.
type scratch struct {
	order     []keyed
	spare     []keyed
	next      []uint32
	docs, tfs []uint32
	rows      []RowTerm

	postings    []uint32 // of an entry: its posting, for places
	ends, slots []uint32 // where the places of a posting end, and the places by posting
}

// NewBuilder returns a builder of terms that are given by numbers. A number has one name for as
// long as the builder is used.
func NewBuilder(names func(number uint32) string) *Builder {
	b := &Builder{names: names}
	b.begin()
	return b
}

// begin makes the builder ready for another segment.
func (b *Builder) begin() {
	b.w.reset()
	b.terms, b.entries, b.rowEnd = b.terms[:0], b.entries[:0], b.rowEnd[:0]
	b.spots = b.spots[:0]
	if b.stamp > math.MaxUint32/2 {
		clear(b.state)
		b.stamp = 0
	}
	b.first = b.stamp + 1
}

// Len returns how many documents were added.
func (b *Builder) Len() int { return len(b.rowEnd) }

// Postings returns how many pairs of a document and a term there are.
func (b *Builder) Postings() int { return len(b.entries) }

// Begin begins a document. Its id follows the ids before it.
func (b *Builder) Begin(id string) {
	b.w.ids.data.bytes = append(b.w.ids.data.bytes, id...)
	b.length, b.weight = 0, 1
	b.stamp++
}

// Weight has the terms that follow in the document count so often each. It is 1 at the beginning of
// a document.
func (b *Builder) Weight(weight uint32) { b.weight = weight }

// Terms adds terms to the document.
func (b *Builder) Terms(numbers []uint32) {
	b.length += uint32(len(numbers)) * b.weight
	for _, n := range numbers {
		if int(n) >= len(b.state) {
			b.state = append(b.state, make([]termState, int(n)+1-len(b.state)+len(b.state)/2)...)
		}
		t := &b.state[n]
		if t.stamp == b.stamp {
			b.entries[t.entry].count += b.weight
			continue
		}
		if t.stamp < b.first {
			t.term = uint32(len(b.terms))
			b.terms = append(b.terms, builderTerm{n, 0})
		}
		t.stamp, t.entry = b.stamp, uint32(len(b.entries))
		b.entries = append(b.entries, entry{t.term, b.weight})
	}
}

// Mark adds a mark: a term that counts so often, and is no part of the document's length. A
// document has it once. Its name is as IsMark says. If there are places it has one.
func (b *Builder) Mark(number, count, place uint32) {
	length, weight := b.length, b.weight
	b.weight = count
	b.Terms([]uint32{number})
	if b.w.placed {
		b.spots = append(b.spots, spot{b.state[number].entry, place})
	}
	b.length, b.weight = length, weight
}

// IsMark reports whether a term is a mark: a zero byte, and one of 1 to 31.
func IsMark(name string) bool { return len(name) > 1 && name[0] == 0 && name[1] > 0 && name[1] < 32 }

// End ends the document. The functions append what a Reader returns of it.
func (b *Builder) End(head, text func(dst []byte) []byte) {
	w := &b.w
	w.heads.raw, w.texts.raw = head(w.heads.raw), text(w.texts.raw)
	w.heads.end()
	w.texts.end()
	b.w.addDocument(b.length)
	b.rowEnd = append(b.rowEnd, len(b.entries))
}

// Segment returns the segment of the documents. The builder begins another one.
func (b *Builder) Segment() (*Segment, error) {
	defer b.begin()
	if len(b.entries) > maxBytes/8 {
		return nil, ErrTooLarge
	}
	for _, e := range b.entries {
		b.terms[e.term].df++
	}
	order := b.sortedTerms()
	b.transpose(order)
	if b.w.placed {
		b.sortSpots()
	}
	from := uint32(0)
	for _, o := range order {
		to := from + b.terms[o.term].df
		b.w.addTerm(b.names(b.terms[o.term].number), b.scratch.docs[from:to], b.scratch.tfs[from:to])
		if b.w.placed {
			b.addPlaces(from, to)
		}
		from = to
	}
	b.w.dictionary.end()
	b.w.heads.done()
	b.w.texts.done()
	b.writeRows(order)
	return b.w.segment(true)
}

// transpose writes the documents and frequencies of each term to scratch, one term after the other.
func (b *Builder) transpose(order []keyed) {
	x := &b.scratch
	x.next = sized(x.next, len(b.terms)) // of a term: where its next posting goes
	from := uint32(0)
	for _, o := range order {
		x.next[o.term] = from
		from += b.terms[o.term].df
	}
	x.docs, x.tfs = sized(x.docs, len(b.entries)), sized(x.tfs, len(b.entries))
	if b.w.placed {
		x.postings = sized(x.postings, len(b.entries))
	}
	at := 0
	for doc, end := range b.rowEnd {
		for i, e := range b.entries[at:end] {
			to := x.next[e.term]
			x.docs[to], x.tfs[to] = uint32(doc), e.count
			x.next[e.term] = to + 1
			if b.w.placed {
				x.postings[at+i] = to
			}
		}
		at = end
	}
}

// writeRows takes the terms by rank, so that each row is in that order. Transpose has left in next
// where the postings of each term end.
func (b *Builder) writeRows(order []keyed) {
	x := &b.scratch
	x.rows = sized(x.rows, len(b.entries))
	next := make([]int, len(b.rowEnd))
	copy(next[min(1, len(next)):], b.rowEnd)
	for rank, place := range b.w.dictionary.place {
		term := order[place].term
		end := x.next[term]
		for i := end - b.terms[term].df; i < end; i++ {
			at := &next[x.docs[i]]
			x.rows[*at] = rowTerm(uint32(rank), x.tfs[i])
			*at++
		}
	}
	from := 0
	for _, end := range b.rowEnd {
		b.w.addRow(x.rows[from:end])
		from = end
	}
}

// sized returns a slice of a length, in the same memory where that is enough.
func sized[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}
