package initcheck

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// localMemory tells which local memory of a warp's threads was written. The parameters of functions
// are in local memory too.
type localMemory struct {
	written [abi.WarpSize][]uint64 // a bit for each byte
	copies  map[uint64]uint32      // by lane<<48 and address, the origin of an unwritten byte that was stored
}

// reset makes it the memory of other threads.
func (l *localMemory) reset() {
	for lane := range l.written {
		clear(l.written[lane])
	}
	l.copies = nil
}

// fresh tells that nothing is written from an address on: a function that is called finds anything
// in its variables.
func (l *localMemory) fresh(lane, from int) {
	words := l.written[lane]
	for w := from / 64; w < len(words); w++ {
		words[w] &^= wordMask(max(from, 64*w), 64*(w+1))
	}
}

// missing gives a bit for each of n bytes that nothing has written.
func (l *localMemory) missing(lane int, addr uint64, n int) (miss uint32) {
	words := l.written[lane]
	for i := range n {
		if at := addr + uint64(i); at/64 >= uint64(len(words)) || words[at/64]>>(at%64)&1 == 0 {
			miss |= 1 << i
		}
	}
	return miss
}

// store notes a store of n bytes of t. The bytes that t has as unwritten become unwritten in
// memory, the others written.
func (l *localMemory) store(lane int, addr uint64, n int, t taint) {
	for need := int((addr+uint64(n)-1)/64) + 1; len(l.written[lane]) < need; {
		l.written[lane] = append(l.written[lane], make([]uint64, need-len(l.written[lane]))...)
	}
	for i := range n {
		at := addr + uint64(i)
		word, bit := &l.written[lane][at/64], uint64(1)<<(at%64)
		if t.bytes>>i&1 == 0 {
			*word |= bit
			continue
		}
		*word &^= bit
		l.copyAt(lane, at, t.origin)
	}
}

// copyAt tells of an unwritten byte what it is a copy of; 0 is nothing.
func (l *localMemory) copyAt(lane int, at uint64, origin uint32) {
	key := uint64(lane)<<48 | at
	switch {
	case origin == 0:
		delete(l.copies, key)
		return
	case l.copies == nil:
		l.copies = map[uint64]uint32{}
	}
	l.copies[key] = origin
}

// take is the taint of n bytes, at most 8, that a thread reads.
func (c *Check) take(l *localMemory, e *event.Warp, lane int, addr uint64, n int) taint {
	miss := l.missing(lane, addr, n)
	if miss == 0 {
		return taint{}
	}
	for i := range n {
		if id := l.copies[uint64(lane)<<48|addr+uint64(i)]; miss>>i&1 != 0 && id != 0 {
			return taint{id, uint8(miss)}
		}
	}
	return taint{c.originOf(origin{
		load: c.run.Site(e.Site), space: ptx.LocalSpace, addr: addr, size: n,
		block: int32(e.Block.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
	}), uint8(miss)}
}

// local follows unwritten data through a thread's own memory.
func (c *Check) local(st *blockState, e *event.Access) {
	w := &st.warps[e.Index]
	u := c.usage(e.Site)
	regs := u.values
	if e.Kind == event.Load {
		regs = u.dests
	}
	limit := uint64(c.run.LocalLimit)
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		addr := e.Addrs[lane]
		if addr >= limit || limit-addr < uint64(e.Size) { // a fault
			continue
		}
		if len(regs) == 0 {
			if e.Kind == event.Store {
				w.local.store(lane, addr, e.Size, taint{})
			}
			continue
		}
		width := e.Size / len(regs)
		for k, reg := range regs {
			at := addr + uint64(k*width)
			if e.Kind == event.Store {
				w.local.store(lane, at, width, w.get(regKey{e.Frame, reg}, lane))
				continue
			}
			t := c.take(&w.local, &e.Warp, lane, at, width)
			if u.signed && t.bytes>>(width-1)&1 != 0 {
				t.bytes |= ^uint8(1<<width - 1)
			}
			c.set(w, regKey{e.Frame, reg}, lane, t)
		}
	}
}

// call takes the arguments to a function, whose own variables hold nothing.
func (c *Check) call(st *blockState, e *event.Call) {
	w := &st.warps[e.Index]
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		w.local.fresh(lane, e.Local)
		for _, p := range e.Copies {
			c.hand(w, &e.Warp, lane, e.Frame, p.From, e.CalleeFrame, p.To)
		}
	}
}

// ret takes the results back. The registers of the function are no more.
func (c *Check) ret(st *blockState, e *event.Return) {
	w := &st.warps[e.Index]
	for m := e.Mask; m != 0; m &= m - 1 {
		for _, p := range e.Copies {
			c.hand(w, &e.Warp, tool.LaneOf(m), e.Frame, p.From, e.CallerFrame, p.To)
		}
	}
	if e.Frame == e.CallerFrame { // a function of the device's own
		return
	}
	for k := range w.regs {
		for m := e.Mask; m != 0 && k.frame == e.Frame; m &= m - 1 {
			c.set(w, k, tool.LaneOf(m), taint{})
		}
	}
}

// hand takes a parameter of a call from frame to frame.
func (c *Check) hand(w *warpState, e *event.Warp, lane int, fromFrame uint64, from event.CallOperand, toFrame uint64, to event.CallOperand) {
	if from.Size > 0 && to.Size > 0 { // bytes that nothing has written stay so
		for i := range uint64(min(from.Size, to.Size)) {
			at := uint64(from.Offset) + i
			if w.local.missing(lane, at, 1) == 0 {
				w.local.store(lane, uint64(to.Offset)+i, 1, taint{})
			} else {
				w.local.copyAt(lane, uint64(to.Offset)+i, w.local.copies[uint64(lane)<<48|at])
			}
		}
		return
	}
	var t taint
	switch {
	case from.Size > 0:
		t = c.take(&w.local, e, lane, uint64(from.Offset), min(from.Size, 8))
	case from.Reg >= 0:
		t = w.get(regKey{fromFrame, from.Reg}, lane)
	}
	switch {
	case to.Size > 0:
		w.local.store(lane, uint64(to.Offset), to.Size, t)
	case to.Reg >= 0:
		c.set(w, regKey{toFrame, to.Reg}, lane, t)
	}
}
