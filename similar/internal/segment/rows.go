package segment

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// The row of a document is its terms, by rank, and how often each occurs in it. Frequent terms have
// low ranks, so that the gaps between the terms of a row grow with the ranks: about in proportion,
// by Zipf's law. A gap is written with Rice's code (Golomb, Run-length encodings, 1966; Rice, Some
// practical universal noiseless coding techniques, 1979) with a parameter that grows so, too.
//
// A row is two numbers (uvarint), how many terms it has, and how many of these there are up to the
// last that occurs more than once. Bits follow, the lowest of a byte first:
//
//   - 4 bits: the shift of the row, and shiftBias added
//   - for each group of rowGroup terms, the last of which may have fewer: a bit that is 1 if k
//     follows in 5 bits, else k is the number of bits of the lowest possible rank, less the shift,
//     0 at least, then the lowest k bits of the gap of each term, then for each as many zeros as
//     the rest of the gap says, and a one, in maxUnary bits at most
//   - for each term of the first a bit, which is 1 if it occurs more than once, and after these for
//     each such term how often, less 1, by Elias's gamma code: n zeros, a one, and the lowest n
//     bits of the number, which has n+1
//
// A gap is that from the lowest rank that the term could have.

const (
	rowGroup  = 8
	shiftBias = 8
	maxUnary  = 57 // what window gives
)

// RowTerm is one term of a row, by rank and frequency. As numbers they are in the order of a row.
type RowTerm uint64

func rowTerm(rank, count uint32) RowTerm { return RowTerm(rank)<<32 | RowTerm(count) }

// Rank returns the rank of the term.
func (t RowTerm) Rank() uint32 { return uint32(t >> 32) }

// Count returns how often the term occurs in the document.
func (t RowTerm) Count() uint32 { return uint32(t) }

// lowBits returns the k of a group that says none.
func lowBits(next uint32, shift int) uint { return uint(min(max(bits.Len32(next)-shift, 0), 31)) }

// rowShift returns the shift that makes the code of a row about the shortest.
func rowShift(row []RowTerm) int {
	sum, next := 0, uint32(0)
	for _, t := range row {
		sum += bits.Len32(next) - bits.Len32(t.Rank()-next)
		next = t.Rank() + 1
	}
	n := max(len(row), 1)
	return min(max((sum+shiftBias*n+n/2)/n-shiftBias, 1-shiftBias), 15-shiftBias)
}

func appendRow(dst []byte, row []RowTerm) []byte {
	first := len(row)
	for first > 0 && row[first-1].Count() == 1 {
		first--
	}
	dst = binary.AppendUvarint(dst, uint64(len(row)))
	dst = binary.AppendUvarint(dst, uint64(first))
	w := bitWriter{bytes: dst}
	shift := rowShift(row)
	w.put(uint32(shift+shiftBias), 4)
	next := uint32(0)
	for rest := row; len(rest) > 0; rest = rest[min(rowGroup, len(rest)):] {
		next = appendGroup(&w, rest[:min(rowGroup, len(rest))], next, shift)
	}
	appendCounts(&w, row[:first])
	return w.end()
}

func appendCounts(w *bitWriter, row []RowTerm) {
	for _, t := range row {
		w.put(min(t.Count()-1, 1), 1)
	}
	for _, t := range row {
		if more := t.Count() - 1; more > 0 {
			n := uint(bits.Len32(more) - 1)
			w.put(0, n)
			w.put(1, 1)
			w.put(more&(1<<n-1), n)
		}
	}
}

// appendGroup appends a group of a row, and returns the lowest rank that may follow.
func appendGroup(w *bitWriter, group []RowTerm, next uint32, shift int) uint32 {
	var gaps [rowGroup]uint32
	usual := lowBits(next, shift)
	for i, t := range group {
		gaps[i] = t.Rank() - next
		next = t.Rank() + 1
	}
	k := usual
	for unary(gaps[:len(group)], k) > maxUnary {
		k++
	}
	if k == usual {
		w.put(0, 1)
	} else {
		w.put(1|uint32(k)<<1, 6)
	}
	for _, gap := range gaps[:len(group)] {
		w.put(gap&(1<<k-1), k)
	}
	for _, gap := range gaps[:len(group)] {
		zeros := uint(gap >> k)
		if zeros >= 32 {
			w.put(0, 32)
			zeros -= 32
		}
		w.put(1<<zeros, zeros+1)
	}
	return next
}

// unary returns how many bits the gaps take apart from the lowest k of each.
func unary(gaps []uint32, k uint) uint64 {
	n := uint64(len(gaps))
	for _, gap := range gaps {
		n += uint64(gap >> k)
	}
	return n
}

// Unique returns how many different terms a document has.
func (s *Segment) Unique(ord int) int {
	n, _ := binary.Uvarint(s.rows.at(ord))
	return int(n)
}

// Row appends the terms of a document to dst, by rank. The error is a *Damaged.
func (s *Segment) Row(ord int, dst []RowTerm) ([]RowTerm, error) {
	from, to := s.rows.ends.bounds(ord)
	if !s.guard.whole(s.rows.data[from:to]) {
		return dst, s.Damaged("the row of document %d has another checksum", ord)
	}
	dst, ok := readRow(s.rows.data[from:to+padding], dst, uint64(s.Terms()))
	if !ok {
		return dst, s.Damaged("the row of document %d is broken", ord)
	}
	return dst, nil
}

// readRow appends a row of ranks below terms to dst. It takes up to padding bytes after the row to be
// there in b, and returns false for a row that is broken.
func readRow(b []byte, dst []RowTerm, terms uint64) (row []RowTerm, ok bool) {
	r, ok := openRow(b, terms)
	if !ok {
		return dst, false
	}
	before := len(dst)
	dst = slices.Grow(dst, r.left)[:before+r.left]
	for rest := dst[before:]; len(rest) > 0; {
		group := rest[:min(rowGroup, len(rest))]
		if !r.group(group) {
			return dst[:before], false
		}
		rest = rest[len(group):]
	}
	if !readCounts(r.bytes, r.bit, r.end, dst[before:before+r.first]) {
		return dst[:before], false
	}
	return dst, true
}

// A rowReader reads the terms of a row, a group at a time.
type rowReader struct {
	bytes    []byte // from the bits on, and padding
	left     int    // terms that were not read
	first    int    // how many terms there are up to the last that occurs more than once
	shift    int
	bit, end uint
	next     uint64 // the lowest possible rank
	terms    uint64 // ranks are below it
}

// openRow returns the reader of a row; see readRow.
func openRow(b []byte, terms uint64) (r rowReader, ok bool) {
	n, k := binary.Uvarint(b)
	if k <= 0 {
		return r, false
	}
	b = b[k:]
	first, k := binary.Uvarint(b)
	// A term takes a bit at least.
	if k <= 0 || len(b) <= k+padding || first > n || n > 8*uint64(len(b)) {
		return r, false
	}
	b = b[k:]
	return rowReader{
		bytes: b, left: int(n), first: int(first), shift: int(b[0]&15) - shiftBias,
		bit: 4, end: 8 * uint(len(b)-padding), terms: terms,
	}, true
}

// group reads the next terms, as many as group has: rowGroup, or all that are left. It returns false
// where they are broken.
func (r *rowReader) group(group []RowTerm) bool {
	if r.bit > r.end {
		return false
	}
	b, bit, next := r.bytes, r.bit, r.next
	k := lowBits(uint32(next), r.shift)
	if w := window(b, bit); w&1 != 0 {
		k = uint(w >> 1 & 31)
		bit += 5
	}
	bit++
	if bit+uint(len(group))*k > r.end {
		return false
	}
	ones, last, mask := window(b, bit+uint(len(group))*k), -1, uint32(1)<<(k&31)-1
	for i := range group {
		at := bits.TrailingZeros64(ones)
		ones &= ones - 1
		next += uint64(at-last-1)<<(k&31) | uint64(uint32(window(b, bit))&mask)
		group[i] = rowTerm(uint32(next), 1)
		next++
		bit += k
		last = at
	}
	r.bit, r.next, r.left = bit+uint(last)+1, next, r.left-len(group)
	return last < 64 && next <= r.terms // else the window has fewer ones than the group has terms
}

// readCounts adds the counts to the terms of a row, which have 1. The row ends at a bit. It returns
// false for counts that are broken.
func readCounts(b []byte, bit, end uint, row []RowTerm) bool {
	code := bit + uint(len(row))
	if code > end {
		return false
	}
	for len(row) > 0 {
		const atOnce = 56
		some := row[:min(atOnce, len(row))]
		for more := window(b, bit) & (1<<len(some) - 1); more != 0; more &= more - 1 {
			n := uint(bits.TrailingZeros64(window(b, code)))
			code += n + 1
			if code+n > end || n > 31 {
				return false
			}
			count := window(b, code)&(1<<n-1) + 1<<n // without the first
			if count == math.MaxUint32 {
				return false
			}
			some[bits.TrailingZeros64(more)] += RowTerm(count)
			code += n
		}
		bit, row = bit+atOnce, row[len(some):]
	}
	return true
}
