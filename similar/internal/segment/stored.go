package segment

import (
	"github.com/klauspost/compress/s2"
	"math"
)

// The stored bytes of documents follow each other. In a file they are cut into blocks of blockBytes,
// and the last block may be shorter. Each block is compressed by S2
// (github.com/klauspost/compress/s2), which Snappy's format is a part of. On two shared cores a block
// of package zipf's texts takes 18 us to compress and 5 to read, and has 0.72 of its size, 0.54 for
// Go's sources. Blocks four times as long, as files before version 4 have, take four times as long to
// read and have 0.73 and 0.48. By zstd at its fastest a block of 4 KiB takes 51 and 15 us and has
// 0.46. Each merge into a file reads all blocks and writes them anew. In memory nothing is compressed.
const (
	blockBytes    = 4 << 10
	oldBlockBytes = 16 << 10 // before version 4
)

// stored has the stored bytes of documents.
type stored struct {
	plain  bool   // it is in memory, and not compressed
	block  uint64 // bytes of a block in a file, before compression
	data   []byte
	starts []uint64 // the beginning of each block in data, and the end; nil where plain
	ends   ends     // counted without compression
}

func (d *stored) sections() []section {
	return []section{plain(&d.data), of(&d.starts), of(&d.ends.groups), plain(&d.ends.packed)}
}

// shaped reports whether the arrays have the right lengths for n documents with the given number of
// bytes.
func (d *stored) shaped(n int, all uint64) bool {
	return all < 1<<56 && uint64(len(d.starts)) == (all+d.block-1)/d.block+1 && d.ends.shaped(n, all)
}

// likely returns how many bytes there are, and less for a file that says it has very many.
func (d *stored) likely() uint64 { return min(d.ends.all, 16*uint64(len(d.data))) }

// A Reader reads the stored bytes of the documents of one segment. It keeps the last blocks, so
// that documents that follow each other are read fast. One goroutine may use it.
type Reader struct {
	s            *Segment
	heads, texts blockReader
}

// Reset makes the reader one of a segment, which may be nil.
func (r *Reader) Reset(s *Segment) {
	r.s, r.heads.have, r.texts.have = s, 0, 0
}

// Head returns what Builder.End was given as head of a document. It is good until the next call.
func (r *Reader) Head(ord int) ([]byte, error) {
	return r.heads.read(r.s, &r.s.heads, ord, math.MaxInt)
}

// Text returns what Builder.End was given as text of a document. It is good until the next call.
func (r *Reader) Text(ord int) ([]byte, error) { return r.Beginning(ord, math.MaxInt) }

// Beginning returns the first bytes of a document's text, most of them at most, and reads no more. It
// is good until the next call.
func (r *Reader) Beginning(ord, most int) ([]byte, error) {
	return r.texts.read(r.s, &r.s.texts, ord, most)
}

// A blockReader holds a block.
type blockReader struct {
	have  uint64 // the number of the block, and 1 added; 0: none
	block []byte
	long  []byte // of several blocks
}

// read returns the first bytes of what is stored of a document, most of them at most.
func (r *blockReader) read(s *Segment, d *stored, ord, most int) ([]byte, error) {
	from, to := d.ends.bounds(ord)
	if to = min(to, from+uint64(most)); from == to {
		return nil, s.Err()
	}
	if d.plain {
		return d.data[from:to:to], nil
	}
	first, last := from/d.block, (to-1)/d.block
	for i := first; i <= last; i++ {
		if err := r.load(s, d, i); err != nil {
			return nil, err
		}
		part := r.block[max(from, i*d.block)-i*d.block : min(to-i*d.block, uint64(len(r.block)))]
		switch {
		case first == last:
			return part, nil
		case i == first:
			r.long = r.long[:0]
		}
		r.long = append(r.long, part...)
	}
	return r.long, nil
}

// load reads a block.
func (r *blockReader) load(s *Segment, d *stored, i uint64) error {
	if r.have == i+1 {
		return nil
	}
	r.have = 0
	if !s.guard.whole(bytesOf(d.starts[i : i+2])) {
		return s.Damaged("where block %d of the documents begins has another checksum", i)
	}
	from, to := d.starts[i], d.starts[i+1]
	if from > to || to > uint64(len(d.data)) {
		return s.Damaged("block %d of the documents ends before it begins, or too late", i)
	}
	b := d.data[from:to]
	if !s.guard.whole(b) {
		return s.Damaged("block %d of the documents has another checksum", i)
	}
	size := min(d.block, d.ends.all-i*d.block)
	if n, err := s2.DecodedLen(b); err != nil || uint64(n) != size {
		return s.Damaged("block %d of the documents has another size than %d", i, size)
	}
	var err error
	if r.block, err = s2.Decode(sized(r.block, int(size)), b); err != nil {
		return s.Damaged("block %d of the documents is broken", i)
	}
	r.have = i + 1
	return nil
}

// A storedWriter adds what is stored of documents: to a file if data has one, and to memory else.
type storedWriter struct {
	raw    []byte // all, or for a file the block that is not full
	before uint64 // bytes in full blocks
	data   stream
	starts []uint64
	ends   endsWriter
	n      int
	packed []byte
}

func (w *storedWriter) reset() {
	w.raw, w.before, w.starts, w.n = w.raw[:0], 0, w.starts[:0], 0
	w.data.reset()
	w.ends.reset()
}

// end ends what was appended to raw for a document.
func (w *storedWriter) end() {
	w.ends.add(w.before + uint64(len(w.raw)))
	w.n++
	if w.data.out == nil {
		return
	}
	rest := w.raw
	for ; len(rest) >= blockBytes; rest = rest[blockBytes:] {
		w.block(rest[:blockBytes])
		w.before += blockBytes
	}
	if len(rest) < len(w.raw) {
		w.raw = append(w.raw[:0], rest...)
	}
	if cap(w.raw) > 1<<20 && len(w.raw) < blockBytes { // after a long document
		w.raw = append([]byte(nil), w.raw...)
	}
}

func (w *storedWriter) block(b []byte) {
	w.starts = append(w.starts, w.data.size())
	w.packed = s2.Encode(w.packed[:cap(w.packed)], b)
	w.data.bytes = append(w.data.bytes, w.packed...)
	w.data.spill()
}

// done ends the last block, and the section of the file.
func (w *storedWriter) done() {
	if w.data.out == nil {
		return
	}
	if len(w.raw) > 0 {
		w.block(w.raw)
	}
	w.starts = append(w.starts, w.data.size())
	w.data.done(0)
}

// stored returns what was added, in separate memory if the writer's is used again.
func (w *storedWriter) stored(again bool) stored {
	d := stored{plain: w.data.out == nil, block: blockBytes, ends: w.ends.ends(w.n, again)}
	if d.plain {
		d.data = fitted(w.raw, 0, again)
	} else {
		d.starts = fitted(w.starts, 0, again)
	}
	return d
}

// write writes what is in memory as sections of a file, from a kind on.
func (d *stored) write(c *containerWriter, kind int) {
	if !d.plain {
		return
	}
	var w storedWriter
	w.data.to(c, kind)
	for b := d.data; len(b) > 0; b = b[min(blockBytes, len(b)):] {
		w.block(b[:min(blockBytes, len(b))])
	}
	w.done()
	c.section(kind+1, bytesOf(w.starts))
}
