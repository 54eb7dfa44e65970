package segment

import "io"

var magic = Magic([]byte("GSsegmnt"))

// Write writes the segment in a file's form.
func (s *Segment) Write(w io.Writer) error {
	var list [][]byte
	for _, sec := range s.sections() {
		list = append(list, sec.bytes())
	}
	return WriteContainer(w, magic, list)
}

// Open opens the file of a segment, compares all checksums, and checks what check.go says. The file
// is mapped into memory if the system can, and read otherwise. It stays mapped until the segment is
// collected. The error is a *Damaged for a file that was changed or cut off. It wraps ErrForeign,
// ErrNewer or ErrOlder for another program's file or another version's.
func Open(name string) (*Segment, error) {
	m, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	s, err := read(m.bytes)
	if err != nil {
		m.close()
		return nil, Named(name, err)
	}
	s.file = name
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
		return nil, damaged("it has %d sections instead of %d", len(list), len(sections))
	}
	for i, sec := range sections {
		if !sec.set(list[i]) {
			return nil, damaged("section %d ends within an element", i)
		}
	}
	return s, s.check()
}
