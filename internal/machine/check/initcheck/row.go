package initcheck

import (
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file looks at all bytes of a row at once.

// rowsWritten reports whether all bytes of rows were written.
func (c *Check) rowsWritten(e *event.Access) bool {
	for i := range e.Rows {
		from, size := e.Rows[i].Range(e.Addrs, e.Size)
		if e.Space == ptx.GlobalSpace {
			if !c.global.whole(from, size) {
				return false
			}
			continue
		}
		for at, end := from, from+size; at < end; at = (at/64 + 1) * 64 {
			if wordMask(int(at), int(end))&^c.home.written[at/64] != 0 {
				return false
			}
		}
	}
	return true
}

// wroteRows notes that rows were written.
func (c *Check) wroteRows(e *event.Access) {
	for i := range e.Rows {
		from, size := e.Rows[i].Range(e.Addrs, e.Size)
		if e.Space == ptx.GlobalSpace {
			c.global.Wrote(from, int64(size))
			continue
		}
		for at, end := from, from+size; at < end; at = (at/64 + 1) * 64 {
			c.home.written[at/64] |= wordMask(int(at), int(end))
		}
	}
}

// whole reports whether each of some bytes at an address is written.
func (s *Init) whole(addr, size uint64) bool {
	if len(s.pages) == 0 {
		return true
	}
	for at, end := addr, addr+size; at < end; at = (at/64 + 1) * 64 {
		p := s.pages[at/initPageSize]
		if p == nil {
			continue
		}
		from := at % initPageSize
		if p.missing[from/64]&wordMask(int(from), int(min(from+end-at, initPageSize))) != 0 {
			return false
		}
	}
	return true
}
