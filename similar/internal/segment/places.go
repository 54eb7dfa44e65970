package segment

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
)

// The places of a document are, for each term of its row, a number for each place: twice the first
// place, or the gap from one place to the next less 1, and 1 added to the last of the term. A
// number takes as many bytes as it needs (uvarint). A term that counts several times at one place has
// the place once. Places cost nothing that does not ask for them: lists and rows are the same
// without them.

// A spot is where an entry occurs.
type spot struct {
	entry uint32 // the entry's number among the entries of all documents
	place uint32
}

// HasPlaces reports whether the segment has the places of terms.
func (s *Segment) HasPlaces() bool { return len(s.places.ends.packed) > 0 }

// KeepPlaces has the segments keep the places of terms, which Words gives.
func (b *Builder) KeepPlaces() { b.w.placed = true }

// Words adds the terms of consecutive words. The first word is at place. A word without a term has
// the number omitted. Places rise from call to call.
func (b *Builder) Words(numbers []uint32, place, omitted uint32) {
	for i, n := range numbers {
		if n != omitted {
			b.Terms(numbers[i : i+1])
			b.spots = append(b.spots, spot{b.state[n].entry, place + uint32(i)})
		}
	}
}

// writePlaces writes the places of a document, whose entries end at to and whose spots are given.
func (b *Builder) writePlaces(row []RowTerm, from, to int, spots []spot) {
	x := &b.scratch
	x.starts = sized(x.starts, to-from) // of an entry: where its next place goes
	x.slots = sized(x.slots, len(spots))
	for i, t := range row {
		x.inRow[x.termOf[t.Rank()]] = uint32(i)
	}
	for i, e := range b.entries[from:to] {
		x.starts[i] = x.inRow[e.term]
	}
	x.ends = sized(x.ends, len(row)+1)
	clear(x.ends)
	for _, s := range spots {
		x.ends[x.starts[int(s.entry)-from]+1]++
	}
	for i := range row {
		x.ends[i+1] += x.ends[i]
	}
	for i, at := range x.starts[:to-from] {
		x.starts[i] = x.ends[at]
	}
	for _, s := range spots {
		at := &x.starts[int(s.entry)-from]
		x.slots[*at] = s.place
		*at++
	}
	p := &b.w.places
	for i := range row {
		p.data.bytes = appendPlaces(p.data.bytes, x.slots[x.ends[i]:x.ends[i+1]])
	}
	p.end()
}

func appendPlaces(dst []byte, places []uint32) []byte {
	next := uint32(0)
	for i, p := range places {
		v := uint64(p-next) << 1
		if i+1 == len(places) {
			v |= 1
		}
		dst = binary.AppendUvarint(dst, v)
		next = p + 1
	}
	return dst
}

// Places appends the places of the terms of a document to dst, and for each term the end of its
// places in dst to ends. terms is the number of terms of the document's row. The places of a term
// rise. The error is a *Damaged.
func (s *Segment) Places(ord, terms int, dst []uint32, ends []int) ([]uint32, []int, error) {
	b := s.places.at(ord)
	for range terms {
		next, last := uint64(0), false
		for !last {
			v, k := binary.Uvarint(b)
			if k <= 0 || v>>1 > math.MaxUint32 || next+v>>1 > math.MaxUint32 {
				return dst, ends, s.Damaged("the places of the terms of document %d are broken", ord)
			}
			dst, b, next, last = append(dst, uint32(next+v>>1)), b[k:], next+v>>1+1, v&1 != 0
		}
		ends = append(ends, len(dst))
	}
	if len(b) > 0 {
		return dst, ends, s.Damaged("document %d has more places than terms", ord)
	}
	return dst, ends, nil
}

// PlacesOf calls visit for each place of terms of a document: with the number of a term in ranks,
// which rise, and the place. Terms that the document does not have have no places. It reads no more
// of the row and of the places than it must. The error is a *Damaged.
func (s *Segment) PlacesOf(ord int, ranks []uint32, visit func(i int, place uint32)) error {
	from, to := s.rows.ends.bounds(ord)
	row, ok := openRow(s.rows.data[from:to+padding], uint64(s.Terms()))
	if !ok || !s.guard.whole(s.rows.data[from:to]) {
		return s.Damaged("the row of document %d is broken, or has another checksum", ord)
	}
	b := s.places.at(ord)
	var group [rowGroup]RowTerm
	for i := 0; i < len(ranks) && row.left > 0; {
		some := group[:min(rowGroup, row.left)]
		if !row.group(some) {
			return s.Damaged("the row of document %d is broken", ord)
		}
		for _, t := range some {
			for i < len(ranks) && ranks[i] < t.Rank() {
				i++
			}
			if i < len(ranks) && ranks[i] == t.Rank() {
				b, ok = visitPlaces(b, i, visit)
			} else {
				b, ok = skipPlaces(b)
			}
			if !ok {
				return s.Damaged("the places of the terms of document %d are broken", ord)
			}
		}
	}
	return nil
}

// visitPlaces visits the places of the term at the beginning of b, and returns what follows them.
func visitPlaces(b []byte, i int, visit func(i int, place uint32)) (rest []byte, ok bool) {
	next, last := uint64(0), false
	for !last {
		v, k := binary.Uvarint(b)
		if k <= 0 || v>>1 > math.MaxUint32 || next+v>>1 > math.MaxUint32 {
			return nil, false
		}
		visit(i, uint32(next+v>>1))
		b, next, last = b[k:], next+v>>1+1, v&1 != 0
	}
	return b, true
}

// skipPlaces returns what follows the places of the term at the beginning of b. The first byte of a
// number says whether it is the last place.
func skipPlaces(b []byte) (rest []byte, ok bool) {
	for at, last := 0, false; at < len(b); {
		last = b[at]&1 != 0
		for at < len(b) && b[at] >= 0x80 {
			at++
		}
		if at++; last && at <= len(b) {
			return b[at:], true
		}
	}
	return nil, false
}

// placesStarts appends where the places of each term of a document begin in b, and their end.
func (s *Segment) placesStarts(b []byte, ord, terms int, starts []int) ([]int, error) {
	rest, ok := b, true
	for range terms {
		starts = append(starts, len(b)-len(rest))
		if rest, ok = skipPlaces(rest); !ok {
			return starts, s.Damaged("the places of the terms of document %d are broken", ord)
		}
	}
	if len(rest) > 0 {
		return starts, s.Damaged("document %d has more places than terms", ord)
	}
	return append(starts, len(b)), nil
}

// places writes the places in the order of the new ranks. They are copied as they are.
func (m *merger) places(ctx context.Context) error {
	if m.w.placed = len(m.sources) > 0 && m.sources[0].HasPlaces(); !m.w.placed {
		return nil
	}
	var row []RowTerm
	var starts []int
	w := &m.w.places
	w.data.to(m.w.out, kindPlaces)
	for _, o := range m.origin {
		if err := m.step(ctx); err != nil {
			return err
		}
		src := m.sources[o.source]
		if !src.HasPlaces() {
			return src.Damaged("it has no places of terms, and others of the index have them")
		}
		var err error
		if row, err = src.Row(int(o.ord), row[:0]); err != nil {
			return err
		}
		b := src.places.at(int(o.ord))
		if starts, err = src.placesStarts(b, int(o.ord), len(row), starts[:0]); err != nil {
			return err
		}
		for i, t := range row {
			row[i] = rowTerm(m.ranks[o.source][t.Rank()], uint32(i))
		}
		slices.Sort(row)
		for _, t := range row {
			i := t.Count() // its place in the source's row
			w.data.bytes = append(w.data.bytes, b[starts[i]:starts[i+1]]...)
		}
		w.end()
	}
	w.data.done(0)
	return nil
}
