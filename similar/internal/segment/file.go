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
// that is not whole, that was changed, that is none of package similar or of a later version is an
// error that wraps ErrDamaged, ErrForeign or ErrNewer.
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
	return s, s.count()
}

// count adds up the postings and lengths, and compares the lengths of the arrays.
func (s *Segment) count() error {
	docs, terms := len(s.lengths), len(s.df)
	if len(s.idEnd) != docs || len(s.bodyEnd) != docs || len(s.rowAt) != docs ||
		len(s.termEnd) != terms || len(s.listAt) != terms || len(s.rank) != terms || len(s.byRank) != terms || len(s.bounds) != terms*boundBytes {
		return fmt.Errorf("%w: its arrays have different lengths", ErrDamaged)
	}
	if v := &s.vectors; len(v.shape) != 0 && (len(v.shape) != 2 || v.storage() > Int8 || len(v.data) != len(v.ords)*v.stride() || len(v.norms) != len(v.ords) || len(v.scale) != len(v.ords)) {
		return fmt.Errorf("%w: its vectors have another shape", ErrDamaged)
	}
	s.vectors.ready()
	for _, df := range s.df {
		s.postings += int64(df)
	}
	for _, n := range s.lengths {
		s.length += int64(n)
	}
	return nil
}
