package segment

import (
	"encoding/binary"
	"math"
)

// The places of a term are the numbers of its words in a document. Each block of a term's list has a
// piece, which holds the places of one posting after the other. A place is a number: twice the first
// place, or the gap from one place to the next less 1. The number of a posting's last place has 1
// added. A number takes as many bytes as it needs (uvarint). A term that counts several times at one
// place has the place once. Places cost nothing that does not ask for them: lists and rows are the
// same without them.

// A spot is where an entry occurs.
type spot struct {
	entry uint32 // the entry's number among the entries of all documents
	place uint32
}

// HasPlaces reports whether the segment has the places of terms.
func (s *Segment) HasPlaces() bool { return len(s.blockAt) > 0 }

// blocks returns how many blocks of lists have places.
func (s *Segment) blocks() int { return int(s.blockAt[len(s.blockAt)-1]) }

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

// sortSpots orders the places by posting: the places of posting i end at ends[i]. The postings of the
// entries are known from transpose.
func (b *Builder) sortSpots() {
	x := &b.scratch
	x.ends, x.slots = sized(x.ends, len(b.entries)+1), sized(x.slots, len(b.spots))
	clear(x.ends)
	for _, s := range b.spots {
		x.ends[x.postings[s.entry]+1]++
	}
	for i := range b.entries {
		x.ends[i+1] += x.ends[i]
	}
	// ends[i] is the beginning of posting i's places. It moves to their end as they come.
	for _, s := range b.spots {
		at := &x.ends[x.postings[s.entry]]
		x.slots[*at] = s.place
		*at++
	}
}

// addPlaces adds the places of the term whose postings are those from one up to another.
func (b *Builder) addPlaces(from, to uint32) {
	x, begin := &b.scratch, uint32(0)
	if from > 0 {
		begin = x.ends[from-1]
	}
	b.w.places.add(int(to-from), func(dst []byte, i int) []byte {
		places := x.slots[begin:x.ends[from+uint32(i)]]
		begin += uint32(len(places))
		return appendPlaces(dst, places)
	})
}

// A placesWriter adds the places of the terms of a segment, in their order.
type placesWriter struct {
	blocks  piecesWriter
	blockAt []uint32
	terms   int
}

func (w *placesWriter) reset() {
	w.blocks.reset()
	w.blockAt, w.terms = w.blockAt[:0], 0
}

// add adds the places of the postings of a term. Function appendTo appends one posting's places.
func (w *placesWriter) add(df int, appendTo func(dst []byte, posting int) []byte) {
	if w.terms%dictionaryGroup == 0 {
		w.blockAt = append(w.blockAt, uint32(w.blocks.n))
	}
	w.terms++
	for i := range df {
		w.blocks.data.bytes = appendTo(w.blocks.data.bytes, i)
		if i%BlockLen == BlockLen-1 || i == df-1 {
			w.blocks.end()
		}
	}
}

// end ends the places, when all are there.
func (w *placesWriter) end() { w.blockAt = append(w.blockAt, uint32(w.blocks.n)) }

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

// A PlaceReader reads the places of a term. It is fastest if postings are read in their order.
type PlaceReader struct {
	s     *Segment
	first int    // the piece of the term's first block
	block int    // the block that rest is of
	next  int    // the posting of the block that rest begins with
	rest  []byte // the places of that posting and of those after it
}

// Open sets the reader to a term of a segment that has places.
func (r *PlaceReader) Open(s *Segment, t Term) {
	r.open(s, s.places.ends.n) // no block of a term, if this one's is not found
	rank := int(t.Rank)
	place := int(s.place.at(rank))
	group := place / dictionaryGroup
	if place >= s.Terms() || !s.guard.whole(s.place.span(rank, rank+1)) || !s.group(group) || !s.guard.whole(bytesOf(s.blockAt[group:group+1])) {
		return
	}
	r.first = int(s.blockAt[group])
	list := int(s.listAt[group])
	for range place % dictionaryGroup {
		r.first += blocksOf(int(s.term(0, list).DF))
		list += listBytes(s.lists[list:])
	}
}

// open sets the reader to the term whose first block has a piece.
func (r *PlaceReader) open(s *Segment, first int) {
	r.s, r.first, r.block = s, first, -1
}

// Append appends the places of posting i of a block of the term's list to dst. They rise. The error is
// a *Damaged.
func (r *PlaceReader) Append(dst []int, block, i int) ([]int, error) {
	if err := r.seek(block, i); err != nil {
		return dst, err
	}
	b, next, last := r.rest, uint64(0), false
	for !last {
		v, k := uint64(0), 1
		if len(b) > 0 && b[0] < 0x80 {
			v = uint64(b[0])
		} else if v, k = binary.Uvarint(b); k <= 0 || v>>1 > math.MaxUint32 || next+v>>1 > math.MaxUint32 {
			return dst, r.damaged(block)
		}
		dst, b, next, last = append(dst, int(next+v>>1)), b[k:], next+v>>1+1, v&1 != 0
	}
	r.rest, r.next = b, i+1
	return dst, nil
}

// seek moves to a posting of a block.
func (r *PlaceReader) seek(block, i int) error {
	if block != r.block || i < r.next {
		if r.first+block >= r.s.places.ends.n {
			return r.damaged(block)
		}
		r.rest, r.block, r.next = r.s.places.at(r.first+block), block, 0
	}
	for ; r.next < i; r.next++ {
		rest, ok := skipPlaces(r.rest)
		if !ok {
			return r.damaged(block)
		}
		r.rest = rest
	}
	return nil
}

// take returns the bytes of a posting's places.
func (r *PlaceReader) take(block, i int) ([]byte, error) {
	if err := r.seek(block, i); err != nil {
		return nil, err
	}
	before := r.rest
	if err := r.seek(block, i+1); err != nil {
		return nil, err
	}
	return before[:len(before)-len(r.rest)], nil
}

// ended reports whether the reader has come to the end of a block.
func (r *PlaceReader) ended() bool { return len(r.rest) == 0 }

func (r *PlaceReader) damaged(block int) error {
	r.block = -1
	return r.s.Damaged("the places of block %d of a list are broken", block)
}

// skipPlaces returns what follows the places of the posting at the beginning of b. The first byte of
// a number says whether it is the last place.
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
