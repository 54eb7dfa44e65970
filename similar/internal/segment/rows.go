package segment

import "encoding/binary"

// The row of a document is its terms and how often each stands in it. Terms are written as ranks,
// which are low for frequent terms, so that the gaps between them are small where there are many. A
// row is the number of its terms and groups of rowGroup of them: a byte with the width of the gaps
// and a code for that of the counts, the gaps less 1 and the counts less 1, packed.

const rowGroup = 16

var countWidths = [8]uint{0, 1, 2, 3, 4, 8, 16, 32}

// RowTerm is one term of a row.
type RowTerm struct{ Rank, Count uint32 }

func appendRow(dst []byte, row []RowTerm) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(row)))
	var gaps, counts [rowGroup]uint32
	next := uint32(0)
	for len(row) > 0 {
		n := min(len(row), rowGroup)
		for i, t := range row[:n] {
			gaps[i], counts[i] = t.Rank-next, t.Count-1
			next = t.Rank + 1
		}
		gapWidth, code := width(gaps[:n]), 0
		for need := width(counts[:n]); countWidths[code] < need; {
			code++
		}
		dst = append(dst, byte(gapWidth)|byte(code<<5))
		dst = pack(dst, gaps[:n], gapWidth)
		dst = pack(dst, counts[:n], countWidths[code])
		row = row[n:]
	}
	return dst
}

// Unique returns how many different terms a document has.
func (s *Segment) Unique(ord int) int {
	n, _ := binary.Uvarint(s.rows[s.rowAt[ord]:])
	return int(n)
}

// Row appends the terms of a document to dst, by rank.
func (s *Segment) Row(ord int, dst []RowTerm) []RowTerm {
	b := s.rows[s.rowAt[ord]:]
	left, k := binary.Uvarint(b)
	b = b[k:]
	var gaps, counts [rowGroup]uint32
	next := uint32(0)
	for left > 0 {
		n := int(min(left, rowGroup))
		gapWidth, countWidth := uint(b[0]&31), countWidths[b[0]>>5]
		b = b[1:]
		unpack(gaps[:n], b, gapWidth)
		b = b[packed(n, gapWidth):]
		unpack(counts[:n], b, countWidth)
		b = b[packed(n, countWidth):]
		for i := range n {
			next += gaps[i]
			dst = append(dst, RowTerm{next, counts[i] + 1})
			next++
		}
		left -= uint64(n)
	}
	return dst
}
