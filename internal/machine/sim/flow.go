package sim

import (
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// exitLanes ends the running group's lanes.
func exitLanes(w *warp, in *inst) {
	w.Exec = w.mask
	w.endAt(in.site, w.mask)
}

// trapLanes makes a fault of the running group, which ends if the launch survives it.
func trapLanes(what string) exec {
	return func(w *warp, in *inst) {
		w.wk.raise(w.fault(in, firstLane(w.mask), event.Trap, what))
		w.endAt(in.site, w.mask)
	}
}

// branchIndexed sends each lane to one of the labels of a table.
func branchIndexed(to []*bblock) exec {
	return func(w *warp, in *inst) { w.branchIndexed(in, to) }
}

func (w *warp) branchIndexed(in *inst, to []*bblock) {
	index := w.uniform(in.A) // lanes with another index follow as another group
	if w.wk.obs != nil {
		w.sendBranch(in.site, w.mask, int(index), true)
	}
	if index >= uint32(len(to)) {
		lane := firstLane(w.mask)
		w.wk.raise(w.fault(in, lane, event.BadTarget, fmt.Sprintf("index %d into a table of %d labels", index, len(to))))
		w.endAt(in.site, w.mask)
		return
	}
	w.at = to[index]
}

// run enters a function.
func (op *callOp) run(w *warp, in *inst) {
	fn := op.fn
	if fn == nil {
		addr := w.uniform64(op.target)
		if fn = w.wk.launch.entry.function(addr); fn == nil || len(fn.params) != len(op.args) ||
			len(fn.results) != len(op.results) {
			w.wk.raise(w.fault(in, firstLane(w.mask), event.BadTarget,
				fmt.Sprintf("call of %#x, which is no function with these parameters", addr)))
			w.at = op.next
			return
		}
	}
	caller, limits := w.fr, &w.wk.m.cfg.Limits
	depth, local := caller.depth+1, int(caller.next(fn)+fn.frame.size)
	if depth > limits.CallDepth || local > limits.LocalBytes {
		w.wk.raise(w.fault(in, firstLane(w.mask), event.StackOverflow,
			fmt.Sprintf("call of %s at depth %d with %d bytes of local memory", fn.name, depth, local)))
		w.endAt(in.site, w.mask)
		return
	}
	f := w.enter(caller, fn, op, w.mask)
	w.transfer(caller, op.args, f, fn.params)
	if w.wk.obs != nil {
		w.sendStepMask(in.site)
		w.wk.obs.Observe(&event.Call{
			Warp: w.event(in.site, w.mask), Callee: fn.name, CalleeFrame: f.id, Local: int(f.stack),
			Copies: copies(caller, op.args, f, fn.params),
		})
	}
	w.fr, w.Base, w.at = f, f.base, fn.blocks[0]
}

// uniform64 is uniform for a 64-bit slot.
func (w *warp) uniform64(slot uint32) uint64 {
	r := reg[uint64](w, slot)
	v := r[firstLane(w.mask)]
	var other uint32
	for m := w.mask; m != 0; m &= m - 1 {
		if i := firstLane(m); r[i] != v {
			other |= 1 << i
		}
	}
	if other != 0 {
		w.split(other, w.at)
	}
	return v
}

// returnLanes goes back to the caller. From a kernel it ends the lanes.
func returnLanes(w *warp, in *inst) {
	f := w.fr
	if f.parent == nil {
		w.Exec = w.mask
		w.missing(in)
		exitLanes(w, in)
		return
	}
	w.transfer(f, f.fn.results, f.parent, f.call.results)
	if w.wk.obs != nil {
		w.sendStepMask(in.site)
		w.wk.obs.Observe(&event.Return{
			Warp: w.event(in.site, w.mask), CallerFrame: f.parent.id,
			Copies: copies(f, f.fn.results, f.parent, f.call.results),
		})
	}
	w.fr, w.Base, w.at = f.parent, f.parent.base, f.call.next
	w.leave(f, w.mask, f.parent)
}

// transfer copies parameters of the running group's lanes from one frame to another.
func (w *warp) transfer(from *frame, src []code.Param, to *frame, dst []code.Param) {
	for k := range src {
		s, d := &src[k], &dst[k]
		for m := w.mask; m != 0; m &= m - 1 {
			lane := firstLane(m)
			switch {
			case s.Reg.Bits != 0 && d.Reg.Bits != 0:
				to.set(d.Reg, lane, from.get(s.Reg, lane))
			case s.Reg.Bits != 0:
				var v [8]byte
				*(*uint64)(unsafe.Pointer(&v)) = from.get(s.Reg, lane)
				copy(w.localBytes(to, lane, d), v[:])
			case d.Reg.Bits != 0:
				var v [8]byte
				copy(v[:], w.localBytes(from, lane, s))
				to.set(d.Reg, lane, *(*uint64)(unsafe.Pointer(&v)))
			default:
				copy(w.localBytes(to, lane, d), w.localBytes(from, lane, s))
			}
		}
	}
}

// localBytes is a lane's memory of a parameter in a frame.
func (w *warp) localBytes(f *frame, lane int, p *code.Param) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(w.local.lane(lane), f.stack+p.Off)), p.Size)
}
