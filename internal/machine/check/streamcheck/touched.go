package streamcheck

import (
	"maps"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Touched collects the global memory that a launch uses, byte by byte. It implements tool.Tool, to
// see the events of a run.
type Touched struct {
	pages map[uint64]*[kinds]*mask
	last  uint64 // the page used last, and its masks
	masks *[kinds]*mask
}

// Name implements tool.Tool.
func (t *Touched) Name() report.Tool { return report.Racecheck }

// Watch implements tool.Tool.
func (t *Touched) Watch(on *tool.Events) {
	on.Access = append(on.Access, func(_ *tool.Block, e *event.Access, lanes uint32) {
		if e.Rows != nil && lanes == e.Mask {
			t.addRows(kindOf(e), e)
			return
		}
		t.add(kindOf(e), e.Space, e.Addrs, e.Size, lanes)
	})
	on.Atomic = append(on.Atomic, func(_ *tool.Block, e *event.Atomic, lanes uint32) {
		t.add(Atomic, e.Space, e.Addrs, e.Size, lanes)
	})
}

// kindOf is the kind of an access. One that other launches may see in the making is as an atomic
// one.
func kindOf(e *event.Access) Kind {
	switch {
	case e.Order != event.Weak && e.Order != event.Volatile && (e.Scope == event.GPU || e.Scope == event.System):
		return Atomic
	case e.Kind == event.Load:
		return Read
	}
	return Write
}

// add notes what lanes use.
func (t *Touched) add(kind Kind, space ptx.Space, addrs *[abi.WarpSize]uint64, size int, lanes uint32) {
	if space != ptx.GlobalSpace {
		return
	}
	for m := lanes; m != 0; {
		addr := addrs[tool.LaneOf(m)]
		end := addr + uint64(size)
		for m &= m - 1; m != 0 && addrs[tool.LaneOf(m)] == end; m &= m - 1 { // lanes side by side are one range
			end += uint64(size)
		}
		t.addBytes(kind, addr, end)
	}
}

// addRows notes what rows use.
func (t *Touched) addRows(kind Kind, e *event.Access) {
	if e.Space != ptx.GlobalSpace {
		return
	}
	for i := range e.Rows {
		from, size := e.Rows[i].Range(e.Addrs, e.Size)
		t.addBytes(kind, from, from+size)
	}
}

func (t *Touched) addBytes(kind Kind, addr, end uint64) {
	for addr < end {
		page := addr / pageSize
		if t.masks == nil || page != t.last {
			t.turn(page)
		}
		if t.masks[kind] == nil {
			t.masks[kind] = new(mask)
		}
		next := min(end, (page+1)*pageSize)
		t.masks[kind].add(int(addr-page*pageSize), int(next-page*pageSize))
		addr = next
	}
}

// turn turns to a page.
func (t *Touched) turn(page uint64) {
	if t.pages == nil {
		t.pages = map[uint64]*[kinds]*mask{}
	}
	t.last, t.masks = page, t.pages[page]
	if t.masks == nil {
		t.masks = new([kinds]*mask)
		t.pages[page] = t.masks
	}
}

// Seen implements tool.Tool: the accesses count with racecheck between threads.
func (t *Touched) Seen() uint64 { return 0 }

// Pending implements tool.Tool.
func (t *Touched) Pending() int { return 0 }

// Finish implements tool.Tool.
func (t *Touched) Finish() string { return "" }

// Launched tells that an operation was a launch that touched memory. It returns what Use returns.
// It takes over what was touched.
func (m *Memory) Launched(op *Op, t *Touched) []Conflict {
	var found []Conflict
	for _, page := range slices.Sorted(maps.Keys(t.pages)) {
		for kind := kinds; kind > 0; kind-- {
			if bytes := t.pages[page][kind-1]; bytes != nil {
				found = m.use(op, kind-1, page, bytes, found)
			}
		}
	}
	return found
}
