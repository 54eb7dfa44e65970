package timeline

import (
	"context"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Place is bytes of memory: of global memory at an address, of a block's shared memory or a thread's
// local memory at an offset from its start.
type Place struct {
	Space  ptx.Space
	Block  int // of shared and local memory, the block's linear index
	Thread int // of local memory, the thread's linear index in the block
	Addr   uint64
	Size   uint64
}

// Access is an access of a lane to a place.
type Access struct {
	At    Time // before its instruction
	Kind  event.AccessKind
	Op    string // of an atomic: "add", …
	Block [3]int
	Index int // the block's linear index
	Warp  int
	Lane  int
	// Thread is the thread's index in its block.
	Thread [3]int
	Site   *event.Site
	Space  ptx.Space
	Addr   uint64 // as in a Place
	// Before and Bytes are the memory before and after. They are equal for a read.
	Before, Bytes []byte
	// Agent says that the thread has asked an agent for it, as a copy, which does it later. Bytes are
	// the memory at the time of the request.
	Agent bool
}

// Accesses is a watch that stops At or After each access to a place of one of the kinds, any if there is
// none, and stores the access in *to. If several lanes access the place, the last one counts.
func Accesses(p Place, hit Hit, to *Access, kinds ...event.AccessKind) Watch {
	return func(at Time, e event.Event) Hit {
		h := Miss
		note := func(a Access, ok bool) {
			if ok && (len(kinds) == 0 || slices.Contains(kinds, a.Kind)) {
				a.At = at
				*to, h = a, hit
			}
		}
		switch e := e.(type) {
		case *event.Access:
			p.access(e, note)
		case *event.Atomic:
			p.atomic(e, note)
		}
		return h
	}
}

// access calls note for lanes of an access to the place.
func (p *Place) access(e *event.Access, note func(Access, bool)) {
	if !p.in(&e.Warp, e.Space, e.Home) {
		return
	}
	for _, lane := range lanesOf(e.Lanes) {
		if e.Mask>>lane&1 == 0 || !p.meets(&e.Warp, int(lane), e.Addrs[lane], uint64(e.Size)) {
			continue
		}
		a := accessOf(&e.Warp, int(lane), e.Addrs[lane])
		a.Space = e.Space
		a.Kind, a.Agent, a.Bytes = e.Kind, e.Agent != nil, slices.Clone(e.Bytes(int(lane)))
		a.Before = a.Bytes
		if e.Kind == event.Store {
			a.Before = slices.Clone(e.Data.Before(int(lane)))
		}
		note(a, true)
	}
}

// atomic calls note for lanes of an atomic to the place.
func (p *Place) atomic(e *event.Atomic, note func(Access, bool)) {
	if !p.in(&e.Warp, e.Space, e.Home) {
		return
	}
	for _, lane := range e.Lanes {
		if !p.meets(&e.Warp, int(lane), e.Addrs[lane&31], uint64(e.Size)) {
			continue
		}
		a := accessOf(&e.Warp, int(lane), e.Addrs[lane&31])
		a.Space = e.Space
		a.Kind, a.Op, a.Agent, a.Before, a.Bytes = event.AtomicRMW, e.Op, e.Agent != nil, e.Found(int(lane)), e.Left(int(lane))
		note(a, e.Wrote>>lane&1 != 0)
	}
}

func accessOf(w *event.Warp, lane int, addr uint64) Access {
	return Access{
		Block: w.Block.Index, Index: w.Block.Linear, Warp: w.Index, Lane: lane, Thread: w.Block.Thread(w.Thread(lane)),
		Site: w.Site, Addr: addr,
	}
}

// in reports whether an access to a space, of shared memory of a block, can meet the place.
func (p *Place) in(w *event.Warp, space ptx.Space, home *event.Block) bool {
	switch {
	case space == ptx.ConstSpace:
		space = ptx.GlobalSpace
	case space == ptx.SharedSpace && home != nil:
		return p.Space == space && p.Block == home.Linear
	case space == ptx.LocalSpace:
		return p.Space == space && p.Block == w.Block.Linear
	}
	return p.Space == space
}

// meets reports whether bytes that a lane accesses are some of the place's.
func (p *Place) meets(w *event.Warp, lane int, addr, size uint64) bool {
	if p.Space == ptx.LocalSpace && w.Thread(lane) != p.Thread {
		return false
	}
	return addr < p.Addr+p.Size && p.Addr < addr+size
}

var inOrder = func() (list []uint8) {
	for i := range uint8(abi.WarpSize) {
		list = append(list, i)
	}
	return list
}()

// lanesOf are the lanes in the order in which they went.
func lanesOf(order []uint8) []uint8 {
	if order == nil {
		return inOrder
	}
	return order
}

// Writes are the kinds of access that write.
var Writes = []event.AccessKind{event.Store, event.AtomicRMW}

// LastAccess returns the last access to a place before now, of one of the kinds, any if there is none:
// with Writes, who wrote this. ok is false if the launch has made none. The timeline does not move.
func (t *Timeline) LastAccess(ctx context.Context, p Place, kinds ...event.AccessKind) (a Access, ok bool, err error) {
	_, ok, err = t.Last(ctx, Accesses(p, At, &a, kinds...))
	return a, ok, err
}
