package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

var (
	// ErrForeign is the error of a file that package similar did not write.
	ErrForeign = errors.New("this is no index")
	// ErrDamaged is the error of a file that it wrote, and that has changed since or is not whole.
	ErrDamaged = errors.New("the file is damaged")
	// ErrNewer is the error of a file that a later version of it wrote.
	ErrNewer = errors.New("the file is of a later version of package similar")
	// ErrOlder is the error of a file that an earlier version of it wrote, and this one does not
	// read.
	ErrOlder = errors.New("the file is of an earlier version of package similar")
)

// Magic is the beginning of a kind of container.
type Magic [8]byte

const (
	headerBytes = 64
	tailBytes   = 64
	tableBytes  = 24
	alignment   = 64
	maxSections = 1 << 16
	chunkBytes  = 16 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

// WriteContainer writes sections to w.
func WriteContainer(w io.Writer, magic Magic, sections [][]byte) error {
	c := newContainerWriter(w, magic)
	for kind, s := range sections {
		c.section(kind, s)
	}
	return c.finish()
}

// A containerWriter writes a container as its sections come. Its first error stays.
type containerWriter struct {
	w     io.Writer
	at    uint64
	sum   uint32 // of the chunk that is not full
	sums  []uint32
	table []byte
	kinds map[int]bool // those that were written
	err   error
}

func newContainerWriter(w io.Writer, magic Magic) *containerWriter {
	c := &containerWriter{w: w, kinds: map[int]bool{}}
	header := make([]byte, headerBytes)
	copy(header, magic[:])
	binary.LittleEndian.PutUint32(header[8:], Version)
	binary.LittleEndian.PutUint32(header[16:], crc32.Checksum(header, castagnoli))
	c.write(header)
	return c
}

// write adds bytes to the present section.
func (c *containerWriter) write(b []byte) {
	c.put(b)
	for len(b) > 0 {
		n := min(len(b), chunkBytes-int(c.at%chunkBytes))
		c.sum = crc32.Update(c.sum, castagnoli, b[:n])
		b = b[n:]
		if c.at += uint64(n); c.at%chunkBytes == 0 {
			c.sums, c.sum = append(c.sums, c.sum), 0
		}
	}
}

func (c *containerWriter) put(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}

// section writes a section that is there.
func (c *containerWriter) section(kind int, b []byte) {
	c.begin(kind)
	c.write(b)
	c.end()
}

// begin begins a section, whose bytes write adds until end.
func (c *containerWriter) begin(kind int) {
	c.kinds[kind] = true
	c.table = binary.LittleEndian.AppendUint64(c.table, uint64(kind))
	c.table = binary.LittleEndian.AppendUint64(c.table, c.at)
}

func (c *containerWriter) end() {
	length := c.at - binary.LittleEndian.Uint64(c.table[len(c.table)-8:])
	c.table = binary.LittleEndian.AppendUint64(c.table, length)
	c.write(make([]byte, aligned(int(length))-int(length)))
}

// finish writes the checksums and the table.
func (c *containerWriter) finish() error {
	if c.at%chunkBytes != 0 {
		c.sums = append(c.sums, c.sum)
	}
	sums, n := filled(bytesOf(c.sums)), len(c.table)/tableBytes
	table, tail := filled(c.table), make([]byte, tailBytes)
	le := binary.LittleEndian
	le.PutUint64(tail, c.at)
	le.PutUint64(tail[8:], c.at+uint64(len(sums)))
	le.PutUint32(tail[16:], uint32(n))
	le.PutUint32(tail[20:], crc32.Checksum(sums, castagnoli))
	le.PutUint32(tail[24:], crc32.Checksum(table, castagnoli))
	le.PutUint32(tail[28:], crc32.Checksum(tail, castagnoli))
	for _, b := range [][]byte{sums, table, tail} {
		c.put(b)
	}
	return c.err
}

// filled returns bytes followed by zeros.
func filled(b []byte) []byte { return append(b, make([]byte, aligned(len(b))-len(b))...) }

// ReadFile returns the sections of a file of at most the given number of bytes, as ReadContainer
// does. A device, a pipe or a folder is an error, and nothing is read of it.
func ReadFile(name string, magic Magic, most int64) ([][]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, Named(name, damaged("it is %d bytes long, and at most %d are possible", info.Size(), most))
	}
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, err
	}
	sections, err := ReadContainer(b, magic)
	if err != nil {
		return nil, Named(name, err)
	}
	return sections, nil
}

// openRegular opens a file, and fails for a device, a pipe or a folder without opening it.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, Named(name, damaged("it is no regular file, its mode is %v", info.Mode()))
	}
	return os.Open(name)
}

// ReadContainer returns the sections of a file, by kind, all of whose checksums it compares. They
// are parts of b.
func ReadContainer(b []byte, magic Magic) ([][]byte, error) {
	c, err := readContainer(b, magic)
	if err != nil {
		return nil, err
	}
	return c.sections, c.guard.all()
}

// A container is a file that was read.
type container struct {
	version  uint32
	sections [][]byte // by kind
	guard    *guard   // compares the checksums; nil where that is done
}

// readContainer reads the beginning and the end of a file. The sections are parts of b.
func readContainer(b []byte, magic Magic) (*container, error) {
	le := binary.LittleEndian
	if !resembles(b, magic) {
		return nil, ErrForeign
	}
	if len(b) < oldHeaderBytes || Magic(b[:8]) != magic {
		return nil, damaged("its header is not whole")
	}
	n := int(min(le.Uint32(b[12:]), maxSections+1))
	size := aligned(oldHeaderBytes + n*tableBytes)
	if n > maxSections || size > len(b) || sumWithout(b[:size], 16) != le.Uint32(b[16:]) {
		return nil, damaged("its header has another checksum")
	}
	switch v := le.Uint32(b[8:]); {
	case v > Version:
		return nil, fmt.Errorf("%w: version %d, and this program reads %d to %d", ErrNewer, v, oldVersion, Version)
	case v < oldVersion:
		return nil, fmt.Errorf("%w: version %d, and this program reads %d to %d", ErrOlder, v, oldVersion, Version)
	case v == oldVersion:
		sections, err := readOld(b, n, size)
		return &container{v, sections, nil}, err
	}
	return readTail(b)
}

// readTail reads the table of a file of version 3 or later.
func readTail(b []byte) (*container, error) {
	le := binary.LittleEndian
	if len(b) < headerBytes+tailBytes {
		return nil, damaged("it is %d bytes long, and its end is missing", len(b))
	}
	tail := b[len(b)-tailBytes:]
	if sumWithout(tail, 28) != le.Uint32(tail[28:]) {
		return nil, damaged("its end is missing, or has another checksum")
	}
	sumsAt, tableAt, n := le.Uint64(tail), le.Uint64(tail[8:]), uint64(le.Uint32(tail[16:]))
	end := uint64(len(b) - tailBytes)
	if n > maxSections || sumsAt > tableAt || tableAt > end || sumsAt < headerBytes || end-tableAt != uint64(aligned(int(n*tableBytes))) {
		return nil, damaged("its end says that it has %d sections, at %d and %d", n, sumsAt, tableAt)
	}
	table, sums := b[tableAt:end], b[sumsAt:tableAt]
	chunks := (sumsAt + chunkBytes - 1) / chunkBytes
	if crc32.Checksum(table, castagnoli) != le.Uint32(tail[24:]) || crc32.Checksum(sums, castagnoli) != le.Uint32(tail[20:]) || uint64(len(sums)) != uint64(aligned(int(chunks*4))) {
		return nil, damaged("its checksums have another checksum, or its table")
	}
	c := &container{version: le.Uint32(b[8:]), sections: make([][]byte, n), guard: newGuard(b[:sumsAt], sums[:chunks*4])}
	return c, c.readTable(b, table, sumsAt)
}

func (c *container) readTable(b, table []byte, end uint64) error {
	at, seen := uint64(headerBytes), make([]bool, len(c.sections))
	for i := range c.sections {
		e := table[i*tableBytes:]
		kind, from, length := binary.LittleEndian.Uint64(e), binary.LittleEndian.Uint64(e[8:]), binary.LittleEndian.Uint64(e[16:])
		if kind >= uint64(len(seen)) || seen[kind] || from != at || length > end || at+uint64(aligned(int(length))) > end {
			return damaged("section %d of its table, of kind %d, is at %d", i, kind, from)
		}
		seen[kind], c.sections[kind] = true, b[from:from+length:from+length]
		at += uint64(aligned(int(length)))
	}
	if at != end {
		return damaged("its sections end at %d instead of %d", at, end)
	}
	return nil
}

// resembles reports whether a file begins as one with this magic, in half of the bytes at least, so
// that one with a damaged beginning is not taken for a foreign one.
func resembles(b []byte, magic Magic) bool {
	same := 0
	for i := range min(len(b), len(magic)) {
		if b[i] == magic[i] {
			same++
		}
	}
	return same*2 >= min(len(b), len(magic))
}

// sumWithout returns the checksum of bytes with 0 in the place of the four at an offset.
func sumWithout(b []byte, at int) uint32 {
	var zero [4]byte
	sum := crc32.Checksum(b[:at], castagnoli)
	sum = crc32.Update(sum, castagnoli, zero[:])
	return crc32.Update(sum, castagnoli, b[at+4:])
}
