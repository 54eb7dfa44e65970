// Package fatbin finds the PTX in the images that programs give to CUDA: fat binaries, as nvcc and
// fatbinary write them. NVIDIA does not document their format. This package's knowledge comes from looking at
// files that they wrote.
package fatbin

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// The first words of images, little endian.
const (
	Magic        = 0xba55ed50 // a fat binary
	WrapperMagic = 0x466243b1 // what points to one: see WrapperData
	ELFMagic     = 0x464c457f // machine code
)

// WrapperData is where a wrapper has the address of its fat binary.
const WrapperData = 8

// HeaderSize is how many bytes Size needs.
const HeaderSize = 16

// MaxSize bounds a fat binary, and MaxText the PTX of an entry.
const (
	MaxSize = 4 << 30
	MaxText = 1 << 30
)

// ErrDamaged is the error of what is no whole fat binary.
var ErrDamaged = errors.New("the fat binary is damaged")

// Size is the size of the fat binary that begins with a header, its header included.
func Size(header []byte) (uint64, error) {
	if len(header) < HeaderSize || binary.LittleEndian.Uint32(header) != Magic {
		return 0, ErrDamaged
	}
	own, rest := uint64(binary.LittleEndian.Uint16(header[6:])), binary.LittleEndian.Uint64(header[8:])
	if own < HeaderSize || rest > MaxSize {
		return 0, ErrDamaged
	}
	return own + rest, nil
}

// Entry is a part of a fat binary.
type Entry struct {
	PTX  bool // else machine code, or what else there may be
	SM   int  // 90 for 9.0
	data []byte
	// flags say how data is compressed, to which plain is the size without.
	flags uint64
	plain uint64
}

// The fields of an entry's header.
const (
	entryKind   = 0  // 16 bits
	entryHeader = 4  // 32 bits: its size
	entryPadded = 8  // 64 bits: from its end to the next entry
	entrySize   = 16 // 32 bits: of the compressed data
	entrySM     = 28 // 32 bits
	entryFlags  = 40 // 64 bits
	entryPlain  = 56 // 64 bits: the size once it is decompressed
	entryLeast  = 64

	kindPTX = 1

	flagLZ4  = 0x2000
	flagZstd = 0x8000
)

// Entries are the parts of a fat binary.
func Entries(image []byte) ([]Entry, error) {
	size, err := Size(image)
	if err != nil {
		return nil, err
	}
	if size > uint64(len(image)) {
		return nil, fmt.Errorf("%w: it has %d of %d bytes", ErrDamaged, len(image), size)
	}
	var list []Entry
	le := binary.LittleEndian
	for rest := image[le.Uint16(image[6:]):size]; len(rest) >= entryLeast; {
		header, padded := uint64(le.Uint32(rest[entryHeader:])), le.Uint64(rest[entryPadded:])
		if header < entryLeast || header > uint64(len(rest)) || padded > uint64(len(rest))-header {
			return nil, fmt.Errorf("%w: an entry is longer than the rest", ErrDamaged)
		}
		data := rest[header : header+padded]
		e := Entry{
			PTX: le.Uint16(rest[entryKind:]) == kindPTX, SM: int(le.Uint32(rest[entrySM:])),
			flags: le.Uint64(rest[entryFlags:]), plain: le.Uint64(rest[entryPlain:]), data: data,
		}
		if e.flags&(flagLZ4|flagZstd) != 0 {
			n := uint64(le.Uint32(rest[entrySize:]))
			if n > padded {
				return nil, fmt.Errorf("%w: compressed data is longer than its entry", ErrDamaged)
			}
			e.data = data[:n]
		}
		list = append(list, e)
		rest = rest[header+padded:]
	}
	return list, nil
}

// Text is the PTX of an entry, without the zeros at its end.
func (e *Entry) Text() (string, error) {
	text := e.data
	var err error
	switch {
	case e.plain > MaxText:
		return "", fmt.Errorf("%w: its PTX is said to have %d bytes", ErrDamaged, e.plain)
	case e.flags&flagZstd != 0:
		text, err = unzstd(e.data, int(e.plain))
	case e.flags&flagLZ4 != 0:
		text, err = unLZ4(e.data, int(e.plain))
	}
	if err != nil {
		return "", err
	}
	for i, c := range text {
		if c == 0 {
			return string(text[:i]), nil
		}
	}
	return string(text), nil
}

func unzstd(data []byte, size int) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxText))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	text, err := d.DecodeAll(data, make([]byte, 0, min(size, 64<<20)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return text, nil
}

// unLZ4 decompresses an LZ4 block ("LZ4 Block Format Description", github.com/lz4/lz4) to at most
// size bytes.
func unLZ4(data []byte, size int) ([]byte, error) {
	out := make([]byte, 0, min(size, 64<<20))
	for len(data) > 0 {
		token := data[0]
		data = data[1:]
		literals, rest, ok := lz4Length(int(token>>4), data)
		if !ok || literals > len(rest) || literals > size-len(out) {
			return nil, fmt.Errorf("%w: LZ4", ErrDamaged)
		}
		out, data = append(out, rest[:literals]...), rest[literals:]
		if len(data) == 0 {
			break
		}
		if len(data) < 2 {
			return nil, fmt.Errorf("%w: LZ4", ErrDamaged)
		}
		back := int(binary.LittleEndian.Uint16(data))
		n, rest, ok := lz4Length(int(token&15), data[2:])
		n += 4
		if !ok || back == 0 || back > len(out) || n > size-len(out) {
			return nil, fmt.Errorf("%w: LZ4", ErrDamaged)
		}
		data = rest
		for range n {
			out = append(out, out[len(out)-back])
		}
	}
	return out, nil
}

// lz4Length reads the rest of a length whose first four bits are n.
func lz4Length(n int, data []byte) (length int, rest []byte, ok bool) {
	if n < 15 {
		return n, data, true
	}
	for i, c := range data {
		if n += int(c); n > MaxText {
			return 0, nil, false
		}
		if c != 255 {
			return n, data[i+1:], true
		}
	}
	return 0, nil, false
}

// ErrNoPTX is the error of a fat binary without PTX that the device runs.
var ErrNoPTX = errors.New("it has no PTX for the device")

// Best is the PTX for the newest compute capability that is not newer than sm. The error says what
// there is instead.
func Best(image []byte, sm int) (string, error) {
	list, err := Entries(image)
	if err != nil {
		return "", err
	}
	var best *Entry
	var have []string
	for i := range list {
		e := &list[i]
		if !e.PTX {
			have = append(have, fmt.Sprintf("machine code for sm_%d", e.SM))
			continue
		}
		have = append(have, fmt.Sprintf("PTX for sm_%d", e.SM))
		if e.SM <= sm && (best == nil || e.SM > best.SM) {
			best = e
		}
	}
	if best == nil {
		return "", fmt.Errorf("%w: it has %v", ErrNoPTX, have)
	}
	return best.Text()
}
