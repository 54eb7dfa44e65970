package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/sim/code"
	"github.com/gridstride/gridstride/internal/sim/lanes"
)

// Asynchronous copies are done at once, which the manual allows, so waiting for them is free. An
// mbarrier is a word in shared memory that atomics change; transaction counts, which only bulk
// copies use, are not modelled.

// asyncOp is the ext of a copy: two accesses, of which the second stores what the first loads.
type asyncOp struct {
	load, store inst
	size        uint32 // slot of the bytes to copy; the rest of the destination becomes zero
}

// asyncCopy binds cp.async, and the arrival at an mbarrier that follows copies.
func (b *binder) asyncCopy(in *code.Inst, to *inst) {
	if in.Has("mbarrier") {
		// The copies are done, so it is an arrival, which without .noinc was not counted before.
		arrive := mbarrierOps["arrive"]
		if !in.Has("noinc") {
			arrive = func(old, n, _ uint64) uint64 { return arriveAt(old+n, n) }
		}
		b.mbarrierAccess("arrive", arrive, to)
		return
	}
	one := func(kind AccessKind, m code.Address) inst {
		part := inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}
		b.access(kind, m, int(in.Imm), 1, &part)
		return part
	}
	op := &asyncOp{load: one(Load, in.Mem[1]), store: one(Store, in.Mem[0]), size: in.Args[0].Off}
	to.run, to.observed, to.ext = copyAsync, watchCopy, op
}

func copyAsync(w *warp, in *inst) {
	op := in.ext.(*asyncOp)
	from, to := op.load.ext.(*memOp), op.store.ext.(*memOp)
	for _, lane := range w.lanesInOrder() {
		i := int(lane & 31)
		size := min(uint64(reg[uint32](w, op.size)[i]), to.size)
		dst := unsafe.Slice((*byte)(w.pointer(&op.store, i, w.address(to, &op.store, i))), to.size)
		if size > 0 {
			src := unsafe.Slice((*byte)(w.pointerTo(&op.load, i, w.address(from, &op.load, i), size)), size)
			copy(dst, src)
		}
		clear(dst[size:])
	}
	w.advance()
}

// watchCopy performs a copy and tells of its two accesses.
func watchCopy(w *warp, in *inst) {
	op := in.ext.(*asyncOp)
	if !in.follows {
		w.sendStep(in.site)
	}
	copyAsync(w, in)
	watchAccess(w, &op.load)
	watchAccess(w, &op.store)
}

// The fields of an mbarrier: arrivals pending in this phase, arrivals expected in each, and the
// number of the phase.
const (
	pendingBits = 20
	pendingMask = 1<<pendingBits - 1
	phaseShift  = lanes.PhaseShift
)

// arriveAt is the word of an mbarrier after n arrivals.
func arriveAt(word, n uint64) uint64 {
	word -= n & pendingMask
	if word&pendingMask == 0 {
		word += 1<<phaseShift + word>>pendingBits&pendingMask
	}
	return word
}

var mbarrierOps = map[string]func(old, b, c uint64) uint64{
	"init":   func(_, n, _ uint64) uint64 { return n&pendingMask<<pendingBits | n&pendingMask },
	"inval":  func(_, _, _ uint64) uint64 { return 0 },
	"arrive": func(old, n, _ uint64) uint64 { return arriveAt(old, n) },
	"arrive_drop": func(old, n, _ uint64) uint64 {
		return arriveAt(old-(n&pendingMask)<<pendingBits, n)
	},
	"test_wait": func(old, _, _ uint64) uint64 { return old },
	"try_wait":  func(old, _, _ uint64) uint64 { return old },
}

// mbarrier binds the operations on an mbarrier.
func (b *binder) mbarrier(in *code.Inst, to *inst) {
	name := in.Mod("op")
	b.mbarrierAccess(name, mbarrierOps[name], to)
}

// mbarrierAccess binds an atomic on the word of an mbarrier; a wait acquires, all else releases.
func (b *binder) mbarrierAccess(name string, f func(old, b, c uint64) uint64, to *inst) {
	op := b.access(AtomicRMW, b.in.Mem[0], 8, 1, to)
	op.order, op.scope = Release, CTA
	if name == "test_wait" || name == "try_wait" {
		op.order = Acquire
	}
	op.atom = &atomOp{name: "mbarrier." + name, red: len(b.in.Dst) == 0, Modify: lanes.Modify{Wide: f}}
	to.B = b.in.Args[0].Off
	to.C = to.B
	to.run, to.observed = atom64, watchAtomic
}
