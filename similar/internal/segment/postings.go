package segment

import (
	"encoding/binary"
	"math"
)

// The list of a term is cut into blocks of BlockLen postings. A list of several blocks begins with
// an entry for each: its last document, where it ends, its bound. A block is the width of its gaps,
// the width of its frequencies, the gaps less 1 and the frequencies less 1, packed.

// BlockLen is how many postings a block has; the last of a list may have fewer.
const BlockLen = 128

const entryBytes = 8 + boundBytes

// appendList appends the list of a term and returns its bound. Lengths are those of all documents.
func appendList(dst []byte, docs, tfs, lengths []uint32) ([]byte, Bound) {
	blocks := (len(docs) + BlockLen - 1) / BlockLen
	entries := len(dst)
	if blocks > 1 {
		dst = append(dst, make([]byte, blocks*entryBytes)...)
	}
	data := len(dst)
	var whole Bound
	var scratch [2 * BlockLen]uint32
	next := uint32(0) // the lowest document that may come
	for b := range blocks {
		from, to := b*BlockLen, min((b+1)*BlockLen, len(docs))
		values, of := scratch[:to-from], scratch[BlockLen:BlockLen+to-from]
		for i, d := range docs[from:to] {
			values[i], of[i] = d-next, lengths[d]
			next = d + 1
		}
		bound := boundOf(tfs[from:to], of)
		if whole = whole.join(bound); b == 0 {
			whole = bound
		}
		gapWidth := width(values)
		for i, tf := range tfs[from:to] {
			of[i] = tf - 1
		}
		tfWidth := width(of)
		dst = append(dst, byte(gapWidth), byte(tfWidth))
		dst = pack(dst, values, gapWidth)
		dst = pack(dst, of, tfWidth)
		if blocks > 1 {
			e := dst[entries+b*entryBytes:]
			binary.LittleEndian.PutUint32(e, docs[to-1])
			binary.LittleEndian.PutUint32(e[4:], uint32(len(dst)-data))
			bound.append(e[8:8])
		}
	}
	return dst, whole
}

// A Cursor walks the postings of a term, forward only, a block at a time.
type Cursor struct {
	entries []byte
	data    []byte
	df      int
	blocks  int
	list    Bound

	block       int // the present one; blocks at the end
	first, last uint32
	at          int // where the block begins in data
	decoded     int // the block that docs holds
	counted     int // the block that tfs holds
	tfAt        int // where that one's frequencies begin
	tfWidth     uint
	docs, tfs   [BlockLen]uint32
}

// Open sets the cursor to the first block of a term.
func (c *Cursor) Open(s *Segment, term int) {
	c.df = int(s.df[term])
	c.blocks = (c.df + BlockLen - 1) / BlockLen
	c.entries, c.data = nil, s.lists[s.listAt[term]:]
	if c.blocks > 1 {
		n := c.blocks * entryBytes
		c.entries, c.data = c.data[:n], c.data[n:]
	}
	c.list = readBound(s.bounds[term*boundBytes:])
	c.block, c.first, c.at, c.decoded, c.counted = 0, 0, 0, -1, -1
	c.last = c.lastOf(0)
}

// DF returns how many postings the list has.
func (c *Cursor) DF() int { return c.df }

// Bound covers the whole list.
func (c *Cursor) Bound() Bound { return c.list }

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

// Last returns a document that none of the present block comes after.
func (c *Cursor) Last() uint32 { return c.last }

// BlockBound covers the present block.
func (c *Cursor) BlockBound() Bound {
	if c.entries == nil {
		return c.list
	}
	return readBound(c.entries[c.block*entryBytes+8:])
}

// Docs returns the documents of the present block, in order. The slice is good until the cursor
// moves.
func (c *Cursor) Docs() []uint32 {
	n := min(BlockLen, c.df-c.block*BlockLen)
	docs := c.docs[:n]
	if c.decoded == c.block {
		return docs
	}
	c.decoded = c.block
	b := c.data[c.at:]
	gapWidth := uint(b[0])
	c.tfWidth = uint(b[1])
	c.tfAt = c.at + 2 + packed(n, gapWidth)
	unpack(docs, b[2:], gapWidth)
	next := c.first
	for i, gap := range docs {
		next += gap
		docs[i] = next
		next++
	}
	return docs
}

// TFs returns how often the term stands in each of Docs.
func (c *Cursor) TFs() []uint32 {
	tfs := c.tfs[:len(c.Docs())]
	if c.counted != c.block {
		c.counted = c.block
		unpack(tfs, c.data[c.tfAt:], c.tfWidth)
		for i := range tfs {
			tfs[i]++
		}
	}
	return tfs
}
