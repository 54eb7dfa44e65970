package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Asynchronous copies are done at once, which the manual allows, so waiting for them is free. An
// mbarrier is a word in shared memory that atomics change; transaction counts, which only bulk
// copies use, are not modelled.

// cpAsync decodes cp.async.
func (d *decoder) cpAsync() {
	switch {
	case d.d.Has("mbarrier"):
		d.asyncArrive()
	case d.d.Has("ca"), d.d.Has("cg"):
		d.asyncCopy()
	}
}

// asyncOp is the ext of a copy: two accesses, of which the second stores what the first loads.
type asyncOp struct {
	load, store inst
	size        uint32 // slot of the bytes to copy; the rest of the destination becomes zero
}

func (d *decoder) asyncCopy() {
	size := d.in.Args[2].(ptx.Int).Bits
	one := func(kind AccessKind, space ptx.Space, addr ptx.Operand) inst {
		op := &memOp{kind: kind, space: space, size: size, order: Weak}
		in := inst{ext: op, site: d.site, follows: true, run: func(*warp, *inst) {}}
		d.addressOf(&in, op, addr)
		return in
	}
	op := &asyncOp{load: one(Load, ptx.GlobalSpace, d.in.Args[1]), store: one(Store, ptx.SharedSpace, d.in.Args[0])}
	op.size = d.constant(ptx.U32, size).off
	if len(d.in.Args) > 3 && d.d.Operands[3].Type == ptx.U32 {
		op.size = d.source(d.in.Args[3], ptx.U32).off
	}
	d.emit(inst{run: copyAsync, observed: watchCopy, ext: op})
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
	phaseShift  = 2 * pendingBits
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
}

// mbarrier decodes the operations on an mbarrier.
func (d *decoder) mbarrier() {
	name := d.d.Mod("op")
	if name == "test_wait" || name == "try_wait" {
		d.testWait()
		return
	}
	if d.d.Has("expect_tx") {
		d.failf("the simulator does not know transaction counts")
	}
	f := mbarrierOps[name]
	i := 0
	if name == "arrive" || name == "arrive_drop" {
		i = 1
	}
	in := d.mbarrierAccess(name, d.in.Args[i], f, Release)
	op := in.ext.(*memOp)
	in.b = d.constant(ptx.U64, 1).off
	if len(d.in.Args) > i+1 {
		in.b = d.narrowed(d.source(d.in.Args[i+1], ptx.U32), ptx.U64).off
	}
	op.atom.red = true
	if i == 1 && d.in.Args[0] != ptx.Operand(ptx.Name("_")) {
		op.atom.red = false
		in.d = d.dest(d.in.Args[0], ptx.B64).off
	}
	in.run, in.observed = atom64, watchAtomic
	d.emit(in)
}

// asyncArrive is cp.async.mbarrier.arrive: the copies are done, so it is an arrival, which without
// .noinc was not counted before.
func (d *decoder) asyncArrive() {
	f := mbarrierOps["arrive"]
	if !d.d.Has("noinc") {
		f = func(old, n, _ uint64) uint64 { return arriveAt(old+n, n) }
	}
	in := d.mbarrierAccess("arrive", d.in.Args[0], f, Release)
	in.ext.(*memOp).atom.red = true
	in.b = d.constant(ptx.U64, 1).off
	in.run, in.observed = atom64, watchAtomic
	d.emit(in)
}

func (d *decoder) mbarrierAccess(name string, addr ptx.Operand, f func(old, b, c uint64) uint64, order MemOrder) inst {
	op := &memOp{kind: AtomicRMW, space: d.d.Space, size: 8, elem: 8, order: order, scope: CTA}
	op.atom = &atomOp{name: "mbarrier." + name, f64: f}
	in := inst{ext: op}
	d.addressOf(&in, op, addr)
	in.c = d.constant(ptx.U64, 0).off
	in.b = in.c
	return in
}

// testWait decodes test_wait and try_wait: whether the phase of a token, or of a parity, is over.
func (d *decoder) testWait() {
	keep := func(old, _, _ uint64) uint64 { return old }
	in := d.mbarrierAccess(d.d.Mod("op"), d.in.Args[1], keep, Acquire)
	token := d.fn.file.alloc(64)
	in.d, in.run, in.observed = token.off, atom64, watchAtomic
	d.emit(in)
	p := d.dest(d.in.Args[0], ptx.Pred)
	test := inst{d: p.off, a: token.off}
	if d.d.Has("parity") {
		test.b = d.source(d.in.Args[2], ptx.U32).off
		test.run = phaseTest(func(now uint64, b uint32) bool { return now>>phaseShift&1 != uint64(b&1) })
	} else {
		test.b = d.source(d.in.Args[2], ptx.B64).off
		test.run = phaseTest(func(now, b uint64) bool { return now>>phaseShift != b>>phaseShift })
	}
	d.emit(test)
}

func phaseTest[B word](over func(now uint64, b B) bool) exec {
	return func(w *warp, in *inst) {
		a, b := reg[uint64](w, in.a), reg[B](w, in.b)
		var m uint32
		for i := range a {
			m |= bit(over(a[i], b[i])) << i
		}
		w.setPredicate(in.d, m)
	}
}
