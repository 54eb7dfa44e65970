package sim

import (
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// unwind carries a fault from the instruction that raised it to worker.guarded. It never leaves the
// package.
type unwind struct{ err error }

// nullPage is how far from address 0 an access still counts as one through a null pointer.
const nullPage = 1 << 16

// fault describes what a lane's instruction did, without its kind.
func (w *warp) fault(in *inst, lane int, kind event.FaultKind, detail string) *event.Fault {
	c := w.cta
	return &event.Fault{
		Kind: kind, Kernel: c.Kernel.Name, Site: in.site, Detail: detail,
		Block: c.Index, Thread: c.Thread(w.index*abi.WarpSize + lane), Lane: lane,
	}
}

// badAccess raises the fault of an access that has no memory. s is the segment it came near to, if
// any.
func (w *warp) badAccess(in *inst, lane int, addr uint64, s *memory.Segment) {
	op := in.mem
	f := w.fault(in, lane, event.OutOfBounds, "")
	f.Access, f.Space, f.Addr, f.Size = op.kind, op.space, addr, int(op.size)
	window := memory.WindowOf(addr)
	peers := op.space == ptx.SharedSpace && op.cluster || window == ptx.SharedSpace && op.space == ptx.GenericSpace
	switch own := op.space == ptx.SharedSpace || op.space == ptx.LocalSpace; {
	case s == nil && peers:
		f.Kind, f.Detail = event.NoPeer, w.cta.noPeer(addr)
	case s == nil && op.space == ptx.SharedSpace:
		f.Kind, f.Detail = event.WrongSpace, "this is an address in the shared memory of another block of the cluster"
	case own && addr >= memory.SharedWindow:
		f.Kind, f.Detail = event.WrongSpace,
			"this is not an address of "+string(op.space)+" memory but a generic or global one"
	case own, window != ptx.GenericSpace && (op.space == ptx.GenericSpace || op.space == ptx.ParamSpace):
		f.Near = &memory.Allocation{Addr: s.Base, Size: int64(s.Size), Name: s.Name}
	case window != ptx.GenericSpace:
		f.Kind, f.Detail = event.WrongSpace, "this is a generic address of "+windowNames[window]+" memory"
	case addr < nullPage:
		f.Kind = event.NullPointer
	default:
		f.Near = w.wk.m.Nearest(addr)
	}
	if near := f.Near; near != nil {
		off := addr - near.Addr
		inside := off < uint64(near.Size) && uint64(near.Size)-off >= op.size
		switch {
		case near.Freed && off < uint64(near.Size):
			f.Kind = event.UseAfterFree
		case addr%max(op.size, op.align) != 0:
			f.Kind = event.Misaligned
		case inside: // what else can be wrong
			f.Kind = event.ReadOnly
		}
	}
	w.wk.raise(f)
}

// windowNames are the names of the state spaces that have windows.
var windowNames = map[ptx.Space]string{
	ptx.SharedSpace: "shared", ptx.LocalSpace: "local", ptx.ParamSpace: "parameter",
}

// raise ends the launch with a fault, or, when the launch keeps going, tells the observer and
// remembers the first, until there are too many.
func (wk *worker) raise(f *event.Fault) {
	if !wk.keepGoing {
		panic(unwind{f})
	}
	if wk.first == nil {
		wk.first = f
	}
	wk.obs.Observe(f)
	if wk.faults++; wk.faults == wk.launch.MaxFaults {
		panic(unwind{event.ErrTooManyFaults})
	}
}

// lanesInOrder lists the running lanes in the launch's order. The list is valid until the next
// call.
func (w *warp) lanesInOrder() []uint8 {
	wk := w.wk
	list := wk.laneList[:0]
	for m := w.Exec; m != 0; m &= m - 1 {
		list = append(list, uint8(firstLane(m)))
	}
	switch wk.order {
	case Descending:
		slices.Reverse(list)
	case Random:
		wk.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list
}
