package segment

import (
	"cmp"
	"slices"
)

// Codes are the lengths of documents in a byte each, which stay in a processor's caches where the
// lengths themselves do not. A code is the index of a length in Lengths, which has the most frequent
// ones, or OtherLength.
type Codes struct {
	Of      []byte
	Lengths []uint32
}

// OtherLength is the code of lengths that have none.
const OtherLength = 255

// Codes returns the codes of the documents' lengths. They are made when they are first asked for.
func (s *Segment) Codes() *Codes {
	s.codesOnce.Do(func() { s.codes = codesOf(s.lengths) })
	return &s.codes
}

func codesOf(lengths []uint32) Codes {
	count := map[uint32]int{}
	for _, n := range lengths {
		count[n]++
	}
	c := Codes{Of: make([]byte, len(lengths))}
	for n := range count {
		c.Lengths = append(c.Lengths, n)
	}
	slices.SortFunc(c.Lengths, func(a, b uint32) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	c.Lengths = slices.Clip(c.Lengths[:min(len(c.Lengths), OtherLength)])
	code := map[uint32]byte{}
	for i, n := range c.Lengths {
		code[n] = byte(i)
	}
	for i, n := range lengths {
		var ok bool
		if c.Of[i], ok = code[n]; !ok {
			c.Of[i] = OtherLength
		}
	}
	return c
}
