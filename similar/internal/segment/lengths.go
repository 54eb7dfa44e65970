package segment

import (
	"cmp"
	"slices"
)

// Codes are the lengths of documents in a byte each, which stay in a processor's caches where the
// lengths themselves do not. A code is the index of a length in Lengths, which has the most frequent
// lengths, or OtherLength.
type Codes struct {
	Of      []byte
	Lengths []uint32
}

// OtherLength is the code of lengths that have none.
const OtherLength = 255

// codedLengths is above all lengths that have codes: longer documents are few.
const codedLengths = 1 << 12

// Codes returns the codes of the documents' lengths. They are made when they are first asked for, in
// some nanoseconds a document.
func (s *Segment) Codes() *Codes {
	s.codesOnce.Do(func() { s.codes = codesOf(s.lengths) })
	return &s.codes
}

func codesOf(lengths []uint32) Codes {
	var count [codedLengths]int
	for _, n := range lengths {
		if n < codedLengths {
			count[n]++
		}
	}
	c := Codes{Of: make([]byte, len(lengths))}
	for n := range uint32(codedLengths) {
		if count[n] > 0 {
			c.Lengths = append(c.Lengths, n)
		}
	}
	slices.SortFunc(c.Lengths, func(a, b uint32) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	c.Lengths = slices.Clip(c.Lengths[:min(len(c.Lengths), OtherLength)])
	var code [codedLengths]byte
	for n := range code {
		code[n] = OtherLength
	}
	for i, n := range c.Lengths {
		code[n] = byte(i)
	}
	for i, n := range lengths {
		if c.Of[i] = OtherLength; n < codedLengths {
			c.Of[i] = code[n]
		}
	}
	return c
}
