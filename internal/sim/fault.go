package sim

import (
	"slices"

	"github.com/gridstride/gridstride/internal/ptx"
)

// unwind carries a fault from the instruction that raised it to worker.guarded. It never leaves the
// package.
type unwind struct{ err error }

// nullPage is how far from address 0 an access still counts as one through a null pointer.
const nullPage = 1 << 16

// fault describes what a lane's instruction did, without its kind.
func (w *warp) fault(in *inst, lane int, kind FaultKind, detail string) *Fault {
	c := w.cta
	return &Fault{
		Kind: kind, Kernel: c.Kernel.Name, Site: in.site, Detail: detail,
		Block: c.Index, Thread: c.Thread(w.index*WarpSize + lane), Lane: lane,
	}
}

// badAccess raises the fault of an access that has no memory; s is the segment it came near to, if
// any.
func (w *warp) badAccess(in *inst, lane int, addr uint64, s *segment) {
	op := in.ext.(*memOp)
	f := w.fault(in, lane, OutOfBounds, "")
	f.Access, f.Space, f.Addr, f.Size = op.kind, op.space, addr, int(op.size)
	window := windowOf(addr)
	switch own := op.space == ptx.SharedSpace || op.space == ptx.LocalSpace; {
	case own && addr >= sharedWindow:
		f.Kind, f.Detail = WrongSpace, "this is not an address of "+string(op.space)+" memory but a generic or global one"
	case own, window != "" && (op.space == ptx.GenericSpace || op.space == ptx.ParamSpace):
		f.Near = &Allocation{Addr: s.base, Size: int64(s.size), Name: s.name}
	case window != "":
		f.Kind, f.Detail = WrongSpace, "this is a generic address of "+window+" memory"
	case addr < nullPage:
		f.Kind = NullPointer
	default:
		f.Near = w.wk.m.nearest(addr)
	}
	if near := f.Near; near != nil {
		off := addr - near.Addr
		inside := off < uint64(near.Size) && uint64(near.Size)-off >= op.size
		switch {
		case near.Freed && off < uint64(near.Size):
			f.Kind = UseAfterFree
		case addr%op.size != 0:
			f.Kind = Misaligned
		case inside: // what else can be wrong
			f.Kind = ReadOnly
		}
	}
	w.wk.raise(f)
}

// windowOf names the space that a generic address points to, "" for global memory and nowhere.
func windowOf(addr uint64) string {
	switch addr &^ (windowSize - 1) {
	case sharedWindow:
		return "shared"
	case localWindow:
		return "local"
	case paramWindow:
		return "parameter"
	}
	return ""
}

// raise ends the launch with a fault, or, when the launch keeps going, tells the observer and
// remembers the first.
func (wk *worker) raise(f *Fault) {
	if !wk.keepGoing {
		panic(unwind{f})
	}
	if wk.first == nil {
		wk.first = f
	}
	wk.obs.Observe(f)
}

// lanesInOrder lists the running lanes in the launch's order. The list is valid until the next
// call.
func (w *warp) lanesInOrder() []uint8 {
	wk := w.wk
	list := wk.laneList[:0]
	for m := w.exec; m != 0; m &= m - 1 {
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
