package segment

import (
	"fmt"
	"io"
)

var magic = Magic([]byte("GSsegmnt"))

// Write writes the segment as a file has it.
func (s *Segment) Write(w io.Writer) error {
	var list [][]byte
	for _, sec := range s.sections() {
		list = append(list, sec.bytes())
	}
	return WriteContainer(w, magic, list)
}

// Open opens the file of a segment and compares all checksums. The file is mapped into memory where
// the system can, and read where it cannot; it stays mapped until the segment is collected. A file
// that is not whole, that was changed, that is none of package similar or of another version is an
// error that wraps ErrDamaged, ErrForeign, ErrNewer or ErrOlder.
func Open(name string) (*Segment, error) {
	m, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	s, err := read(m.bytes)
	if err != nil {
		m.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m.closeAfter(s)
	return s, nil
}

// read makes a segment of the bytes of a file, which it keeps.
func read(b []byte) (*Segment, error) {
	list, err := ReadContainer(b, magic)
	if err != nil {
		return nil, err
	}
	s := new(Segment)
	sections := s.sections()
	if len(list) != len(sections) {
		return nil, fmt.Errorf("%w: it has %d sections instead of %d", ErrDamaged, len(list), len(sections))
	}
	for i, sec := range sections {
		sec.set(list[i])
	}
	return s, s.check()
}

// check compares the lengths of the arrays.
func (s *Segment) check() error {
	docs := len(s.lengths)
	if len(s.counts) != countCounts || !s.ids.has(docs) || !s.bodies.has(docs) || !s.rows.has(docs) || len(s.lists) < padding || len(s.rows.data) < padding {
		return fmt.Errorf("%w: its arrays have different lengths", ErrDamaged)
	}
	terms := s.Terms()
	s.rank.width, s.place.width = permutationWidth(terms), permutationWidth(terms)
	groups, bytes := (terms+dictionaryGroup-1)/dictionaryGroup, packed(terms, s.rank.width)+padding
	if len(s.nameAt) != groups || len(s.listAt) != groups || len(s.rank.bytes) != bytes || len(s.place.bytes) != bytes {
		return fmt.Errorf("%w: its dictionary has another length", ErrDamaged)
	}
	if v := &s.vectors; len(v.shape) != 0 && (len(v.shape) != 2 || v.storage() > Int8 || len(v.data) != len(v.ords)*v.stride() || len(v.norms) != len(v.ords) || len(v.scale) != len(v.ords)) {
		return fmt.Errorf("%w: its vectors have another shape", ErrDamaged)
	}
	s.vectors.ready()
	return nil
}

// has reports whether there are the ends of so many pieces.
func (p *pieces) has(n int) bool {
	return len(p.groups) == 2*((n+piecesGroup-1)/piecesGroup) && len(p.ends) >= padding
}
