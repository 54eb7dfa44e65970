package sim

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// This file has cp.async.bulk: copies that one thread issues for many bytes, between the shared
// memory of a block of the cluster and other memory. They go 16 bytes by 16 bytes of shared memory.
// A copy to shared memory completes at an mbarrier there, by its bytes, and one from shared memory
// in a group of its thread. A multicast is a copy for each block that it goes to.

// bulkUnit is how many bytes of shared memory a bulk copy moves at once.
const bulkUnit = 16

// line is a part of 16 bytes of shared memory with the bytes at the other end. Bytes of it from lo
// up to hi are copied; the others, outside of a tensor, become zero.
type line struct {
	shared uint64 // the shared address of the 16 bytes, as in the block itself
	other  uint64 // the address of byte lo at the other end
	lo, hi int
}

// bulkOp is a bulk copy.
type bulkOp struct {
	shared inst // an access to a line in shared memory
	other  inst // one to memory at the other end
	signal inst // of a copy to shared memory: one to the mbarrier
	load   bool // the copy is to shared memory
	args   []code.Slot
	reduce code.Function // of a reduction; "" of a copy
	// blocks is for a multicast the slot of the cluster's blocks that it goes to, a bit each.
	blocks *code.Slot
}

func bulkOpOf(in *code.Inst) bulkOp {
	op := bulkOp{load: in.Has(code.CompletesTx), args: in.Args}
	if in.Has(code.Reduces) {
		op.reduce = in.Fn
	}
	if in.Has(code.Multicast) {
		op.blocks = &in.Args[len(in.Args)-1]
	}
	return op
}

// bulk binds cp.async.bulk.
func (b *binder) bulk(in *code.Inst, to *inst) {
	switch {
	case in.Has(code.CommitGroup):
		op := groupOp{engine: event.BulkEngine}
		to.run, to.observed = op.commit, op.watchCommit
	case in.Has(code.WaitGroup):
		op := groupOp{engine: event.BulkEngine, reads: in.Has(code.Reads)}
		to.run, to.observed = op.wait, op.watchWait
	case !in.Has(code.Tensor):
		to.run = b.plainCopy(in)
		to.observed = stepped(to.run)
	case in.Has(code.Prefetch):
		to.run = b.tensorPrefetch(in)
		to.observed = stepped(to.run)
	default:
		to.run = b.tensorCopy(in)
		to.observed = stepped(to.run)
	}
}

// eachLane does something for each running lane, in the launch's order.
func eachLane(do func(w *warp, in *inst, lane int)) exec {
	return func(w *warp, in *inst) {
		for _, lane := range slices.Clone(w.lanesInOrder()) {
			do(w, in, int(lane&31))
		}
	}
}

// plainCopy binds a copy of bytes that follow each other. The first of args is how many.
func (b *binder) plainCopy(in *code.Inst) exec {
	op := bulkOpOf(in)
	if in.Has(code.Prefetch) {
		return func(*warp, *inst) {}
	}
	to, from := in.Mem[0], in.Mem[1]
	if op.load {
		op.shared, op.other = b.part(event.Store, to, bulkUnit), b.part(event.Load, from, bulkUnit)
		op.signal = b.part(event.AtomicRMW, in.Mem[2], 8)
	} else {
		op.shared, op.other = b.part(event.Load, from, bulkUnit), b.part(event.Store, to, bulkUnit)
	}
	var reduce reducer
	if op.reduce != "" {
		reduce = reducerOf(op.reduce, in.Type, !op.load)
		if op.load {
			reduces(&op.shared)
		} else {
			reduces(&op.other)
		}
	}
	return eachLane(func(w *warp, in *inst, lane int) { w.copyPlain(in, &op, lane, reduce) })
}

// copyPlain starts the copy of a lane, or its reduction.
func (w *warp) copyPlain(in *inst, op *bulkOp, lane int, reduce reducer) {
	n := uint64(reg[uint32](w, op.args[0].Off)[lane])
	if n == 0 || n%bulkUnit != 0 {
		w.wk.raise(w.fault(in, lane, event.Misaligned, fmt.Sprintf("a copy in bulk has a multiple of %d bytes, and this one %d", bulkUnit, n)))
		return
	}
	var addrs [2]uint64
	var first unsafe.Pointer // at the other end
	for i, end := range []*inst{&op.shared, &op.other} {
		access := end.mem
		addrs[i] = w.address(access, end, lane)
		first = w.pointer(end, lane, addrs[i])
		last := w.pointer(end, lane, addrs[i]+n-bulkUnit)
		if uintptr(last)-uintptr(first) != uintptr(n-bulkUnit) {
			return // a fault
		}
	}
	memory := unsafe.Slice((*byte)(first), n)
	w.startBulk(in, op, &bulkCopy{
		lane: lane, load: op.load, block: w.reach(op.shared.mem, addrs[0]), bytes: n,
		lines: plainLines(addrs[0], addrs[1], n), reduce: reduce,
		other: func(addr uint64, k int) []byte { return memory[addr-addrs[1]:][:k] },
	})
}

// plainLines are the lines of a copy of bytes that follow each other.
func plainLines(shared, other, n uint64) iter.Seq[line] {
	shared = memory.OwnAddress(shared)
	return func(yield func(line) bool) {
		for at := uint64(0); at < n; at += bulkUnit {
			if !yield(line{shared: shared + at, other: other + at, hi: bulkUnit}) {
				return
			}
		}
	}
}

// stepped tells of an instruction that tells of the rest by itself.
func stepped(run exec) exec {
	return func(w *warp, in *inst) {
		if !in.follows {
			w.sendStep(in.site)
		}
		run(w, in)
	}
}

// part binds one of the accesses of a bulk copy.
func (b *binder) part(kind event.AccessKind, at code.Address, size int) inst {
	part := inst{site: b.in.Site, follows: true, run: func(*warp, *inst) {}}
	b.access(kind, at, size, 1, &part)
	return part
}

// bulkCopy is a copy that an agent is to do for one lane.
type bulkCopy struct {
	lane  int
	load  bool
	lines iter.Seq[line]
	block *cta // the block whose shared memory has the lines
	other func(addr uint64, n int) []byte
	bytes uint64 // that the mbarrier is told of
	// held is what a copy from shared memory has read, nil before it has.
	held []byte
	// reduce combines what is at the destination with what is copied. It is nil for a copy.
	reduce reducer
	box    *abi.TensorMap // whose box it copies; nil for bytes that follow each other
}

// startBulk starts a copy, or the copies of a multicast.
func (w *warp) startBulk(in *inst, op *bulkOp, c *bulkCopy) {
	if !op.load {
		w.issueBulk(in, op, c, 0)
		return
	}
	barrier := op.signal.mem
	signal := w.address(barrier, &op.signal, c.lane)
	if p := w.pointer(&op.signal, c.lane, signal); p == unsafe.Pointer(&w.wk.waste) {
		return // a fault
	}
	switch {
	case op.blocks != nil:
		w.multicast(in, op, c, sharedOffset(signal))
	case w.reach(barrier, signal) != c.block:
		w.wk.raise(w.fault(in, c.lane, event.BadBarrier, "the mbarrier is in another block's shared memory than the destination"))
	default:
		w.issueBulk(in, op, c, sharedOffset(signal))
	}
}

// multicast issues a copy to each block of the cluster that the last operand names, at the same
// place in the shared memory of each.
func (w *warp) multicast(in *inst, op *bulkOp, c *bulkCopy, signal uint64) {
	for mask := reg[uint32](w, op.blocks.Off)[c.lane] & 0xffff; mask != 0; mask &= mask - 1 {
		rank := firstLane(mask)
		var to *cta
		if rank < len(w.cta.cluster.ctas) {
			to = w.cta.cluster.ctas[rank]
		}
		if to == nil {
			w.wk.raise(w.fault(in, c.lane, event.NoPeer, w.cta.noPeer(memory.PeerAddress(memory.SharedBase, rank))))
			continue
		}
		one := *c
		one.block = to
		w.issueBulk(in, op, &one, signal)
	}
}

// issueBulk hands a copy to the agent of its lane's warp. A copy to shared memory completes at an
// mbarrier in the same block's shared memory, at the address signal.
func (w *warp) issueBulk(in *inst, op *bulkOp, c *bulkCopy, signal uint64) {
	by := event.Agent{Number: w.agent.issued + 1, Engine: event.BulkEngine, AtMbarrier: c.load}
	if c.load && c.box != nil {
		by.Box, by.Swizzle = true, c.box.Swizzle
	}
	if w.wk.obs != nil {
		w.tellBulk(op, c, by)
	}
	all := w.Exec
	w.Exec = 1 << c.lane
	e := w.issue(in, event.BulkEngine, c)
	if c.load {
		e.home = c.block
		e.completesAt(c.lane, (*lanes.Mbarrier)(unsafe.Pointer(&c.block.Memory[signal])), signal)
	}
	w.send(e)
	w.Exec = all
}

// do implements work.
func (c *bulkCopy) do(w *warp, e *effect, mask uint32) {
	if !c.load {
		c.read()
		at := 0
		for l := range c.lines {
			switch from := c.held[at+l.lo : at+l.hi]; {
			case len(from) == 0:
			case c.reduce != nil:
				c.reduce(c.other(l.other, len(from)), from)
			default:
				copy(c.other(l.other, len(from)), from)
			}
			at += bulkUnit
		}
		return
	}
	for l := range c.lines {
		to := c.block.line(l.shared)
		if c.reduce != nil {
			c.reduce(to, c.other(l.other, bulkUnit))
			continue
		}
		clear(to)
		if l.hi > l.lo {
			copy(to[l.lo:l.hi], c.other(l.other, l.hi-l.lo))
		}
	}
	w.signal(e, mask, "mbarrier.complete_tx", func(b lanes.Mbarrier, _ int) lanes.Mbarrier { return b.Complete(c.bytes) })
}

// read implements lasting.
func (c *bulkCopy) read() {
	if c.held != nil {
		return
	}
	for l := range c.lines {
		c.held = append(c.held, c.block.line(l.shared)...)
	}
}

// note implements changing.
func (c *bulkCopy) note() func() {
	held := c.held
	return func() { c.held = held }
}

// outlives implements lasting.
func (c *bulkCopy) outlives(b *cta) bool { return c.held != nil || c.load && c.block != b }

// lostWith implements lasting.
func (c *bulkCopy) lostWith(left *cta) (lane int, lost bool) {
	return c.lane, c.load && c.block == left
}

// line are the 16 bytes at an address of the block's shared memory.
func (c *cta) line(shared uint64) []byte {
	at := shared - memory.SharedBase
	return c.Memory[at : at+bulkUnit]
}

// tellBulk tells of the accesses of a copy, line by line: what it reads, and what it writes.
func (w *warp) tellBulk(op *bulkOp, c *bulkCopy, by event.Agent) {
	for l := range c.lines {
		if c.load {
			w.tellOther(op, c, l, by)
			w.tellLine(op, c, l, by)
		} else {
			w.tellLine(op, c, l, by)
			w.tellOther(op, c, l, by)
		}
	}
}

func (w *warp) tellLine(op *bulkOp, c *bulkCopy, l line, by event.Agent) {
	addr := l.shared
	if c.block != w.cta {
		addr = memory.PeerAddress(addr, c.block.Rank())
	}
	w.tellPart(&op.shared, bulkUnit, c.lane, addr, &by)
}

// tellOther tells of an access at the other end, of accesses of a power of two each.
func (w *warp) tellOther(op *bulkOp, c *bulkCopy, l line, by event.Agent) {
	for at := l.lo; at < l.hi; {
		addr := l.other + uint64(at-l.lo)
		size := min(bulkUnit, 1<<bits.TrailingZeros64(addr|bulkUnit), 1<<(bits.Len(uint(l.hi-at))-1))
		by.Part = at
		w.tellPart(&op.other, size, c.lane, addr, &by)
		at += size
	}
}

// tellPart tells of an access of an agent for a lane.
func (w *warp) tellPart(of *inst, size, lane int, addr uint64, by *event.Agent) {
	in, op := *of, *of.mem
	op.size, in.mem = uint64(size), &op
	addrs := &w.wk.events.addrs
	addrs[lane&31] = addr
	if op.kind == event.Store {
		copyBytes(&w.wk.events.before[lane&31], w.peek(&in, lane, addr), op.size)
	}
	w.tellAccess(&in, addrs, 1<<lane, nil, by)
}
