package segment

import "io"

var magic = Magic([]byte("GSsegmnt"))

// Write writes the segment in a file's form: a copy of its file, whose checksums it compares, if it
// has one.
func (s *Segment) Write(w io.Writer) error {
	if s.content != nil {
		if err := s.guard.all(); err != nil {
			return Named(s.file, err)
		}
		_, err := w.Write(s.content)
		return err
	}
	c := newContainerWriter(w, magic)
	s.writeRest(c)
	return c.finish()
}

// writeRest writes the sections that a container does not have.
func (s *Segment) writeRest(c *containerWriter) {
	s.texts.write(c, kindTexts)
	s.heads.write(c, kindHeads)
	for kind, sec := range s.sections() {
		if !c.kinds[kind] {
			c.section(kind, sec.bytes())
		}
	}
}

// Open opens the file of a segment. It reads the lengths of the documents, and of the rest no more
// than says where what is: chunks are compared with their checksums when they are first read, and
// what a checksum does not tell is checked then, too; see check.go. The file is mapped into memory
// if the system can, and read otherwise. It stays mapped until the segment is collected. The error
// is a *Damaged for a file that was changed or cut off. It wraps ErrForeign, ErrNewer or ErrOlder
// for another program's file or another version's.
func Open(name string) (*Segment, error) {
	m, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	s, err := read(name, m.bytes)
	if err != nil {
		m.close()
		return nil, Named(name, err)
	}
	s.mapping = m
	m.closeAfter(s)
	return s, nil
}

// read makes a segment of the bytes of a file, which it keeps.
func read(name string, b []byte) (*Segment, error) {
	c, err := readContainer(b, magic)
	if err != nil {
		return nil, err
	}
	s := &Segment{file: name, content: b, guard: c.guard, old: c.version == oldVersion}
	s.heads.block, s.texts.block = blockBytes, blockBytes
	if c.version < 4 {
		s.heads.block, s.texts.block = oldBlockBytes, oldBlockBytes
	}
	sections := s.sections()
	switch {
	case s.old:
		sections = s.oldSections()
	case c.version < 5: // its places are by document
		sections = sections[:kindPlaces]
		c.sections = c.sections[:min(len(c.sections), kindPlaces)]
	}
	if len(c.sections) != len(sections) {
		return nil, damaged("it has %d sections instead of %d", len(c.sections), len(sections))
	}
	for i, sec := range sections {
		if !sec.set(c.sections[i]) {
			return nil, damaged("section %d ends within an element", i)
		}
		if s.guard != nil && !s.guard.holds(sec.bytes()) && !s.guard.whole(c.sections[i]) { // it was copied
			return nil, damaged("section %d has another checksum", i)
		}
	}
	return s, s.check()
}
