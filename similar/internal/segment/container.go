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
	headerBytes = 24
	tableBytes  = 24
	alignment   = 64
	maxSections = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

// WriteContainer writes sections to w.
func WriteContainer(w io.Writer, magic Magic, sections [][]byte) error {
	header := make([]byte, aligned(headerBytes+len(sections)*tableBytes))
	copy(header, magic[:])
	le := binary.LittleEndian
	le.PutUint32(header[8:], Version)
	le.PutUint32(header[12:], uint32(len(sections)))
	at := len(header)
	var zeros [alignment]byte
	for i, s := range sections {
		e := header[headerBytes+i*tableBytes:]
		le.PutUint64(e, uint64(at))
		le.PutUint64(e[8:], uint64(len(s)))
		fill := zeros[:aligned(len(s))-len(s)]
		le.PutUint32(e[16:], crc32.Update(crc32.Checksum(s, castagnoli), castagnoli, fill))
		at += aligned(len(s))
	}
	le.PutUint32(header[16:], crc32.Checksum(header, castagnoli))
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, s := range sections {
		if _, err := w.Write(s); err != nil {
			return err
		}
		if _, err := w.Write(zeros[:aligned(len(s))-len(s)]); err != nil {
			return err
		}
	}
	return nil
}

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

// ReadContainer returns the sections of a file, whose checksums it compares. They are parts of b.
func ReadContainer(b []byte, magic Magic) ([][]byte, error) {
	le := binary.LittleEndian
	if !resembles(b, magic) {
		return nil, ErrForeign
	}
	if len(b) < headerBytes || Magic(b[:8]) != magic {
		return nil, damaged("its header is not whole")
	}
	n := int(min(le.Uint32(b[12:]), maxSections+1))
	size := aligned(headerBytes + n*tableBytes)
	if n > maxSections || size > len(b) || headerSum(b[:size]) != le.Uint32(b[16:]) {
		return nil, damaged("its header has another checksum")
	}
	if v := le.Uint32(b[8:]); v > Version {
		return nil, fmt.Errorf("%w: version %d, and this program reads %d", ErrNewer, v, Version)
	} else if v < Version {
		return nil, fmt.Errorf("%w: version %d, and this program reads %d", ErrOlder, v, Version)
	}
	sections := make([][]byte, n)
	at := uint64(size)
	for i := range sections {
		e := b[headerBytes+i*tableBytes:]
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

func headerSum(header []byte) uint32 {
	var zero [4]byte
	sum := crc32.Checksum(header[:16], castagnoli)
	sum = crc32.Update(sum, castagnoli, zero[:])
	return crc32.Update(sum, castagnoli, header[20:])
}
