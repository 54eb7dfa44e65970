package segment

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A checksum tells that a file is as it was written. It does not tell who wrote it. What the readers
// of a segment rely on is therefore checked, in two places. Open checks what takes a short time for
// each document and each term: the lengths of the arrays, where the pieces end, the order of the ids,
// the dictionary, the extents of the lists, the short lists, the permutations and the vectors. What
// is within a block of a list, within a row or a body is checked when it is read: Cursor.Err and Row
// give the error, and package similar checks bodies.

// check checks all but blocks, rows and bodies, and makes the segment ready to be read.
func (s *Segment) check() error {
	docs := len(s.lengths)
	if len(s.counts) != countCounts || len(s.lists) < padding || docs > maxBytes/4 {
		return damaged("its arrays have different lengths")
	}
	for _, p := range []struct {
		name  string
		of    *pieces
		zeros int
	}{{"ids", &s.ids, 0}, {"bodies", &s.bodies, 0}, {"rows", &s.rows, padding}} {
		if !p.of.check(docs, p.zeros) {
			return damaged("its %s do not end where they should", p.name)
		}
	}
	for ord := 1; ord < docs; ord++ {
		if s.ID(ord-1) >= s.ID(ord) {
			return damaged("the ids of documents %d and %d are not in order", ord-1, ord)
		}
	}
	length := uint64(0)
	for _, n := range s.lengths {
		length += uint64(n)
	}
	if length != s.counts[countLength] {
		return damaged("its documents have %d terms, and it says %d", length, s.counts[countLength])
	}
	if err := s.checkTerms(); err != nil {
		return err
	}
	return s.vectors.check(docs)
}

// check reports whether there are the ends of n pieces, which rise up to the end of the data and
// have the given number of bytes after them.
func (p *pieces) check(n, zeros int) bool {
	groups := (n + piecesGroup - 1) / piecesGroup
	if len(p.groups) != 2*groups || len(p.ends) < padding || len(p.data) < zeros {
		return false
	}
	all, last := uint64(len(p.data)-zeros), uint64(0)
	for g := range groups {
		in := min(piecesGroup, n-g*piecesGroup)
		at, width := p.groups[2*g+1]>>6, uint(p.groups[2*g+1]&63)
		if p.groups[2*g] != last || width > maxUnary || at > uint64(len(p.ends)) || packed(in, width)+padding > len(p.ends)-int(at) {
			return false
		}
		for i := range in {
			_, end := p.bounds(g*piecesGroup + i)
			if end < last || end > all {
				return false
			}
			last = end
		}
	}
	return last == all
}

// checkTerms checks the dictionary and the permutations.
func (s *Segment) checkTerms() error {
	if s.counts[countTerms] > maxBytes {
		return damaged("it says that it has %d terms", s.counts[countTerms])
	}
	terms := s.Terms()
	s.rank.width, s.place.width = permutationWidth(terms), permutationWidth(terms)
	groups, size := (terms+dictionaryGroup-1)/dictionaryGroup, packed(terms, s.rank.width)+padding
	if len(s.nameAt) != groups || len(s.listAt) != groups || len(s.rank.bytes) != size || len(s.place.bytes) != size {
		return damaged("its dictionary has another length")
	}
	if place, ok := s.checkDictionary(); !ok {
		return damaged("term %d of its dictionary is broken, or its list", place)
	}
	for place := range terms {
		if rank := s.rank.at(place); int(rank) >= terms || s.place.at(int(rank)) != uint32(place) {
			return damaged("the rank of term %d is another term's", place)
		}
	}
	return nil
}

// checkDictionary walks the names and the lists. It returns the place of the first term that is
// broken.
func (s *Segment) checkDictionary() (place int, ok bool) {
	lists := s.lists[:len(s.lists)-padding]
	var name, before []byte
	at, list, postings := 0, 0, uint64(0)
	for place := range s.Terms() {
		same, more, next, ok := checkName(s.names, at)
		if group := place / dictionaryGroup; place%dictionaryGroup == 0 {
			if before = append(before[:0], name...); int(s.nameAt[group]) != at || int(s.listAt[group]) != list || same != 0 || !ok {
				return place, false
			}
			if name = append(name[:0], more...); place > 0 && bytes.Compare(before, name) >= 0 {
				return place, false
			}
		} else {
			if !ok || same > len(name) || len(more) == 0 || same < len(name) && more[0] <= name[same] {
				return place, false
			}
			name = append(name[:same], more...)
		}
		df, size := listExtent(lists[list:], len(s.lengths))
		if df == 0 {
			return place, false
		}
		at, list, postings = next, list+size, postings+uint64(df)
	}
	return s.Terms(), at == len(s.names) && list == len(lists) && postings == s.counts[countPostings]
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

// listExtent returns how many postings the list has that begins at b, and how many bytes it takes. It
// returns no posting for a list that is broken. It reads a short list to its end, and of another one
// where its blocks end.
func listExtent(b []byte, docs int) (df, size int) {
	v, at := binary.Uvarint(b)
	if at <= 0 || v == 0 || v > uint64(docs) {
		return 0, 0
	}
	if df = int(v); df <= shortList {
		size, ok := checkShort(b[at:], df, docs)
		if !ok {
			return 0, 0
		}
		return df, at + size
	}
	blocks, head := blocksOf(df), boundBytes
	if blocks > 1 {
		head += blocks * entryBytes
	}
	if head > len(b)-at {
		return 0, 0
	}
	if at += head; blocks > 1 {
		if size = int(binary.LittleEndian.Uint32(b[at-entryBytes+4:])); size > len(b)-at {
			return 0, 0
		}
		return df, at + size
	}
	for range 2 {
		size, ok := checkPatched(b[at:], df)
		if !ok {
			return 0, 0
		}
		at += size
	}
	return df, at
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
func (v *vectors) check(docs int) error {
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
