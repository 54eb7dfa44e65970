package segment

import (
	"hash/crc32"
	"sync/atomic"
	"unsafe"
)

// A guard compares the chunks of a file with their checksums, each when it is first read. Those
// that fail are compared each time. A nil guard is of bytes that need none.
type guard struct {
	file []byte
	sums []uint32
	seen []atomic.Uint64 // a bit for each chunk that is as it was written
}

func newGuard(file, sums []byte) *guard {
	g := &guard{file: file}
	g.sums, _ = arrayOf[uint32](sums)
	g.seen = make([]atomic.Uint64, (len(g.sums)+63)/64)
	return g
}

// whole reports whether bytes of the file are as they were written. Bytes elsewhere are.
func (g *guard) whole(b []byte) bool {
	if g == nil || len(b) == 0 {
		return true
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(g.file)))
	if from >= uintptr(len(g.file)) {
		return true
	}
	for i, last := from/chunkBytes, (from+uintptr(len(b))-1)/chunkBytes; i <= last; i++ {
		if g.seen[i/64].Load()>>(i%64)&1 == 0 && !g.compare(int(i)) {
			return false
		}
	}
	return true
}

// holds reports whether bytes are in the file.
func (g *guard) holds(b []byte) bool {
	return len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))-uintptr(unsafe.Pointer(unsafe.SliceData(g.file))) < uintptr(len(g.file))
}

func (g *guard) compare(i int) bool {
	chunk := g.file[i*chunkBytes : min((i+1)*chunkBytes, len(g.file))]
	if crc32.Checksum(chunk, castagnoli) != g.sums[i] {
		return false
	}
	g.seen[i/64].Or(1 << (i % 64))
	return true
}

// all compares all chunks.
func (g *guard) all() error {
	if g == nil {
		return nil
	}
	for i := range g.sums {
		if g.seen[i/64].Load()>>(i%64)&1 == 0 && !g.compare(i) {
			return damaged("the bytes from %d on have another checksum", i*chunkBytes)
		}
	}
	return nil
}
