package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// This file has cp.async: copies from global to shared memory, of 4, 8 or 16 bytes a thread.

// copyOp is a copy: two accesses. The second stores what the first loads.
type copyOp struct {
	load, store inst
	size        uint32 // slot of the bytes to read; the rest of the destination becomes zero
}

// asyncCopy binds cp.async.
func (b *binder) asyncCopy(in *code.Inst, to *inst) {
	switch {
	case in.Has(code.Bulk):
		b.bulk(in, to)
	case in.Has(code.OnMbarrier):
		b.arriveBehind(in, to)
	case in.Has(code.CommitGroup):
		op := groupOp{engine: event.CopyEngine}
		to.run, to.observed = op.commit, op.watchCommit
	case in.Has(code.WaitGroup), in.Has(code.WaitAll):
		op := groupOp{engine: event.CopyEngine, all: in.Has(code.WaitAll)}
		to.run, to.observed = op.wait, op.watchWait
	default:
		one := func(kind event.AccessKind, m code.Address) inst {
			part := inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}
			b.access(kind, m, int(in.Imm), 1, &part)
			return part
		}
		op := &copyOp{load: one(event.Load, in.Mem[1]), store: one(event.Store, in.Mem[0]), size: in.Args[0].Off}
		to.run, to.observed = op.run, op.watch
	}
}

// threadCopies are copies of total bytes each, one for each lane.
type threadCopies struct {
	total uint64
	to    [abi.WarpSize]unsafe.Pointer
	from  [abi.WarpSize]unsafe.Pointer
	size  [abi.WarpSize]uint8 // bytes that a copy reads
}

// run issues the copies of the running lanes.
func (op *copyOp) run(w *warp, in *inst) {
	from, to := op.load.mem, op.store.mem
	c := &threadCopies{total: in.Imm}
	e := w.issue(in, event.CopyEngine, c)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		size := min(uint64(reg[uint32](w, op.size)[i]), to.size)
		c.size[i] = uint8(size)
		c.to[i] = w.pointer(&op.store, i, w.address(to, &op.store, i))
		if size > 0 {
			c.from[i] = w.pointerTo(&op.load, i, w.address(from, &op.load, i), size)
		}
	}
	w.send(e)
}

func (c *threadCopies) do(_ *warp, _ *effect, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		i := firstLane(m)
		dst := unsafe.Slice((*byte)(c.to[i]), c.total)
		if n := c.size[i]; n > 0 {
			copy(dst, unsafe.Slice((*byte)(c.from[i]), n))
		}
		clear(dst[c.size[i]:])
	}
}

// watch tells of the two accesses of a copy, and issues it.
func (op *copyOp) watch(w *warp, in *inst) {
	if !in.follows {
		w.sendStep(in.site)
	}
	by := &event.Agent{Number: w.agent.issued + 1, Engine: event.CopyEngine}
	w.tellRead(op, by)
	addrs := w.saveAddresses(op.store.mem, &op.store)
	w.tellAccess(&op.store, addrs, w.Exec, w.runStore(&op.store, addrs), by)
	op.run(w, in)
}

// tellRead tells of what a copy reads. Lanes that read less than they write, as 3 bytes of 4, have
// an access for each power of two: 2 bytes and 1.
func (w *warp) tellRead(op *copyOp, by *event.Agent) {
	whole := op.load.mem
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
		in.mem = &part
		w.tellAccess(&in, &at, lanes, nil, by)
	}
}
