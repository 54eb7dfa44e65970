package native

import (
	"cmp"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
)

// slots is a set of slots, by the numbers that liveness gives them.
type slots []uint64

func (s slots) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s slots) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s slots) drop(i int)     { s[i>>6] &^= 1 << (i & 63) }
func (s slots) clone() slots   { return slices.Clone(s) }

// joinThrough adds the slots that a block reads, and the slots of after that it does not write. It
// reports whether that changed anything.
func (s slots) joinThrough(after, reads, writes slots) (changed bool) {
	for i := range s {
		x := reads[i] | after[i]&^writes[i]
		changed = changed || x&^s[i] != 0
		s[i] |= x
	}
	return changed
}

// liveness says which slots of a function anything reads later: the code must leave their values in
// the register file. A slot that the interpreter uses always counts as read: the products of wgmma,
// among others, read and write registers after their time.
type liveness struct {
	numbers map[uint32]int // by offset
	widest  []int          // bits of a slot, by number
	always  slots
	first   slots                 // the slots that are read before anything writes them
	out     map[*code.Block]slots // the slots that are read after a block
}

// Bounds of the time and the memory that liveness takes: passes over a function's blocks, and words of
// all sets. Beyond them all slots count as read.
const (
	mostPasses = 64
	mostWords  = 1 << 22
)

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
	if len(p.blocks)*len(l.always) > mostWords || !l.flow(p) {
		l.readAll(p)
	}
	reads, writes := l.ofBlock(p.blocks[0])
	l.first = l.always.clone()
	l.first.joinThrough(l.out[p.blocks[0].Block], reads, writes)
	return l
}

func (l *liveness) none() slots { return make(slots, (len(l.numbers)+63)/64) }

// readAll makes all slots count as read.
func (l *liveness) readAll(p *plan) {
	for i := range l.always {
		l.always[i] = ^uint64(0)
	}
	for _, bp := range p.blocks {
		l.out[bp.Block] = l.always // which nothing changes
	}
}

func (l *liveness) number(s code.Slot) {
	n, ok := l.numbers[s.Off]
	if !ok {
		n = len(l.numbers)
		l.numbers[s.Off], l.widest = n, append(l.widest, 0)
	}
	l.widest[n] = max(l.widest[n], s.Bits)
}

// Span is a part of a register file, in bytes.
type Span struct{ Off, Size uint32 }

// fresh lists the registers whose values a call of the function may read before it writes them.
// Constants and special registers are not among them, since no instruction writes them, and neither are
// steady registers, which nothing reads before they are written.
func (p *plan) fresh() (list []Span) {
	special := map[uint32]bool{}
	for _, f := range p.fn.Fills {
		special[f.Off] = true
	}
	for off, n := range p.live.numbers {
		if bits := p.live.widest[n]; bits > 0 && p.live.first.has(n) && !p.fixed[off] && !special[off] && !p.steady[off] {
			list = append(list, Span{off, uint32(max(4, bits*abi.WarpSize/8*min(1, bits/32)))})
		}
	}
	slices.SortFunc(list, func(a, b Span) int { return cmp.Compare(a.Off, b.Off) })
	joined := list[:0]
	for _, s := range list {
		if n := len(joined); n > 0 && joined[n-1].Off+joined[n-1].Size == s.Off {
			joined[n-1].Size += s.Size
			continue
		}
		joined = append(joined, s)
	}
	return joined
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
		if bp.Op != nil && !bp.knowsOp {
			eachSlot(bp.Op, pin)
		}
	}
	params(p.fn.Results, pin)
	params(p.fn.Params, pin)
	for off := range p.steady {
		l.always.add(l.numbers[off])
	}
}

// flow follows the control flow backwards until nothing changes. It reports false when that takes too
// many passes.
func (l *liveness) flow(p *plan) bool {
	reads, writes := make([]slots, len(p.blocks)), make([]slots, len(p.blocks))
	for i, bp := range p.blocks {
		l.out[bp.Block] = l.always.clone()
		reads[i], writes[i] = l.ofBlock(bp)
	}
	for range mostPasses {
		changed := false
		for i := len(p.blocks) - 1; i >= 0; i-- {
			out := l.out[p.blocks[i].Block]
			for _, next := range p.blocks[i].Successors() {
				changed = out.joinThrough(l.out[next], reads[next.Index], writes[next.Index]) || changed
			}
		}
		if !changed {
			return true
		}
	}
	return false
}

// ofBlock lists the slots that a block reads before it writes them, and the slots that it writes.
func (l *liveness) ofBlock(bp *blockPlan) (reads, writes slots) {
	reads, writes = l.none(), l.none()
	if bp.End == code.EndBranch {
		reads.add(l.numbers[bp.Guard.Pred.Off])
	}
	if bp.knowsOp {
		l.before(reads, bp.Op, true)
		for _, d := range bp.Op.Dst {
			writes.add(l.numbers[d.Off])
		}
	}
	for i := len(bp.Insts) - 1; i >= 0; i-- {
		l.before(reads, &bp.Insts[i], bp.known[i])
		if bp.known[i] {
			for _, d := range bp.Insts[i].Dst {
				writes.add(l.numbers[d.Off])
			}
		}
	}
	return reads, writes
}

// before turns the set of slots that are read after an instruction into the set of slots that are read
// from it on.
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
	if in.Mask.Bits != 0 {
		now.add(l.numbers[in.Mask.Off])
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
