package native

import (
	"slices"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
)

// slots is a set of slots, by the numbers that liveness gives them.
type slots []uint64

func (s slots) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s slots) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s slots) drop(i int)     { s[i>>6] &^= 1 << (i & 63) }
func (s slots) clone() slots   { return slices.Clone(s) }

// join adds what o has, and reports whether that changed anything.
func (s slots) join(o slots) (changed bool) {
	for i, x := range o {
		changed = changed || x&^s[i] != 0
		s[i] |= x
	}
	return changed
}

// liveness says which slots of a function anything reads later: those whose values the code must
// leave in the register file. A slot that an instruction uses which is left to the interpreter always
// counts as read: some read and write registers after their time, as products of wgmma do.
type liveness struct {
	numbers map[uint32]int // by offset
	always  slots
	out     map[*code.Block]slots // what is read behind a block
}

func newLiveness(p *plan) *liveness {
	l := &liveness{numbers: map[uint32]int{}, out: map[*code.Block]slots{}}
	for _, bp := range p.blocks {
		for i := range bp.Insts {
			eachSlot(&bp.Insts[i], l.number)
		}
		if bp.Op != nil {
			eachSlot(bp.Op, l.number)
		}
		l.number(bp.Guard.Pred)
	}
	params(p.fn.Results, l.number)
	params(p.fn.Params, l.number)
	l.always = l.none()
	l.pin(p)
	for _, bp := range p.blocks {
		l.out[bp.Block] = l.always.clone()
	}
	l.flow(p)
	return l
}

func (l *liveness) none() slots { return make(slots, (len(l.numbers)+63)/64) }

func (l *liveness) number(s code.Slot) {
	if _, ok := l.numbers[s.Off]; !ok {
		l.numbers[s.Off] = len(l.numbers)
	}
}

// pin makes the slots live for ever that something else than the code may use.
func (l *liveness) pin(p *plan) {
	pin := func(s code.Slot) { l.always.add(l.numbers[s.Off]) }
	for _, bp := range p.blocks {
		for i := range bp.Insts {
			if !bp.known[i] {
				eachSlot(&bp.Insts[i], pin)
			}
		}
		if bp.Op != nil {
			eachSlot(bp.Op, pin)
		}
	}
	params(p.fn.Results, pin)
	params(p.fn.Params, pin)
}

// flow follows the control flow backwards until nothing changes.
func (l *liveness) flow(p *plan) {
	for changed := true; changed; {
		changed = false
		for i := len(p.blocks) - 1; i >= 0; i-- {
			bp := p.blocks[i]
			for _, next := range bp.Successors() {
				in := l.out[next].clone()
				l.in(in, p.blocks[next.Index])
				changed = l.out[bp.Block].join(in) || changed
			}
		}
	}
}

// in turns what is read behind a block into what is read from its start on.
func (l *liveness) in(now slots, bp *blockPlan) {
	if bp.End == code.EndBranch {
		now.add(l.numbers[bp.Guard.Pred.Off])
	}
	for i := len(bp.Insts) - 1; i >= 0; i-- {
		l.before(now, &bp.Insts[i], bp.known[i])
	}
}

// before turns what is read behind an instruction into what is read from it on.
func (l *liveness) before(now slots, in *code.Inst, known bool) {
	if !known {
		return // its slots are always live
	}
	for _, d := range in.Dst {
		if n := l.numbers[d.Off]; !l.always.has(n) {
			now.drop(n)
		}
	}
	for _, a := range in.Args {
		now.add(l.numbers[a.Off])
	}
	for _, m := range in.Mem {
		now.add(l.numbers[m.Base.Off])
	}
}

// eachSlot calls f with each slot of an instruction. A slot of 128 bits has two halves, which other
// instructions name alone.
func eachSlot(in *code.Inst, f func(code.Slot)) {
	one := func(s code.Slot) {
		f(s)
		if s.Bits == 128 {
			f(s.Half(1))
		}
	}
	for _, list := range [][]code.Slot{in.Dst, in.Args, {in.Mask}} {
		for _, s := range list {
			one(s)
		}
	}
	for _, m := range in.Mem {
		one(m.Base)
	}
	if in.Guard != nil {
		one(in.Guard.Pred)
	}
	if c := in.Call; c != nil {
		one(c.Target)
		params(c.Results, one)
		params(c.Args, one)
	}
}

// params calls f with the registers of parameters.
func params(list []code.Param, f func(code.Slot)) {
	for _, p := range list {
		f(p.Reg)
	}
}
