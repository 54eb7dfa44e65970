package segment

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// Files of version 2; see format.go.

const oldHeaderBytes = 24

// readOld returns the n sections of a file of version 2, whose checksums it compares. They begin at
// size.
func readOld(b []byte, n, size int) ([][]byte, error) {
	le := binary.LittleEndian
	sections := make([][]byte, n)
	at := uint64(size)
	for i := range sections {
		e := b[oldHeaderBytes+i*tableBytes:]
		from, length := le.Uint64(e), le.Uint64(e[8:])
		if from != at || length > uint64(len(b)) || at+uint64(aligned(int(length))) > uint64(len(b)) {
			return nil, damaged("it is %d bytes long, and section %d does not end there", len(b), i)
		}
		whole := b[from : from+uint64(aligned(int(length)))]
		if crc32.Checksum(whole, castagnoli) != le.Uint32(e[16:]) {
			return nil, damaged("section %d has another checksum", i)
		}
		sections[i] = whole[:length:length]
		at += uint64(len(whole))
	}
	if at != uint64(len(b)) {
		return nil, damaged("it is %d bytes long instead of %d", len(b), at)
	}
	return sections, nil
}

// oldSections are the arrays of a segment of version 2, in the order of its file.
func (s *Segment) oldSections() []section {
	return slices.Concat(s.ids.sections(), s.bodies.sections(), s.indexSections(), s.vectors.sections())
}

// Old reports whether the segment is of a file of version 2. Its documents are in Body then, and
// nothing is in their heads and texts.
func (s *Segment) Old() bool { return s.old }

// Body returns the title, the text and the fields of a document of an old segment.
func (s *Segment) Body(ord int) []byte { return s.bodies.at(ord) }
