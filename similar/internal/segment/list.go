package segment

import (
	"encoding/binary"
	"math"
)

// The list of a term begins with the number of its postings.
//
// A short list, of up to shortList postings, goes on with each of them as a number: the gap to the
// document before, doubled, and 1 added where the frequency is more than 1; that, less 2, is
// another number then.
//
// A longer one goes on with its bound, and with blocks of BlockLen postings. Several blocks have an
// entry for each before the first: its last document, where it ends, its bound. A block is the gaps
// less 1 and the frequencies less 1, each as patched.go says.
//
// Numbers are of as many bytes as they need, as encoding/binary writes them (uvarint).

// BlockLen is how many postings a block has; the last of a list may have fewer.
const BlockLen = 128

const (
	shortList  = 8
	entryBytes = 8 + boundBytes
)

func blocksOf(df int) int { return (df + BlockLen - 1) / BlockLen }

// appendList appends the list of a term. lengths has all documents' lengths.
func appendList(dst []byte, docs, tfs, lengths []uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(docs)))
	if len(docs) <= shortList {
		return appendShort(dst, docs, tfs)
	}
	whole := len(dst)
	dst = append(dst, make([]byte, boundBytes)...)
	blocks, entries := blocksOf(len(docs)), len(dst)
	if blocks > 1 {
		dst = append(dst, make([]byte, blocks*entryBytes)...)
	}
	data := len(dst)
	var bound Bound
	next := uint32(0) // the lowest document that may come
	for b := range blocks {
		from, to := b*BlockLen, min((b+1)*BlockLen, len(docs))
		of := boundOf(docs[from:to], tfs[from:to], lengths)
		if bound = bound.join(of); b == 0 {
			bound = of
		}
		dst = appendBlock(dst, next, docs[from:to], tfs[from:to])
		next = docs[to-1] + 1
		if blocks > 1 {
			e := dst[entries+b*entryBytes:]
			binary.LittleEndian.PutUint32(e, docs[to-1])
			binary.LittleEndian.PutUint32(e[4:], uint32(len(dst)-data))
			of.append(e[8:8])
		}
	}
	bound.append(dst[whole:whole])
	return dst
}

func appendShort(dst []byte, docs, tfs []uint32) []byte {
	next := uint32(0)
	for i, d := range docs {
		gap := uint64(d-next) << 1
		if next = d + 1; tfs[i] == 1 {
			dst = binary.AppendUvarint(dst, gap)
			continue
		}
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, gap|1), uint64(tfs[i]-2))
	}
	return dst
}

// appendBlock appends a block whose first document is next or a later one.
func appendBlock(dst []byte, next uint32, docs, tfs []uint32) []byte {
	var scratch [2 * BlockLen]uint32
	gaps, counts := scratch[:len(docs)], scratch[BlockLen:BlockLen+len(docs)]
	for i, d := range docs {
		gaps[i], counts[i] = d-next, tfs[i]-1
		next = d + 1
	}
	return appendPatched(appendPatched(dst, gaps), counts)
}

// listBytes returns how many bytes the list takes that begins at b.
func listBytes(b []byte) int {
	v, at := binary.Uvarint(b)
	df := int(v)
	if df <= shortList {
		for range df {
			more := b[at]&1 != 0
			at += uvarintBytes(b[at:])
			if more {
				at += uvarintBytes(b[at:])
			}
		}
		return at
	}
	at += boundBytes
	blocks := blocksOf(df)
	if blocks > 1 {
		at += blocks * entryBytes
		return at + int(binary.LittleEndian.Uint32(b[at-entryBytes+4:]))
	}
	at += patchedBytes(b[at:], df)
	return at + patchedBytes(b[at:], df)
}

// A Cursor walks the postings of a term, forward only, a block at a time.
type Cursor struct {
	entries []byte
	data    []byte
	df      int
	blocks  int
	list    Bound
	lengths []uint32 // of all documents
	s       *Segment
	err     error // of the first damaged block, or nil

	block       int // the present one; blocks at the end
	first, last uint32
	at          int // where the block begins in data
	decoded     int // the block that docs holds
	have        int // how many documents that has
	counted     int // the block that tfs holds
	tfAt        int // where the frequencies of the one in docs begin
	docs, tfs   [BlockLen]uint32
}

// Open sets the cursor to the first block of a term.
func (c *Cursor) Open(s *Segment, t Term) {
	c.df = int(t.DF)
	c.blocks = blocksOf(c.df)
	c.entries, c.data = nil, s.lists[t.list:]
	c.data = c.data[uvarintBytes(c.data):]
	c.lengths, c.s, c.err, c.have = s.lengths, s, nil, 0
	c.block, c.first, c.at, c.decoded, c.counted = 0, 0, 0, -1, -1
	if c.df <= shortList {
		c.openShort()
		return
	}
	c.list, c.data = readBound(c.data), c.data[boundBytes:]
	if c.blocks > 1 {
		n := c.blocks * entryBytes
		c.entries, c.data = c.data[:n], c.data[n:]
	}
	c.last = c.lastOf(0)
}

// openShort reads a short list.
func (c *Cursor) openShort() {
	next, at := uint32(0), 0
	for i := range c.df {
		v, k := binary.Uvarint(c.data[at:])
		at += k
		c.docs[i], c.tfs[i] = next+uint32(v>>1), 1
		next = c.docs[i] + 1
		if v&1 != 0 {
			v, k = binary.Uvarint(c.data[at:])
			c.tfs[i], at = uint32(v)+2, at+k
		}
	}
	c.decoded, c.have, c.counted, c.last = 0, c.df, 0, math.MaxUint32
}

// DF returns how many postings the list has.
func (c *Cursor) DF() int { return c.df }

// Bound covers the whole list.
func (c *Cursor) Bound() Bound {
	if c.df <= shortList {
		c.list = boundOf(c.docs[:c.df], c.tfs[:c.df], c.lengths)
	}
	return c.list
}

// lastOf returns the last document of a block, or no document's number where that is not known.
func (c *Cursor) lastOf(block int) uint32 {
	if c.entries == nil {
		return math.MaxUint32
	}
	return binary.LittleEndian.Uint32(c.entries[block*entryBytes:])
}

// Seek moves to the first block that may have a document not below doc, and reports whether there
// is one.
func (c *Cursor) Seek(doc uint32) bool {
	if c.block < c.blocks && c.last >= doc {
		return true
	}
	return c.seek(doc)
}

func (c *Cursor) seek(doc uint32) bool {
	if c.block >= c.blocks {
		return false
	}
	// A gallop, and a binary search in what it leapt over.
	low, step := c.block+1, 1
	for low+step-1 < c.blocks && c.lastOf(low+step-1) < doc {
		low, step = low+step, step*2
	}
	high := min(low+step-1, c.blocks)
	for low < high {
		if mid := (low + high) / 2; c.lastOf(mid) < doc {
			low = mid + 1
		} else {
			high = mid
		}
	}
	c.move(low)
	return c.block < c.blocks
}

// Next moves to the next block and reports whether there is one.
func (c *Cursor) Next() bool {
	if c.block < c.blocks {
		c.move(c.block + 1)
	}
	return c.block < c.blocks
}

func (c *Cursor) move(block int) {
	c.block = block
	if block >= c.blocks {
		return
	}
	if block > 0 {
		e := c.entries[(block-1)*entryBytes:]
		c.first = binary.LittleEndian.Uint32(e) + 1
		c.at = int(binary.LittleEndian.Uint32(e[4:]))
	}
	c.last = c.lastOf(block)
}

// Block returns the number of the present block, which changes as the cursor moves.
func (c *Cursor) Block() int { return c.block }

// Last returns a document that no document of the present block follows.
func (c *Cursor) Last() uint32 { return c.last }

// BlockBound covers the present block, and at the end the whole list: Docs of a damaged block leads
// there.
func (c *Cursor) BlockBound() Bound {
	if c.entries == nil || c.block >= c.blocks {
		return c.Bound()
	}
	return readBound(c.entries[c.block*entryBytes+8:])
}

// Docs returns the documents of the present block, in order. The slice is good until the cursor
// moves. A damaged block has none, and the cursor is at the end then: see Err.
func (c *Cursor) Docs() []uint32 {
	if c.decoded != c.block {
		c.decode()
	}
	return c.docs[:c.have]
}

// decode reads the documents of the present block.
func (c *Cursor) decode() {
	docs := c.docs[:min(BlockLen, c.df-c.block*BlockLen)]
	size, ok := 0, false
	if c.at <= len(c.data) && c.intact() {
		size, ok = readPatched(docs, c.data[c.at:])
	}
	next := uint64(c.first)
	for i, gap := range docs {
		next += uint64(gap)
		docs[i] = uint32(next)
		next++
	}
	if !ok || next > uint64(len(c.lengths)) || c.entries != nil && next != uint64(c.last)+1 {
		c.fail("documents")
		c.block, c.decoded, c.have = c.blocks, c.blocks, 0
		return
	}
	c.decoded, c.have, c.tfAt = c.block, len(docs), c.at+size
}

// intact compares the checksums of the present block. That of a list of one block is compared with
// the dictionary.
func (c *Cursor) intact() bool {
	if c.entries == nil || c.s.guard == nil {
		return true
	}
	end := int(binary.LittleEndian.Uint32(c.entries[c.block*entryBytes+4:]))
	return c.at <= end && end <= len(c.data) && c.s.guard.whole(c.data[c.at:end])
}

// TFs returns how often each of Docs has the term. It returns ones for a damaged block: see Err.
func (c *Cursor) TFs() []uint32 {
	tfs := c.tfs[:len(c.Docs())]
	if c.counted != c.block {
		c.counted = c.block
		if _, ok := readPatched(tfs, c.data[c.tfAt:]); !ok {
			clear(tfs)
			c.fail("frequencies")
		}
		for i := range tfs {
			tfs[i]++
		}
	}
	return tfs
}

// Err returns the error of the first damaged block that was read since Open, or nil.
func (c *Cursor) Err() error { return c.err }

func (c *Cursor) fail(what string) {
	if c.err == nil {
		c.err = c.s.Damaged("the %s of block %d of a list are broken", what, c.block)
	}
}
