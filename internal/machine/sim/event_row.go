package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has the short way of telling of a load or a store by lanes that follow each other, whose
// elements follow each other too, or are one: see event.Row.

// mostRows is how many rows the lanes of an access may be: a block of 8 threads in x has warps of 4.
const mostRows = 8

// rowParts has what the events of an access by rows need.
type rowParts struct {
	list [mostRows]event.Row
	// before has, at the place of each lane, what memory held before a store.
	before [abi.WarpSize * event.MaxAccess]byte
}

// rowed reports whether an instruction's accesses may be told of as rows: an address in the segment where
// it looks first is the instruction's own address there.
func (op *memOp) rowed(seg uint32) bool {
	switch op.space {
	case ptx.GlobalSpace, ptx.GenericSpace, ptx.ParamSpace:
		return seg >= segCache
	case ptx.SharedSpace:
		return seg == segShared && !op.cluster
	}
	return false
}

// watchRows performs a load or a store and tells of it, if its lanes are a few rows. Otherwise it does
// nothing and returns false.
func (w *warp) watchRows(in *inst) bool {
	op, e := in.mem, &w.wk.events
	var list []event.Row
	if op.addr32 {
		list = rowsOf(reg[uint32](w, in.A), uint32(in.Imm), uint32(op.size), w.Exec, e)
	} else {
		list = rowsOf(reg[uint64](w, in.A), in.Imm, op.size, w.Exec, e)
	}
	seg := w.wk.segs[in.seg]
	if list == nil || op.align != 0 || op.kind == event.Store && (seg.ReadOnly || overlap(list, &e.addrs, op.size)) {
		return false
	}
	for i := range list {
		from, size := list[i].Range(&e.addrs, int(op.size))
		if off := from - seg.Base; off >= seg.Size || seg.Size-off < size || off&(op.size-1) != 0 {
			return false
		}
	}
	space := w.spaceOfAccess(op, e.addrs[list[0].First&31])
	if space == ptx.SharedSpace && w.cta.ClusterSize() > 1 {
		return false
	}
	e.data = accessData{w: w, in: in, flat: &e.addrs, seg: seg}
	w.runRows(in, seg.P, seg.Base, list)
	w.tellRows(in, space, list)
	return true
}

// rowsOf notes the addresses of lanes, and divides the lanes into rows of elements of some bytes. It
// returns nil if they are not that.
func rowsOf[A lanes.Word](a *[abi.WarpSize]A, imm, size A, exec uint32, e *events) []event.Row {
	n := 0
	for m := exec; m != 0; {
		if n == mostRows {
			return nil
		}
		first := firstLane(m)
		follow := bits.TrailingZeros32(^(m >> first))
		last := a[first] + imm
		e.addrs[first] = uint64(last)
		step, i := size, first+1
		if i < first+follow && a[i&31]+imm == last {
			step = 0
		}
		for ; i < first+follow; i++ {
			x := a[i&31] + imm
			if x-last != step || x < last {
				break
			}
			e.addrs[i&31], last = uint64(x), x
		}
		e.rows.list[n] = event.Row{First: first, Lanes: i - first, Step: uint64(step)}
		n++
		m &^= (1<<(i-first) - 1) << first
	}
	return e.rows.list[:n]
}

// overlap reports whether two lanes of rows have an address in common.
func overlap(list []event.Row, addrs *[abi.WarpSize]uint64, size uint64) bool {
	for i := range list {
		if list[i].Step == 0 && list[i].Lanes > 1 {
			return true
		}
		from, n := list[i].Range(addrs, int(size))
		for j := range i {
			if other, m := list[j].Range(addrs, int(size)); from < other+m && other < from+n {
				return true
			}
		}
	}
	return false
}

// runRows performs an access of rows in the memory at p, which has the address base.
func (w *warp) runRows(in *inst, p unsafe.Pointer, base uint64, list []event.Row) {
	op, e := in.mem, &w.wk.events
	if op.kind == event.Store {
		for i := range list {
			from, size := list[i].Range(&e.addrs, int(op.size))
			copy(e.rows.before[list[i].First*int(op.size):], unsafe.Slice((*byte)(unsafe.Add(p, from-base)), size))
		}
	}
	if !op.lined {
		in.run(w, in)
		return
	}
	for i := range list {
		if list[i].Step == 0 && list[i].Lanes > 1 {
			in.run(w, in)
			return
		}
	}
	for i := range list {
		from, size := list[i].Range(&e.addrs, int(op.size))
		memory, at := unsafe.Slice((*byte)(unsafe.Add(p, from-base)), size), list[i].First*int(op.size)
		if op.kind == event.Load {
			copy(unsafe.Slice((*byte)(unsafe.Add(w.Base, int(in.D)+at)), size), memory)
		} else {
			copy(memory, unsafe.Slice((*byte)(unsafe.Add(w.Base, int(in.B)+at)), size))
		}
	}
	if op.kind == event.Store {
		w.advance()
	}
}

// tellRows tells of an access of rows to a space.
func (w *warp) tellRows(in *inst, space ptx.Space, list []event.Row) {
	op, ev := in.mem, &w.wk.events
	e := &ev.access
	e.Warp = w.event(in.site, w.Exec)
	e.Kind, e.Size, e.Order, e.Scope, e.Lanes, e.Part, e.Agent = op.kind, int(op.size), op.order, op.scope, nil, op.part, nil
	e.Reduces, e.Texel, e.Rows, e.Space, e.Home = op.reduces, op.texel, list, space, nil
	e.Data, e.Addrs = &ev.data, w.relative(op, space, &ev.addrs)
	if space == ptx.SharedSpace {
		e.Home = &w.cta.Block
	}
	w.wk.obs.Observe(e)
}
