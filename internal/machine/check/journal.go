package check

import (
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// journal records what the runs of a launch change in global memory, so that each run begins with
// the memory that the first one found, and memory ends up as the first run made it. It takes memory
// for the pages that are written, however much is allocated.
type journal struct {
	m     *sim.Machine
	pages map[uint64]*savedPage // by address / journalPage
	last  uint64                // the page that was written last; it is saved
}

const journalPage = 4096

// savedPage is a page's contents, of the part that is allocated.
type savedPage struct {
	addr          uint64
	before, after []byte // the first run; after is nil where that one did not write
}

func newJournal(m *sim.Machine) *journal { return &journal{m: m, pages: map[uint64]*savedPage{}} }

// watch makes the journal see a run.
func (j *journal) watch(run *tool.Run) {
	run.Watch(func(on *tool.Events) {
		on.Access = append(on.Access, func(b *tool.Block, e *event.Access, lanes uint32) {
			if e.Kind == event.Store && e.Space == ptx.GlobalSpace {
				j.stored(run, e, lanes)
			}
		})
		on.Atomic = append(on.Atomic, func(b *tool.Block, e *event.Atomic, lanes uint32) {
			if e.Space == ptx.GlobalSpace {
				j.changed(run, e, lanes)
			}
		})
	})
}

// stored saves the pages that a store writes for the first time. The store has happened already, so
// stored undoes it in the saved page with the bytes that the lanes found. If several lanes wrote
// one address, the first lane's bytes are put back last. The store of an agent has not happened
// yet, and needs no undoing.
func (j *journal) stored(run *tool.Run, e *event.Access, lanes uint32) {
	if e.Rows != nil && lanes == e.Mask && j.hasRows(e) {
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		s := j.fresh(run, e.Addrs[tool.LaneOf(m)])
		if s == nil || e.Agent != nil {
			continue
		}
		if e.Lanes == nil {
			for n := lanes; n != 0; n &= n - 1 {
				s.put(e.Addrs[tool.LaneOf(n)], e.Before(tool.LaneOf(n)))
			}
		}
		for i := len(e.Lanes) - 1; i >= 0; i-- {
			if lane := int(e.Lanes[i] & 31); lanes>>lane&1 != 0 {
				s.put(e.Addrs[lane], e.Before(lane))
			}
		}
	}
}

// changed is stored for an atomic.
func (j *journal) changed(run *tool.Run, e *event.Atomic, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		s := j.fresh(run, e.Addrs[tool.LaneOf(m)])
		if s == nil {
			continue
		}
		for i := len(e.Lanes) - 1; i >= 0; i-- {
			if lane := int(e.Lanes[i] & 31); lanes>>lane&1 != 0 {
				s.put(e.Addrs[lane], e.Found(lane))
			}
		}
	}
}

// fresh saves the page of an address that has just been written, and returns it. It returns nil if
// the page was saved before.
func (j *journal) fresh(run *tool.Run, addr uint64) *savedPage {
	page := addr / journalPage
	if page == j.last {
		return nil
	}
	j.last = page
	if j.pages[page] != nil {
		return nil
	}
	x := run.Extent(addr)
	s := &savedPage{addr: max(page*journalPage, x.Addr)}
	end := min((page+1)*journalPage, x.Addr+uint64(x.Size))
	s.before = append(s.before, j.memory(s.addr, end-s.addr)...)
	j.pages[page] = s
	return s
}

// hasRows reports whether the pages of an access of rows are saved.
func (j *journal) hasRows(e *event.Access) bool {
	for i := range e.Rows {
		from, size := e.Rows[i].Range(e.Addrs, e.Size)
		if !j.has(from/journalPage) || !j.has((from+size-1)/journalPage) {
			return false
		}
	}
	return true
}

// has reports whether a page is saved.
func (j *journal) has(page uint64) bool {
	if page != j.last {
		if j.pages[page] == nil {
			return false
		}
		j.last = page
	}
	return true
}

// put corrects what the page held before.
func (s *savedPage) put(addr uint64, b []byte) {
	if off := addr - s.addr; off < uint64(len(s.before)) {
		copy(s.before[off:], b)
	}
}

// memory returns a part of global memory, or nil if it is not allocated any more.
func (j *journal) memory(addr, n uint64) []byte {
	b, err := j.m.Bytes(addr, int64(n))
	if err != nil {
		return nil
	}
	return b
}

// firstEnded keeps what the first run has made.
func (j *journal) firstEnded() {
	for _, s := range j.pages {
		s.after = append([]byte(nil), j.memory(s.addr, uint64(len(s.before)))...)
	}
}

// rewind makes memory what the first run found.
func (j *journal) rewind() {
	for _, s := range j.pages {
		copy(j.memory(s.addr, uint64(len(s.before))), s.before)
	}
}

// finish makes memory what the first run has made.
func (j *journal) finish() {
	for _, s := range j.pages {
		made := s.after
		if made == nil {
			made = s.before
		}
		copy(j.memory(s.addr, uint64(len(s.before))), made)
	}
}
