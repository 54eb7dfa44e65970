package native

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// A warp has strips of 4 lanes.
const (
	neonLanes  = 4
	neonStrips = abi.WarpSize / neonLanes
)

// The vector registers: those that hold registers of PTX, from V0 on, those that collect comparisons,
// and those that hold nothing between instructions.
const (
	neonKeepers     = 24
	collectors  Vec = 24
	tmp         Vec = 28
	tmp2        Vec = 29
	tmp3        Vec = 30
	tmp4        Vec = 31
)

const _ = uint(tmp - collectors - mostCompares) // there is a vector register for each comparison

// neonStrip computes the instructions of a step for 4 lanes. It keeps registers of PTX in vector
// registers: 32 bits in one, 64 bits in two. At the step's end it stores the values that anything
// reads later.
type neonStrip struct {
	*neonBuilder
	step   *step
	number int // of the strip
	now    int // the instruction at hand, in the step
	held   []*neonHeld
	pinned [neonKeepers]bool // vector registers of the instruction at hand
	used   [neonKeepers]bool // vector registers that hold anything
	fresh  *neonHeld         // the result of the instruction at hand
	tests  int               // comparisons so far
}

// neonHeld is a register of PTX, or a constant, in vector registers.
type neonHeld struct {
	off   uint32
	bits  int
	regs  [2]Vec
	dirty bool // not stored
	fixed bool // a constant of the Context, at off
}

// compute makes the code of a step for 4 lanes after 4 lanes.
func (b *neonBuilder) compute(s *step) {
	if n := s.cost(); n > 0 {
		b.AddImm(64, limit, limit, -int64(n))
	}
	for n := range neonStrips {
		t := &neonStrip{neonBuilder: b, step: s, number: n}
		for t.now = range s.insts {
			in := &s.insts[t.now]
			neonOperation(in)(t, in)
			t.settle()
		}
		t.now = len(s.insts)
		for _, h := range t.held {
			if t.due(h) {
				t.storeHeld(h)
			}
		}
	}
	b.finishCompares(s)
}

// settle ends an instruction: its result replaces what its register held before.
func (t *neonStrip) settle() {
	t.pinned = [neonKeepers]bool{}
	if t.fresh != nil {
		for i, h := range t.held {
			if h.off == t.fresh.off && !h.fixed {
				t.held = append(t.held[:i], t.held[i+1:]...)
				break
			}
		}
		t.held = append(t.held, t.fresh)
		t.fresh = nil
	}
	t.used = [neonKeepers]bool{}
	for _, h := range t.held {
		for _, r := range h.list() {
			t.used[r] = true
		}
	}
}

func (h *neonHeld) list() []Vec { return h.regs[:(h.bits+31)/32] }

// due reports whether a value must be in the register file when the step ends.
func (t *neonStrip) due(h *neonHeld) bool { return h.dirty && t.step.due[h.off] }

// place is where a strip's part of a register of PTX is.
func (t *neonStrip) place(off uint32, bits, i int) Mem {
	return fileAt(off + uint32(t.number*neonLanes*bits/8+16*i))
}

// storeHeld stores a value, of the running lanes.
func (t *neonStrip) storeHeld(h *neonHeld) {
	for i, r := range h.list() {
		at := t.place(h.off, h.bits, i)
		if !t.some {
			t.StoreVec(STRQ, r, at)
			continue
		}
		mask := unsafe.Offsetof(Context{}.mask32) + uintptr(t.number*16)
		if h.bits == 64 {
			mask = unsafe.Offsetof(Context{}.mask64) + uintptr(t.number*32+16*i)
		}
		t.LoadVec(LDRQ, tmp, ctxAt(mask))
		t.LoadVec(LDRQ, tmp2, at)
		t.V3(BSL, tmp, r, tmp2)
		t.StoreVec(STRQ, tmp, at)
	}
	h.dirty = false
}

// take finds a free vector register. If there is none it frees the register of the value whose next
// use is last, by way of the registers that hold nothing between instructions.
func (t *neonStrip) take() Vec {
	for r := range Vec(neonKeepers) {
		if !t.used[r] {
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
		t.storeHeld(h)
	}
	t.held = append(t.held[:worst], t.held[worst+1:]...)
	for _, r := range h.list() {
		t.used[r] = false
	}
	return t.take()
}

// nextUse is the number of the instruction that reads a value next.
func (t *neonStrip) nextUse(h *neonHeld) int {
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
func (t *neonStrip) hold(off uint32, bits int, fixed bool) (regs [2]Vec, loaded bool) {
	for _, h := range t.held {
		if h.off == off && h.fixed == fixed {
			for _, r := range h.list() {
				t.pinned[r] = true
			}
			return h.regs, true
		}
	}
	h := &neonHeld{off: off, bits: bits, fixed: fixed}
	for i := range h.list() {
		h.regs[i] = t.take()
	}
	t.held = append(t.held, h)
	return h.regs, false
}

// in64 is an operand of 64 bits, and in32 one of 32.

func (t *neonStrip) in64(s code.Slot) [2]Vec {
	regs, loaded := t.hold(s.Off, s.Bits, false)
	for i := range s.Bits / 32 {
		if !loaded {
			t.LoadVec(LDRQ, regs[i], t.place(s.Off, s.Bits, i))
		}
	}
	return regs
}

func (t *neonStrip) in32(s code.Slot) Vec { return t.in64(s)[0] }

// out64 is a result of 64 bits, and out32 one of 32. It is in other vector registers than the
// operands.

func (t *neonStrip) out64(s code.Slot) [2]Vec {
	t.fresh = &neonHeld{off: s.Off, bits: s.Bits, dirty: true}
	for i := range t.fresh.list() {
		t.fresh.regs[i] = t.take()
	}
	return t.fresh.regs
}

func (t *neonStrip) out32(s code.Slot) Vec { return t.out64(s)[0] }

// word and double are constants of the Context in every lane.

func (t *neonStrip) word(w word) Vec { return t.spreadConstant(32, wordAt(w)) }

func (t *neonStrip) double(d double) Vec { return t.spreadConstant(64, doubleTo(d)) }

func (t *neonStrip) spreadConstant(bits int, m Mem) Vec {
	regs, loaded := t.hold(uint32(m.Disp), 32, true)
	if !loaded {
		t.spreadFrom(bits, regs[0], m)
	}
	return regs[0]
}

// laneBits32 and laneBits64 are the bits that the lanes of a strip have in a predicate.

func (t *neonStrip) laneBits32() Vec {
	return t.table(unsafe.Offsetof(Context{}.bits32) + uintptr(16*t.number))
}

func (t *neonStrip) laneBits64(i int) Vec {
	return t.table(unsafe.Offsetof(Context{}.bits64) + uintptr(32*t.number+16*i))
}

// table is a vector of the Context.
func (t *neonStrip) table(off uintptr) Vec {
	regs, loaded := t.hold(uint32(off), 32, true)
	if !loaded {
		t.LoadVec(LDRQ, regs[0], ctxAt(off))
	}
	return regs[0]
}

// finishCompares writes the predicates of a step's comparisons.
func (b *neonBuilder) finishCompares(s *step) {
	tests := Vec(0)
	for i := range s.insts {
		in := &s.insts[i]
		if in.Op != ptx.OpSetp {
			continue
		}
		b.V2(ADDV4S, tmp, collectors+tests)
		b.Extract(32, 7, tmp, 0)
		tests++
		if neonNegates(in) {
			b.Not(32, 7, 7)
		}
		if len(in.Args) < 3 {
			b.setPredicate(in.Dst[0], 7)
			continue
		}
		b.Load(LDRW, 11, fileAt(in.Args[2].Off))
		b.Not(32, 10, 7)
		op := map[code.Combine]Arith{code.CombineAnd: AND, code.CombineOr: ORR, code.CombineXor: EOR}[in.Combine]
		b.R3(op, 32, 7, 7, 11)
		b.R3(op, 32, 10, 10, 11)
		b.setPredicate(in.Dst[0], 7)
		b.setPredicate(in.Dst[1], 10)
	}
}
