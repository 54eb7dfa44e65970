package segment

// WalkFrom returns a walker before the first term whose name is not below name.
func (s *Segment) WalkFrom(name string) *Walker {
	group := s.groupOf(name)
	w := s.Walk()
	if group < 0 {
		return w
	}
	if !s.group(group) {
		w.begin = &start{place: s.Terms()}
		return w
	}
	at, list := int(s.nameAt[group]), int(s.listAt[group])
	place := group * dictionaryGroup
	var last []byte
	for ; place < min((group+1)*dictionaryGroup, s.Terms()); place++ {
		same, more, next := readName(s.names, at)
		last = append(last[:same], more...)
		if unsafeString(last) >= name {
			break
		}
		at, list = next, list+listBytes(s.lists[list:])
	}
	// The name at place begins with the bytes that it has in common with the one before.
	w.begin, w.name = &start{place, at, list}, last
	return w
}

// A start is where a walker begins.
type start struct{ place, at, list int }

// Names yields the names of all terms in byte order, and how many bytes each has in common with the
// one before. A name is good until the next. There is none after damage, which Err says.
func (s *Segment) Names(yield func(name string, same int) bool) {
	var name, before []byte
	at := 0
	for place := range s.Terms() {
		if place%dictionaryGroup == 0 && !s.group(place/dictionaryGroup) {
			return
		}
		same, more, next := readName(s.names, at)
		if place%dictionaryGroup == 0 {
			before = append(before[:0], name...)
			same = CommonPrefix(unsafeString(before), unsafeString(more))
			name = append(name[:0], more...)
		} else {
			name = append(name[:same], more...)
		}
		if !yield(unsafeString(name), same) {
			return
		}
		at = next
	}
}
