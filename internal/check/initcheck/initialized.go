package initcheck

// Init is which bytes of global memory nothing has written yet. A byte that was never told of
// counts as written. It takes one bit for a byte of memory, and none for a page that is written
// throughout. The zero value is ready; it is not for use from several goroutines at once.
type Init struct {
	pages map[uint64]*initPage // by address / initPageSize; absent when all of it is written
}

const initPageSize = 4096

// initPage has a bit set for each byte that is not written.
type initPage [initPageSize / 64]uint64

// Fresh tells of n bytes at addr that hold nothing: memory just allocated, and not cleared.
func (s *Init) Fresh(addr uint64, n int64) {
	if s.pages == nil {
		s.pages = map[uint64]*initPage{}
	}
	s.eachPage(addr, n, func(page uint64, from, to int) {
		p := s.pages[page]
		if p == nil {
			p = new(initPage)
			s.pages[page] = p
		}
		for i := from; i < to; i++ {
			p[i/64] |= 1 << (i % 64)
		}
	})
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
		for i := from; i < to; i++ {
			p[i/64] &^= 1 << (i % 64)
		}
		if *p == (initPage{}) {
			delete(s.pages, page)
		}
	})
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
			m |= uint32(p[a%initPageSize/64]>>(a%64)&1) << i
		}
	}
	return m
}

// Clone copies s, so that each run of a launch starts from the same. The copy of nil has all of
// memory written.
func (s *Init) Clone() *Init {
	c := &Init{pages: map[uint64]*initPage{}}
	if s == nil {
		return c
	}
	for k, p := range s.pages {
		q := *p
		c.pages[k] = &q
	}
	return c
}

func (s *Init) eachPage(addr uint64, n int64, do func(page uint64, from, to int)) {
	for end := addr + uint64(max(n, 0)); addr < end; {
		page := addr / initPageSize
		next := min(end, (page+1)*initPageSize)
		do(page, int(addr-page*initPageSize), int(next-page*initPageSize))
		addr = next
	}
}
