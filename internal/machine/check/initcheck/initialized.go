package initcheck

import (
	"maps"
	"math/bits"
	"slices"
)

// Init is which bytes of global memory nothing has written yet, and which of them hold a copy of
// such data. It lives as long as the memory: what one launch leaves unwritten the next one finds. A
// byte that was never told of counts as written. It takes one bit for a byte of memory, four bytes
// more on pages with copies, and nothing for a page that is written throughout. The zero value is
// ready. It is not for use from several goroutines at once.
type Init struct {
	pages  map[uint64]*initPage // by address / initPageSize; absent when all of it is written
	copies []*Copy              // those that pages name, from number 1 on
}

const initPageSize = 4096

// initPage has a bit set for each byte that is not written.
type initPage struct {
	missing [initPageSize / 64]uint64
	// from has, of such a byte, the number of what it is a copy of, 0 where nothing was stored: in
	// an Init between launches a number of copies, in a run an origin's. nil is 0 for all.
	from *[initPageSize]uint32
	// shared says that a clone has the page too, so that nobody may change it.
	shared bool
}

// Fresh tells of n bytes at addr that hold nothing: memory just allocated, and not cleared.
func (s *Init) Fresh(addr uint64, n int64) {
	s.eachPage(addr, n, func(page uint64, from, to int) {
		p := s.page(page)
		p.mark(from, to)
		if p.from != nil {
			clear(p.from[from:to])
		}
	})
}

// page makes sure of a page, to change it.
func (s *Init) page(page uint64) *initPage {
	p := s.pages[page]
	if p == nil {
		if s.pages == nil {
			s.pages = map[uint64]*initPage{}
		}
		p = new(initPage)
		s.pages[page] = p
	}
	return s.own(page, p)
}

// own returns the page p for changes: p itself, or a copy of it if it is shared.
func (s *Init) own(page uint64, p *initPage) *initPage {
	if !p.shared {
		return p
	}
	q := &initPage{missing: p.missing}
	if p.from != nil {
		from := *p.from
		q.from = &from
	}
	s.pages[page] = q
	return q
}

// mark sets the bits of a page's bytes.
func (p *initPage) mark(from, to int) {
	for ; from < to; from = (from/64 + 1) * 64 {
		p.missing[from/64] |= wordMask(from, to)
	}
}

// wordMask has a bit for each byte from from on that is before to and in from's word of 64 bytes.
func wordMask(from, to int) uint64 {
	mask := ^uint64(0) << (from % 64)
	if end := (from/64 + 1) * 64; to < end {
		mask &= ^uint64(0) >> (end - to)
	}
	return mask
}

// store tells of a byte that holds a copy of data that nothing has written.
func (s *Init) store(addr uint64, from uint32) {
	p := s.page(addr / initPageSize)
	at := int(addr % initPageSize)
	p.mark(at, at+1)
	if p.from == nil && from != 0 {
		p.from = new([initPageSize]uint32)
	}
	if p.from != nil {
		p.from[at] = from
	}
}

// origin is the number of what an unwritten byte is a copy of, 0 if nothing was stored there.
func (s *Init) origin(addr uint64) uint32 {
	if p := s.pages[addr/initPageSize]; p != nil && p.from != nil {
		return p.from[addr%initPageSize]
	}
	return 0
}

// Wrote tells of n bytes at addr that were written, or freed.
func (s *Init) Wrote(addr uint64, n int64) {
	if len(s.pages) == 0 {
		return
	}
	s.eachPage(addr, n, func(page uint64, from, to int) {
		p := s.pages[page]
		if p == nil {
			return
		}
		p = s.own(page, p)
		for ; from < to; from = (from/64 + 1) * 64 {
			p.missing[from/64] &^= wordMask(from, to)
		}
		if p.missing == [initPageSize / 64]uint64{} {
			delete(s.pages, page)
		}
	})
}

// Copied tells of n bytes at dst that are now a copy of those at src, which do not overlap them:
// bytes that were not written are not written there either.
func (s *Init) Copied(dst, src uint64, n int64) {
	s.Wrote(dst, n)
	s.eachUnwritten(src, n, func(at uint64, from uint32) { s.store(dst+at-src, from) })
}

// EachMissing calls do with the address of each of n bytes at addr that is not written, in
// ascending order.
func (s *Init) EachMissing(addr uint64, n int64, do func(addr uint64)) {
	s.eachUnwritten(addr, n, func(at uint64, _ uint32) { do(at) })
}

// Missing gives a bit for each of up to 16 bytes at addr that is not written.
func (s *Init) Missing(addr uint64, n int) uint32 {
	if len(s.pages) == 0 {
		return 0
	}
	var m uint32
	for i := range n {
		a := addr + uint64(i)
		if p := s.pages[a/initPageSize]; p != nil {
			m |= uint32(p.missing[a%initPageSize/64]>>(a%64)&1) << i
		}
	}
	return m
}

// Clone copies s, so that each run of a launch starts from the same. Pages are shared until one of
// the two changes them. The copy of nil has all of memory written.
func (s *Init) Clone() *Init {
	c := &Init{pages: map[uint64]*initPage{}}
	if s == nil {
		return c
	}
	for k, p := range s.pages {
		p.shared = true
		c.pages[k] = p
	}
	c.copies = s.copies
	return c
}

// Since calls wrote once for each page that was written to since before was cloned from s, with the
// address of one of the bytes written.
func (s *Init) Since(before *Init, wrote func(addr uint64)) {
	for _, k := range slices.Sorted(maps.Keys(before.pages)) {
		p := s.pages[k]
		if p == before.pages[k] {
			continue
		}
		for i, missing := range before.pages[k].missing {
			if p != nil {
				missing &^= p.missing[i]
			}
			if missing != 0 {
				wrote(k*initPageSize + uint64(64*i+bits.TrailingZeros64(missing)))
				break
			}
		}
	}
}

// eachUnwritten calls do with each byte of n at addr that is not written, and what it is a copy of.
func (s *Init) eachUnwritten(addr uint64, n int64, do func(addr uint64, from uint32)) {
	if len(s.pages) == 0 {
		return
	}
	s.eachPage(addr, n, func(page uint64, from, to int) {
		p := s.pages[page]
		if p == nil {
			return
		}
		for ; from < to; from = (from/64 + 1) * 64 {
			for m := p.missing[from/64] & wordMask(from, to); m != 0; m &= m - 1 {
				at := from/64*64 + bits.TrailingZeros64(m)
				var copied uint32
				if p.from != nil {
					copied = p.from[at]
				}
				do(page*initPageSize+uint64(at), copied)
			}
		}
	})
}

func (s *Init) eachPage(addr uint64, n int64, do func(page uint64, from, to int)) {
	for end := addr + uint64(max(n, 0)); addr < end; {
		page := addr / initPageSize
		next := min(end, (page+1)*initPageSize)
		do(page, int(addr-page*initPageSize), int(next-page*initPageSize))
		addr = next
	}
}
