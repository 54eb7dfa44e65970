package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/sim/code"
)

// This file has cp.async: copies from global to shared memory, of 4, 8 or 16 bytes a thread.

// copyOp is the ext of a copy: two accesses, of which the second stores what the first loads.
type copyOp struct {
	load, store inst
	size        uint32 // slot of the bytes to read; the rest of the destination becomes zero
}

// asyncCopy binds cp.async.
func (b *binder) asyncCopy(in *code.Inst, to *inst) {
	switch {
	case in.Has("mbarrier"):
		b.arriveBehind(in, to)
	case in.Has("commit_group"):
		to.run, to.observed = commitCopies, watchCommit
	case in.Has("wait_group"), in.Has("wait_all"):
		to.run, to.observed, to.ext = waitCopies, watchWait, in.Has("wait_all")
	default:
		one := func(kind AccessKind, m code.Address) inst {
			part := inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}
			b.access(kind, m, int(in.Imm), 1, &part)
			return part
		}
		op := &copyOp{load: one(Load, in.Mem[1]), store: one(Store, in.Mem[0]), size: in.Args[0].Off}
		to.run, to.observed, to.ext = copyAsync, watchCopy, op
	}
}

func copyAsync(w *warp, in *inst) {
	op := in.ext.(*copyOp)
	from, to := op.load.ext.(*memOp), op.store.ext.(*memOp)
	e := w.issue(in)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		size := min(uint64(reg[uint32](w, op.size)[i]), to.size)
		e.size[i] = uint8(size)
		e.to[i] = w.pointer(&op.store, i, w.address(to, &op.store, i))
		if size > 0 {
			e.from[i] = w.pointerTo(&op.load, i, w.address(from, &op.load, i), size)
		}
	}
	w.send(e)
}

// copy does lanes of a copy.
func (e *effect) copy(lanes uint32) {
	lanes &= e.lanes
	total := e.in.Imm
	for m := lanes; m != 0; m &= m - 1 {
		i := firstLane(m)
		dst := unsafe.Slice((*byte)(e.to[i]), total)
		if n := e.size[i]; n > 0 {
			copy(dst, unsafe.Slice((*byte)(e.from[i]), n))
		}
		clear(dst[e.size[i]:])
	}
	e.lanes &^= lanes
}

func commitCopies(w *warp, _ *inst) {
	for m := w.Exec; m != 0; m &= m - 1 {
		w.agent.group[firstLane(m)]++
	}
}

// waitCopies has all groups of the running lanes done but the last in.Imm of them. wait_all commits
// first.
func waitCopies(w *warp, in *inst) {
	if in.ext.(bool) {
		commitCopies(w, in)
	}
	a := &w.agent
	for _, e := range a.queue {
		if e.arrive {
			continue
		}
		var lanes uint32
		for m := w.Exec & e.lanes; m != 0; m &= m - 1 {
			if i := firstLane(m); e.group[i]+in.Imm < a.group[i] {
				lanes |= 1 << i
			}
		}
		w.show(e, lanes)
	}
	a.sweep()
	w.advance()
}

// watchCopy tells of the two accesses of a copy, and issues it.
func watchCopy(w *warp, in *inst) {
	op := in.ext.(*copyOp)
	if !in.follows {
		w.sendStep(in.site)
	}
	by := &Agent{Number: w.agent.issued + 1}
	w.tellRead(op, by)
	addrs := w.saveAddresses(op.store.ext.(*memOp), &op.store)
	w.tellAccess(&op.store, addrs, w.Exec, w.runStore(&op.store, addrs), by)
	copyAsync(w, in)
}

// tellRead tells of what a copy reads. Lanes that read less than they write, as 3 bytes of 4, have an
// access for each power of two: 2 bytes and 1.
func (w *warp) tellRead(op *copyOp, by *Agent) {
	whole := op.load.ext.(*memOp)
	addrs := w.saveAddresses(whole, &op.load)
	sizes := reg[uint32](w, op.size)
	for size := whole.size; size > 0; size /= 2 {
		var lanes uint32
		for m := w.Exec; m != 0; m &= m - 1 {
			if i := firstLane(m); min(uint64(sizes[i]), whole.size)&size != 0 {
				lanes |= 1 << i
			}
		}
		if lanes == 0 {
			continue
		}
		part, at := *whole, *addrs
		part.size = size
		for m := lanes; m != 0; m &= m - 1 {
			i := firstLane(m)
			at[i] += min(uint64(sizes[i]), whole.size) &^ (2*size - 1)
		}
		in := op.load
		in.ext = &part
		w.tellAccess(&in, &at, lanes, nil, by)
	}
}

func watchCommit(w *warp, in *inst) {
	w.sendStep(in.site)
	commitCopies(w, in)
	w.tellAgent(in, w.Exec, AgentOp{Kind: AgentCommit})
}

func watchWait(w *warp, in *inst) {
	w.sendStep(in.site)
	if in.ext.(bool) {
		w.tellAgent(in, w.Exec, AgentOp{Kind: AgentCommit})
	}
	waitCopies(w, in)
	w.tellAgent(in, w.Exec, AgentOp{Kind: AgentWait, Groups: int(in.Imm)})
}

// tellAgent tells of an operation of lanes on their agent.
func (w *warp) tellAgent(in *inst, lanes uint32, op AgentOp) {
	op.Warp = w.event(in.site, lanes)
	w.wk.obs.Observe(&op)
}
