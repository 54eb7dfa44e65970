package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
)

// A checksum tells that a file is as it was written. It does not tell who wrote it. So all that
// the readers of a segment rely on is checked, too, when it is first read, as checksums are:
//
//   - when the segment is opened: the lengths of the arrays, the lengths of the documents, the
//     vectors without their elements
//   - for a group of pieces or of terms: where the pieces end, the names, the extents of the lists,
//     the short lists, the ranks. If they are broken, Err says so afterwards, and the pieces are
//     empty, and the terms not there
//   - for a block of a list, a row, and what is stored of a document: Cursor.Err, Row and Reader give
//     the error
//
// That ids and terms are in order is checked by merges and by Verify; a search among others ends,
// too. A file of version 2 is checked when it is opened, apart from blocks, rows and bodies.

// check checks what is checked when a segment is opened, and makes it ready to be read.
func (s *Segment) check() error {
	docs, counts := len(s.lengths), countCounts
	if s.old {
		counts = oldCounts
	}
	if !s.guard.whole(bytesOf(s.counts)) || !s.guard.whole(bytesOf(s.lengths)) {
		return damaged("its counts, or the lengths of its documents, have another checksum")
	}
	if len(s.counts) != counts || len(s.lists) < padding || len(s.rows.data) < padding || docs > maxBytes/4 {
		return damaged("its arrays have different lengths")
	}
	length := uint64(0)
	for _, n := range s.lengths {
		length += uint64(n)
	}
	if length != s.counts[countLength] {
		return damaged("its documents have %d terms, and it says %d", length, s.counts[countLength])
	}
	if err := s.shape(docs); err != nil {
		return err
	}
	if s.old {
		if err := cmp.Or(s.checkIDs(), s.checkEnds(), s.checkDictionary()); err != nil {
			return err
		}
	}
	return s.vectors.check(docs, s.guard)
}

// shape checks the lengths of the arrays.
func (s *Segment) shape(docs int) error {
	rows := uint64(len(s.rows.data) - padding)
	shaped := s.ids.ends.shaped(docs, uint64(len(s.ids.data))) && s.rows.ends.shaped(docs, rows)
	if s.old {
		shaped = shaped && s.bodies.ends.shaped(docs, uint64(len(s.bodies.data)))
	} else {
		shaped = shaped && s.heads.shaped(docs, s.counts[countHeads]) && s.texts.shaped(docs, s.counts[countTexts])
	}
	if n := len(s.blockAt); n > 0 {
		shaped = shaped && s.guard.whole(bytesOf(s.blockAt[n-1:])) && s.places.ends.shaped(s.blocks(), uint64(len(s.places.data)))
	}
	if !shaped {
		return damaged("its %d documents do not end where they should", docs)
	}
	if s.counts[countTerms] > uint64(len(s.names)) || len(s.names) > maxBytes || len(s.lists) > maxBytes || s.counts[countPostings] > 8*rows {
		return damaged("it says that it has %d terms and %d postings", s.counts[countTerms], s.counts[countPostings])
	}
	terms := s.Terms()
	s.rank.width, s.place.width = permutationWidth(terms), permutationWidth(terms)
	groups, size := (terms+dictionaryGroup-1)/dictionaryGroup, packed(terms, s.rank.width)+padding
	if len(s.nameAt) != groups || len(s.listAt) != groups || len(s.rank.bytes) != size || len(s.place.bytes) != size || s.HasPlaces() && len(s.blockAt) != groups+1 {
		return damaged("its dictionary has another length")
	}
	if !s.old {
		s.groups = newLazy(s, "terms", groups)
		s.ids.ends.lazy = newLazy(s, "id", len(s.ids.ends.groups)/2)
		s.rows.ends.lazy = newLazy(s, "terms", len(s.rows.ends.groups)/2)
		s.heads.ends.lazy = newLazy(s, "title and fields", len(s.heads.ends.groups)/2)
		s.texts.ends.lazy = newLazy(s, "text", len(s.texts.ends.groups)/2)
		s.places.ends.lazy = newLazy(s, "places", len(s.places.ends.groups)/2)
	}
	return nil
}

// checkIDs checks that the ids are in order.
func (s *Segment) checkIDs() error {
	if !s.ids.ends.check(s.guard) {
		return damaged("its ids do not end where they should")
	}
	for ord := 1; ord < s.Len(); ord++ {
		if s.ID(ord-1) >= s.ID(ord) {
			return damaged("the ids of documents %d and %d are not in order", ord-1, ord)
		}
	}
	return nil
}

// checkEnds checks where the other pieces end.
func (s *Segment) checkEnds() error {
	for _, p := range []struct {
		name string
		of   *ends
	}{{"terms", &s.rows.ends}, {"bodies", &s.bodies.ends}, {"places", &s.places.ends}, {"titles and fields", &s.heads.ends}, {"texts", &s.texts.ends}} {
		if !p.of.check(s.guard) {
			return damaged("its %s do not end where they should", p.name)
		}
	}
	return nil
}

// checkDictionary checks all groups of the dictionary, and their order.
func (s *Segment) checkDictionary() error {
	var last []byte
	postings := uint64(0)
	for g := range s.nameAt {
		c := groupChecker{s: s}
		if !c.check(g) {
			return damaged("term %d of its dictionary is broken, or its list", c.place)
		}
		if g > 0 && bytes.Compare(last, c.first) >= 0 {
			return damaged("term %d of its dictionary is not in order", g*dictionaryGroup)
		}
		last, postings = c.name, postings+c.postings
	}
	if postings != s.counts[countPostings] {
		return damaged("its lists have %d postings, and it says %d", postings, s.counts[countPostings])
	}
	for place := range s.Terms() {
		if rank := s.rank.at(place); int(rank) >= s.Terms() || s.place.at(int(rank)) != uint32(place) {
			return damaged("the rank of term %d is another term's", place)
		}
	}
	return nil
}

// group reports whether a group of the dictionary can be read. If not, Err says so.
func (s *Segment) group(g int) bool {
	if s.groups == nil || s.groups.checked(g) {
		return true
	}
	c := groupChecker{s: s}
	if !c.check(g) {
		s.fail("term %d of the dictionary is broken, or its list, or they have another checksum", c.place)
		return false
	}
	s.groups.note(g)
	return true
}

// A groupChecker checks a group of the dictionary.
type groupChecker struct {
	s           *Segment
	place       int    // the term that it has come to
	first, name []byte // the names of the first term and of that
	postings    uint64
}

func (c *groupChecker) check(g int) bool {
	s := c.s
	c.place = g * dictionaryGroup
	to := min(c.place+dictionaryGroup, s.Terms())
	names, lists, ok := s.groupBytes(g)
	if !ok || !s.guard.whole(names) || !s.guard.whole(s.rank.span(c.place, to)) {
		return false
	}
	at, list := 0, 0
	for first := true; c.place < to; c.place++ {
		same, more, next, ok := checkName(names, at)
		switch {
		case !ok, first && same != 0:
			return false
		case first:
			c.first, c.name, first = more, bytes.Clone(more), false
		case same > len(c.name) || len(more) == 0 || same < len(c.name) && more[0] <= c.name[same]:
			return false
		default:
			c.name = append(c.name[:same], more...)
		}
		df, head, size := listExtent(lists[list:], s.Len())
		if df == 0 || !s.guard.whole(lists[list:list+head]) || int(s.rank.at(c.place)) >= s.Terms() {
			return false
		}
		at, list, c.postings = next, list+size, c.postings+uint64(df)
	}
	return at == len(names) && list == len(lists)
}

// groupBytes returns the names and the lists of a group, and false if they do not end after they
// begin.
func (s *Segment) groupBytes(g int) (names, lists []byte, ok bool) {
	last := min(g+2, len(s.nameAt))
	if !s.guard.whole(bytesOf(s.nameAt[g:last])) || !s.guard.whole(bytesOf(s.listAt[g:last])) {
		return nil, nil, false
	}
	at, list, nameEnd, listEnd := int(s.nameAt[g]), int(s.listAt[g]), len(s.names), len(s.lists)-padding
	if g+1 < last {
		nameEnd, listEnd = int(s.nameAt[g+1]), int(s.listAt[g+1])
	}
	if at > nameEnd || nameEnd > len(s.names) || list > listEnd || listEnd > len(s.lists)-padding || g == 0 && (at != 0 || list != 0) {
		return nil, nil, false
	}
	return s.names[at:nameEnd], s.lists[list:listEnd], true
}

// checkName is readName for bytes that may be any.
func checkName(b []byte, at int) (same int, more []byte, next int, ok bool) {
	number := func(low int) (int, bool) {
		if low < 15 {
			return low, true
		}
		v, k := binary.Uvarint(b[at:])
		at += max(k, 0)
		return low + int(min(v, maxBytes)), k > 0 && v <= maxBytes
	}
	if at >= len(b) {
		return 0, nil, 0, false
	}
	head := b[at]
	at++
	same, ok = number(int(head >> 4))
	n, whole := number(int(head & 15))
	if !ok || !whole || n > len(b)-at {
		return 0, nil, 0, false
	}
	return same, b[at : at+n], at + n, true
}

// listExtent returns how many postings the list has that begins at b, how many bytes it takes, and up
// to where it was read: a list of several blocks up to these, and another one to its end. It returns
// no posting for a list that is broken.
func listExtent(b []byte, docs int) (df, read, size int) {
	v, at := binary.Uvarint(b)
	if at <= 0 || v == 0 || v > uint64(docs) {
		return 0, 0, 0
	}
	if df = int(v); df <= shortList {
		size, ok := checkShort(b[at:], df, docs)
		if !ok {
			return 0, 0, 0
		}
		return df, at + size, at + size
	}
	blocks, head := blocksOf(df), boundBytes
	if blocks > 1 {
		head += blocks * entryBytes
	}
	if head > len(b)-at {
		return 0, 0, 0
	}
	if at += head; blocks > 1 {
		if size = int(binary.LittleEndian.Uint32(b[at-entryBytes+4:])); size > len(b)-at {
			return 0, 0, 0
		}
		return df, at, at + size
	}
	for range 2 {
		size, ok := checkPatched(b[at:], df)
		if !ok {
			return 0, 0, 0
		}
		at += size
	}
	return df, at, at
}

// checkShort returns how many bytes the postings of a short list take, and whether their documents
// are there.
func checkShort(b []byte, df, docs int) (size int, ok bool) {
	next := uint64(0)
	for range df {
		v, k := binary.Uvarint(b[size:])
		if k <= 0 || v>>1 >= uint64(docs)-next {
			return 0, false
		}
		next += v>>1 + 1
		if size += k; v&1 == 0 {
			continue
		}
		if v, k = binary.Uvarint(b[size:]); k <= 0 || v > math.MaxUint32-2 {
			return 0, false
		}
		size += k
	}
	return size, true
}

// check checks the shape of the vectors, and makes them ready to be read.
func (v *vectors) check(docs int, g *guard) error {
	if !g.whole(bytesOf(v.shape)) || !g.whole(bytesOf(v.ords)) || !g.whole(bytesOf(v.scale)) || !g.whole(bytesOf(v.norms)) {
		return damaged("its vectors have another checksum")
	}
	if len(v.shape) != 0 && len(v.shape) != 2 {
		return damaged("its vectors have another shape")
	}
	stride := uint64(0)
	if len(v.shape) == 2 {
		if v.shape[0] == 0 || v.shape[0] > maxDimension || v.storage() > Int8 {
			return damaged("its vectors have dimension %d and storage %d", v.shape[0], v.storage())
		}
		stride = uint64(v.stride())
	}
	if n := len(v.ords); len(v.norms) != n || len(v.scale) != n || uint64(len(v.data)) != uint64(n)*stride || stride == 0 && n > 0 {
		return damaged("its vectors have another shape")
	}
	for i, ord := range v.ords {
		if int(ord) >= docs || i > 0 && v.ords[i-1] >= ord {
			return damaged("vector %d has no document, or the document before it", i)
		}
		if norm, scale := float64(v.norms[i]), float64(v.scale[i]); !(norm >= 0) || math.IsNaN(scale) || math.IsInf(scale, 0) {
			return damaged("vector %d has the norm %v and the factor %v", i, norm, scale)
		}
	}
	v.ready()
	return nil
}

// maxDimension is the largest dimension of vectors.
const maxDimension = 1 << 20
