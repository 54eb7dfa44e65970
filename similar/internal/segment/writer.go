package segment

import (
	"errors"
	"math"
)

// ErrTooLarge is the error of documents that one segment cannot hold; several segments can.
var ErrTooLarge = errors.New("segment: too many documents or terms for one segment")

// maxBytes is how long an array with offsets of 32 bits may be.
const maxBytes = math.MaxUint32 - 64

// A writer makes a segment: of the documents in the order of their ids, then of the terms in the
// order of their names, then of the rows. The long sections go to a file if there is one.
type writer struct {
	out          *containerWriter // the file, or nil
	ids, rows    piecesWriter
	places       placesWriter // used if there are places
	placed       bool
	heads, texts storedWriter
	lengths      []uint32
	dictionary   dictionaryWriter
	vectors      vectors
	counts       []uint64
}

// reset makes the writer ready for another segment, in the same memory.
func (w *writer) reset() {
	w.ids.reset()
	w.heads.reset()
	w.texts.reset()
	w.rows.reset()
	w.places.reset()
	w.dictionary.reset()
	w.lengths, w.vectors = w.lengths[:0], vectors{}
	w.counts = make([]uint64, countCounts)
}

// addDocument ends the document whose id was written.
func (w *writer) addDocument(length uint32) {
	w.ids.end()
	w.lengths = append(w.lengths, length)
	w.counts[countLength] += uint64(length)
}

func (w *writer) addTerm(name string, docs, tfs []uint32) {
	w.dictionary.add(name, docs, tfs, w.lengths)
	w.counts[countTerms]++
	w.counts[countPostings] += uint64(len(docs))
}

func (w *writer) addRow(row []RowTerm) {
	w.rows.data.bytes = appendRow(w.rows.data.bytes, row)
	w.rows.end()
}

// segment returns the segment, in separate memory if the writer's is used again. The arrays that
// are read in words are padded.
func (w *writer) segment(again bool) (*Segment, error) {
	d := &w.dictionary
	if len(w.lengths) > maxBytes/4 || max(uint64(len(d.names)), d.lists.size()) > maxBytes {
		return nil, ErrTooLarge
	}
	s := &Segment{
		ids: w.ids.pieces(0, again), heads: w.heads.stored(again), texts: w.texts.stored(again), rows: w.rows.pieces(padding, again),
		counts: w.counts, lengths: fitted(w.lengths, 0, again),
		names: fitted(d.names, 0, again), nameAt: fitted(d.nameAt, 0, again), listAt: fitted(d.listAt, 0, again), lists: d.lists.section(padding, again),
		rank: newPermutation(d.rank), place: newPermutation(d.place),
		vectors: w.vectors,
	}
	if w.placed {
		w.places.end()
		s.places, s.blockAt = w.places.blocks.pieces(0, again), fitted(w.places.blockAt, 0, again)
	}
	w.counts[countHeads], w.counts[countTexts] = s.heads.ends.all, s.texts.ends.all
	s.vectors.data = fitted(s.vectors.data, 0, false)
	s.vectors.ready()
	return s, nil
}

// fitted returns a slice followed by zeros: a copy if its memory is used again, or is much longer
// than it needs.
func fitted[T any](s []T, zeros int, again bool) []T {
	n := len(s) + zeros
	if again || cap(s) < n || cap(s)-n > n/16+64 {
		c := make([]T, n)
		copy(c, s)
		return c
	}
	s = s[:n]
	clear(s[n-zeros:])
	return s
}
