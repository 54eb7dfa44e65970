package initcheck

import (
	"maps"
	"slices"

	"github.com/gridstride/gridstride/internal/machine/report"
)

// Elements is a range of global memory that the host reads: N bytes at Addr, as elements of Size
// bytes each.
type Elements struct {
	Addr uint64
	N    int64
	Size int64
	// Padding says which bytes of an element mean nothing; nil for none. Kernels write the fields
	// of a struct, and not the padding between them.
	Padding []bool
}

// Hole is a set of unwritten elements of a range that have one cause: either nobody wrote them, or
// they hold copies of unwritten data that one instruction read.
type Hole struct {
	// Read is the finding of that instruction's read, without its use, and What is the name of the
	// element that it read. Read is nil if nobody wrote the elements.
	Read *report.Finding
	What string
	// First and Last are elements. Count is the number of elements that are not written, at least
	// in part. From and To are the bytes of the range that are not written in the first of them.
	First, Last, Count, From, To int64
}

// Holes finds what is not written of a range: what nobody wrote first, then the copies.
func (s *Init) Holes(e Elements) []Hole {
	found := map[uint32]*Hole{}
	s.eachUnwritten(e.Addr, e.N, func(addr uint64, from uint32) {
		at := int64(addr - e.Addr)
		if e.Padding != nil && e.Padding[at%e.Size] {
			return
		}
		h, element := found[from], at/e.Size
		if h == nil {
			h = &Hole{First: element, Last: -1, From: at}
			found[from] = h
		}
		if element != h.Last {
			h.Last = element
			h.Count++
		}
		if element == h.First {
			h.To = at
		}
	})
	var list []Hole
	for _, from := range slices.Sorted(maps.Keys(found)) {
		h := found[from]
		if from != 0 {
			c := s.copies[from-1]
			read := c.read
			read.Witnesses = slices.Clone(read.Witnesses)
			h.Read, h.What = &read, c.what
		}
		list = append(list, *h)
	}
	return list
}
