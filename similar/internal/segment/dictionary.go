package segment

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The dictionary is the terms in byte order, cut into groups of dictionaryGroup. An entry is the
// number of bytes that the term shares with the start of the term before it in its group, the
// number of bytes that follow, and these bytes (front coding). The lists of the terms are in the
// same order. Each group records the offset of its first list. A reader passes over the lists in
// between.

const dictionaryGroup = 16

// A Term is one of a segment.
type Term struct {
	Rank uint32 // its place by descending DF, of equal ones by bytes
	DF   uint32 // in how many documents it is
	list int    // where its list begins
}

// appendName appends a name, coded to follow another.
func appendName(dst []byte, before, name string) []byte {
	same := CommonPrefix(before, name)
	more := len(name) - same
	dst = append(dst, byte(min(same, 15)<<4|min(more, 15)))
	if same >= 15 {
		dst = binary.AppendUvarint(dst, uint64(same-15))
	}
	if more >= 15 {
		dst = binary.AppendUvarint(dst, uint64(more-15))
	}
	return append(dst, name[same:]...)
}

// readName returns how many bytes a name has in common with the one before it, its other bytes, and
// the offset of the next name.
func readName(b []byte, at int) (same int, more []byte, next int) {
	same, n := int(b[at]>>4), int(b[at]&15)
	at++
	if same == 15 {
		v, k := binary.Uvarint(b[at:])
		same, at = same+int(v), at+k
	}
	if n == 15 {
		v, k := binary.Uvarint(b[at:])
		n, at = n+int(v), at+k
	}
	return same, b[at : at+n], at + n
}

// CommonPrefix returns how many bytes two names have in common at the beginning.
func CommonPrefix(a, b string) int {
	n, at := min(len(a), len(b)), 0
	for {
		if differ := keyOf(a[at:]) ^ keyOf(b[at:]); differ != 0 || n-at <= 8 {
			return min(n, at+bits.LeadingZeros64(differ)/8)
		}
		at += 8
	}
}

// Terms returns the number of terms.
func (s *Segment) Terms() int { return int(s.counts[countTerms]) }

// FindTerm returns the term of a name, and whether the segment has it.
func (s *Segment) FindTerm(name string) (t Term, ok bool) {
	place, ok := s.findPlace(name)
	if !ok {
		return Term{}, false
	}
	list := int(s.listAt[place/dictionaryGroup])
	for range place % dictionaryGroup {
		list += listBytes(s.lists[list:])
	}
	return s.term(place, list), true
}

// findPlace returns the place of a name in the dictionary.
func (s *Segment) findPlace(name string) (place int, ok bool) {
	group := s.groupOf(name)
	if group < 0 {
		return 0, false
	}
	if !s.group(group) {
		return 0, false
	}
	at := int(s.nameAt[group])
	had := 0 // how many bytes of name the term before has
	for place := group * dictionaryGroup; place < min((group+1)*dictionaryGroup, s.Terms()); place++ {
		same, more, next := readName(s.names, at)
		if same < had {
			return 0, false // it differs from the one before where that has a byte of name
		}
		if same == had {
			had += CommonPrefix(unsafeString(more), name[had:])
			if had == len(name) && had == same+len(more) {
				return place, true
			}
			if had == len(name) || had < same+len(more) && more[had-same] > name[had] {
				return 0, false
			}
		}
		at = next
	}
	return 0, false
}

// groupOf returns the last group whose first name is not after name, or -1.
func (s *Segment) groupOf(name string) int {
	key, keys := keyOf(name), s.lookup.keysOf(s)
	from, to := 0, len(keys) // the answer is in from-1 .. to-1
	for from < to {
		mid := int(uint(from+to) / 2)
		if keys[mid] < key || keys[mid] == key && s.firstName(mid) <= name {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from - 1
}

// firstName returns the first name of a group.
func (s *Segment) firstName(group int) string {
	_, first, _ := readName(s.names, int(s.nameAt[group]))
	return unsafeString(first)
}

// term returns the term of a place in the dictionary.
func (s *Segment) term(place, list int) Term {
	df, _ := binary.Uvarint(s.lists[list:])
	return Term{s.rank.at(place), uint32(df), list}
}

// TermName returns the name of the term with a rank.
func (s *Segment) TermName(rank uint32) string {
	place := int(s.place.at(int(rank)))
	if place >= s.Terms() || !s.guard.whole(s.place.span(int(rank), int(rank)+1)) {
		s.fail("the place of the term of rank %d is broken", rank)
		return ""
	}
	if !s.group(place / dictionaryGroup) {
		return ""
	}
	at := int(s.nameAt[place/dictionaryGroup])
	var name []byte
	for range place%dictionaryGroup + 1 {
		same, more, next := readName(s.names, at)
		name, at = append(name[:same], more...), next
	}
	return unsafeString(name)
}

// A Walker walks the terms of a segment in byte order.
//
//	for w := s.Walk(); w.Next(); {
//		use(w.Name(), w.Term())
//	}
type Walker struct {
	s     *Segment
	place int
	at    int // where the next name begins
	name  []byte
	term  Term
	begin *start // where the first term is, nil for the first of all
}

// Walk returns a walker before the first term.
func (s *Segment) Walk() *Walker { return &Walker{s: s, place: -1} }

// Next moves to the next term and reports whether there is one. There is none after damage, which
// the segment's Err says.
func (w *Walker) Next() bool {
	list := 0
	if w.begin != nil {
		w.place, w.at, list = w.begin.place-1, w.begin.at, w.begin.list
		w.begin = nil
	} else if w.place >= 0 {
		list = w.term.list + listBytes(w.s.lists[w.term.list:])
	}
	if w.place++; w.place >= w.s.Terms() || !w.s.group(w.place/dictionaryGroup) {
		w.place = w.s.Terms()
		return false
	}
	same, more, next := readName(w.s.names, w.at)
	w.name, w.at = append(w.name[:same], more...), next
	w.term = w.s.term(w.place, list)
	return true
}

// Name returns the name of the present term. It is good until Next.
func (w *Walker) Name() string { return unsafeString(w.name) }

// Term returns the present term.
func (w *Walker) Term() Term { return w.term }

// A dictionaryWriter adds the terms of a segment, in byte order, with their lists.
type dictionaryWriter struct {
	names          []byte
	nameAt, listAt []uint32
	lists          stream
	last           []byte
	dfs            []uint32
	rank, place    []uint32 // of a place its rank, and of a rank its place; see end
}

func (w *dictionaryWriter) reset() {
	w.lists.reset()
	*w = dictionaryWriter{w.names[:0], w.nameAt[:0], w.listAt[:0], w.lists, w.last[:0], w.dfs[:0], nil, nil}
}

func (w *dictionaryWriter) add(name string, docs, tfs, lengths []uint32) {
	before := unsafeString(w.last)
	if len(w.dfs)%dictionaryGroup == 0 {
		w.nameAt, w.listAt = append(w.nameAt, uint32(len(w.names))), append(w.listAt, uint32(w.lists.size()))
		before = ""
	}
	w.names = appendName(w.names, before, name)
	w.last = append(w.last[:0], name...)
	w.lists.bytes = appendList(w.lists.bytes, docs, tfs, lengths)
	w.lists.spill()
	w.dfs = append(w.dfs, uint32(len(docs)))
}

// end orders the terms by descending frequency, when all are there.
func (w *dictionaryWriter) end() {
	most := uint32(0)
	for _, df := range w.dfs {
		most = max(most, df)
	}
	next := make([]uint32, most+2) // of a frequency: the next rank
	for _, df := range w.dfs {
		next[most-df+1]++
	}
	for i := range most {
		next[i+1] += next[i]
	}
	w.rank, w.place = make([]uint32, len(w.dfs)), make([]uint32, len(w.dfs))
	for at, df := range w.dfs {
		r := next[most-df]
		next[most-df]++
		w.rank[at], w.place[r] = r, uint32(at)
	}
}

func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// uvarintBytes returns how many bytes the number takes that begins at b.
func uvarintBytes(b []byte) int {
	n := 1
	for b[n-1] >= 0x80 {
		n++
	}
	return n
}
