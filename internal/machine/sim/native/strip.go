package native

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// A warp has strips of 8 lanes, except where vectors are wider (builder.lanes).
const (
	stripLanes = 8
	strips     = abi.WarpSize / stripLanes
)

// strip computes the instructions of a step for 8 lanes. It keeps registers of PTX in vector
// registers: 32 bits in one, 64 bits in two. At the step's end it stores the values that anything
// reads later.
type strip struct {
	*builder
	step   *step
	number int32 // of the strip
	now    int   // the instruction at hand, in the step
	held   []*held
	pinned [32]bool // vector registers of the instruction at hand
	used   [32]bool // vector registers that hold anything
	masks  [8]bool  // mask registers that have the running lanes
	fresh  *held    // the result of the instruction at hand
	tests  int      // comparisons so far
	nans
}

// nans is how a strip looks for NaNs. lenient has the results that may have NaNs of any payload. again is
// where the code computes the strip anew, with a look at all results, nil where it does.
type nans struct {
	lenient []bool
	again   *Label
	looks   int  // jumps to again
	spilled bool // it has stored a value before its end
}

// held is a register of PTX, or a constant, in vector registers.
type held struct {
	off   uint32
	bits  int
	regs  [2]Vec
	dirty bool // not stored
	fixed bool // a constant of the Context, at off
}

// The vector registers that hold no register of PTX.
const (
	scratch  Vec = 15
	scratch2 Vec = 14
)

// compute makes the code of a step for 8 lanes after 8 lanes, or for 16.
func (b *builder) compute(s *step) {
	if n := s.cost(); n > 0 {
		b.OpImm(SUB, 64, R13, n)
	}
	lenient := s.lenient()
	for n := range b.steps() {
		b.computeOnce(s, n, lenient)
	}
	b.finishCompares(s)
}

// computeOnce makes the code of a step for a strip.
func (b *builder) computeOnce(s *step, number int32, lenient []bool) {
	again, back := b.Label(), b.Label()
	before := b.mark()
	t := &strip{builder: b, step: s, number: number, nans: nans{lenient: lenient, again: &again}}
	if t.emit(); t.spilled && t.looks > 0 { // too late for another try
		b.reset(before)
		t = &strip{builder: b, step: s, number: number, nans: nans{lenient: lenient}}
		t.emit()
		return
	}
	if t.looks == 0 {
		return
	}
	b.Place(back)
	b.later = append(b.later, func() {
		b.Place(again)
		(&strip{builder: b, step: s, number: number, nans: nans{lenient: lenient}}).emit()
		b.Goto(back)
	})
}

// emit makes the code of the strip.
func (t *strip) emit() {
	for t.now = range t.step.insts {
		in := &t.step.insts[t.now]
		t.to.operation(in)(t, in)
		t.settle(in)
	}
	t.now = len(t.step.insts)
	for _, h := range t.held {
		if t.due(h) {
			t.store(h)
		}
	}
}

// mark is a place in the code to which reset goes back.
type mark struct {
	asm   Mark
	later int
}

func (b *builder) mark() mark { return mark{b.Asm.Mark(), len(b.later)} }

func (b *builder) reset(m mark) {
	b.Asm.Reset(m.asm)
	b.later = b.later[:m.later]
}

// settle ends an instruction: its result replaces what its register held before.
func (t *strip) settle(in *code.Inst) {
	t.pinned = [32]bool{}
	if t.fresh == nil {
		t.freeTemps()
		return
	}
	for i, h := range t.held {
		if h.off == t.fresh.off && !h.fixed {
			t.held = append(t.held[:i], t.held[i+1:]...)
			break
		}
	}
	t.held = append(t.held, t.fresh)
	t.fresh = nil
	t.freeTemps()
}

// freeTemps frees the vector registers that hold no register of PTX.
func (t *strip) freeTemps() {
	t.used = [32]bool{}
	for _, h := range t.held {
		for _, r := range h.list() {
			t.used[r] = true
		}
	}
}

func (h *held) list() []Vec { return h.regs[:(h.bits+31)/32] }

// due reports whether a value must be in the register file when the step ends.
func (t *strip) due(h *held) bool { return h.dirty && t.step.due[h.off] }

// place is where a strip's part of a register of PTX is.
func (t *strip) place(off uint32, bits, i int) Mem {
	return slot(off + uint32(t.number)*uint32(bits*t.lanes()/8) + uint32(t.vecBytes()*int32(i)))
}

// store stores a value, of the running lanes.
func (t *strip) store(h *held) {
	for i, r := range h.list() {
		at := t.place(h.off, h.bits, i)
		if !t.some {
			t.Store(at, r)
			continue
		}
		t.storeSome(at, r, h.bits, i)
	}
	h.dirty = false
}

// take finds a free vector register. If there is none it frees the register of the value whose next
// use is last.
func (t *strip) take() Vec {
	for r := range t.vectors() {
		if r != scratch && r != scratch2 && !t.used[r] {
			t.used[r], t.pinned[r] = true, true
			return r
		}
	}
	worst, far := -1, -1
	for i, h := range t.held {
		if next := t.nextUse(h); !t.pinned[h.regs[0]] && next > far {
			worst, far = i, next
		}
	}
	if worst < 0 {
		panic("BUG: an instruction takes more vector registers than there are")
	}
	h := t.held[worst]
	if h.dirty && (far < math.MaxInt || t.due(h)) {
		t.store(h)
		t.spilled = true
	}
	t.held = append(t.held[:worst], t.held[worst+1:]...)
	for _, r := range h.list() {
		t.used[r] = false
	}
	return t.take()
}

// nextUse is the number of the instruction that reads a value next.
func (t *strip) nextUse(h *held) int {
	if h.fixed {
		return len(t.step.insts)
	}
	for i := t.now; i < len(t.step.insts); i++ {
		in := &t.step.insts[i]
		for _, a := range in.Args {
			if a.Off == h.off {
				return i
			}
		}
		if in.Dst[0].Off == h.off {
			break
		}
	}
	return math.MaxInt
}

// hold finds the vector registers of a register of PTX, or of a constant. It says whether they have
// the value already.
func (t *strip) hold(off uint32, bits int, fixed bool) (regs [2]Vec, loaded bool) {
	for _, h := range t.held {
		if h.off == off && h.fixed == fixed {
			for _, r := range h.list() {
				t.pinned[r] = true
			}
			return h.regs, true
		}
	}
	h := &held{off: off, bits: bits, fixed: fixed}
	for i := range h.list() {
		h.regs[i] = t.take()
	}
	t.held = append(t.held, h)
	return h.regs, false
}

// in64 is an operand of 64 bits, and in32 one of 32.

func (t *strip) in64(s code.Slot) [2]Vec {
	regs, loaded := t.hold(s.Off, s.Bits, false)
	for i := range s.Bits / 32 {
		if !loaded {
			t.V2(VMOVDQU, regs[i], t.place(s.Off, s.Bits, i))
		}
	}
	return regs
}

func (t *strip) in32(s code.Slot) Vec { return t.in64(s)[0] }

// out64 is a result of 64 bits, and out32 one of 32. It is in other vector registers than the
// operands.

func (t *strip) out64(s code.Slot) [2]Vec {
	t.fresh = &held{off: s.Off, bits: s.Bits, dirty: true}
	for i := range t.fresh.list() {
		t.fresh.regs[i] = t.take()
	}
	return t.fresh.regs
}

func (t *strip) out32(s code.Slot) Vec { return t.out64(s)[0] }

// word and double are constants of the Context in every lane.

func (t *strip) word(w word) Vec {
	off := uint32(unsafe.Offsetof(Context{}.words)) + uint32(w)*4
	regs, loaded := t.hold(off, 32, true)
	if !loaded {
		t.V2(VPBROADCASTD, regs[0], context(uintptr(off)))
	}
	return regs[0]
}

func (t *strip) double(d double) Vec {
	off := uint32(unsafe.Offsetof(Context{}.doubles)) + uint32(d)*8
	regs, loaded := t.hold(off, 32, true)
	if !loaded {
		t.V2(VPBROADCASTQ, regs[0], context(uintptr(off)))
	}
	return regs[0]
}

// constant is the value of an operand of 32 bits that is a constant.
func (t *strip) constant(s code.Slot) (value uint64, ok bool) {
	value, ok = t.plan.constants[s.Off]
	return value, ok
}
