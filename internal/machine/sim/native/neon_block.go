package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
)

// block makes the code of a block: its steps, and exits between them.
func (b *neonBuilder) block(bp *blockPlan) {
	entries := make([]Label, len(bp.Insts))
	for i := range entries {
		entries[i] = -1
	}
	if head, ok := b.heads[b.variant()][bp.Block]; ok {
		b.Place(head)
		b.forgetShapes(bp)
		if len(entries) == 0 && (bp.knowsOp || bp.switches || bp.End != code.EndOp) {
			entries = []Label{head}
		}
	}
	b.entries[b.variant()][bp.Block] = entries
	for n := range bp.steps {
		s := &bp.steps[n]
		if s.from == 0 || !bp.known[s.from-1] || len(bp.Insts[s.from-1].Mem) > 0 {
			entries[s.from] = b.entry(bp)
		}
		b.step(bp, s)
		if end := s.from + len(s.insts); end < len(bp.Insts) && !bp.known[end] {
			b.Goto(b.exit(bp.Block, end))
		}
	}
	if n := len(bp.Insts); n == 0 || bp.known[n-1] {
		b.end(bp)
	}
	b.makeLater()
}

// step makes the code of a step.
func (b *neonBuilder) step(bp *blockPlan, s *step) {
	switch s.kind {
	case compute:
		b.compute(s)
	case logic:
		b.logic(&s.insts[0])
	case fencing:
		b.Barrier()
	case lanewise:
		b.eachLanewise(&s.insts[0])
	case access:
		b.access(&s.insts[0], s.shape, b.exit(bp.Block, s.from))
	}
}

// makeLater makes the code that seldom runs, at the end of a block.
func (b *neonBuilder) makeLater() {
	for _, f := range b.later {
		f()
	}
	b.later = b.later[:0]
}

// entry is the label of an entry at this place, which may be in the middle of a block.
func (b *neonBuilder) entry(bp *blockPlan) Label {
	at, on := b.Label(), b.Label()
	if b.some || bp.shapes == 0 {
		b.Place(at)
		return at
	}
	b.Place(on)
	b.later = append(b.later, func() {
		b.Place(at)
		b.forgetShapes(bp)
		b.Goto(on)
	})
	return at
}

// end makes the end of a block. It exits if the machine has to do the end.
func (b *neonBuilder) end(bp *blockPlan) {
	due := b.exit(bp.Block, len(bp.Insts))
	if bp.End == code.EndOp && (b.some || !bp.knowsOp && !bp.switches) {
		b.Goto(due)
		return
	}
	b.AddImm(64, passed, ran, int64(bp.N))
	b.Compare(64, passed, limit)
	b.Jump(GE, due)
	switch bp.End {
	case code.EndOp:
		if bp.switches {
			b.change(bp, due)
			return
		}
		b.together(bp.Op, due)
		b.AddImm(64, passed, ran, int64(bp.N))
		b.goOn(bp, bp.Next, due)
	case code.EndFall:
		b.goOn(bp, bp.Next, due)
	case code.EndJump:
		b.goOn(bp, bp.Target, due)
	case code.EndBranch:
		b.branch(bp, due)
	}
}

// branch makes a branch: by none of the running lanes, by all, or by some.
func (b *neonBuilder) branch(bp *blockPlan, due Label) {
	next, parts := b.Label(), b.Label()
	b.Load(LDRW, 7, fileAt(bp.Guard.Pred.Off))
	b.Load(LDRW, 8, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	if bp.Guard.Not {
		b.Not(32, 7, 7)
	}
	b.R3(AND, 32, 7, 7, 8)
	b.JumpZero(32, 7, next)
	b.Compare(32, 7, 8)
	b.Jump(NE, parts)
	b.goOn(bp, bp.Target, due)
	b.Place(next)
	b.goOn(bp, bp.Next, due)
	b.Place(parts)
	b.part(bp)
}

// goOn goes on at a block, unless other lanes come first.
func (b *neonBuilder) goOn(bp *blockPlan, to *code.Block, due Label) {
	b.CompareImm(32, order, int64(placeOf(to)))
	if b.some {
		late := b.Label()
		b.Jump(LE, late)
		b.later = append(b.later, func() {
			b.Place(late)
			b.join(bp.Block, to)
		})
	} else {
		b.Jump(LE, due)
	}
	b.Move(64, ran, passed)
	if head, ok := b.heads[b.variant()][to]; ok {
		b.Goto(head)
		return
	}
	b.Goto(b.exit(to, 0))
}

// exit is the label at which the code exits before an instruction of a block.
func (b *neonBuilder) exit(blk *code.Block, inst int) Label {
	key := Exit{blk, inst}
	l, ok := b.exitAt[key]
	if !ok {
		l = b.Label()
		b.exitAt[key] = l
		b.numbers[key] = len(b.exits)
		b.exits = append(b.exits, key)
	}
	return l
}

// exitNumber is the number of an exit.
func (b *neonBuilder) exitNumber(blk *code.Block, inst int) int {
	b.exit(blk, inst)
	return b.numbers[Exit{blk, inst}]
}

func (b *neonBuilder) makeExits() {
	for i, e := range b.exits {
		b.Place(b.exitAt[e])
		b.Set(7, uint64(i))
		b.Goto(b.leave)
	}
	b.Place(b.leave) // X7 has the number of the exit
	b.Store(STRW, 7, ctxAt(unsafe.Offsetof(Context{}.exit)))
	b.Store(STRX, ran, ctxAt(unsafe.Offsetof(Context{}.ran)))
	b.Return(home)
}

// forgetShapes begins an entry in the middle of a block.
func (b *neonBuilder) forgetShapes(bp *blockPlan) {
	if b.some {
		return
	}
	for n := range bp.shapes {
		b.saveImm(shapeTo(n), uint32(anyShape))
	}
}

// shapeTo is where a shape is.
func shapeTo(n int) Mem { return ctxAt(unsafe.Offsetof(Context{}.shapes) + uintptr(4*n)) }

// remember notes the shape of an access.
func (b *neonBuilder) remember(n int, s shape) {
	if n != noShape {
		b.saveImm(shapeTo(n), uint32(s))
	}
}

// whenShape goes to a label if an access is known to have a shape.
func (b *neonBuilder) whenShape(n int, s shape, to Label) {
	if n != noShape {
		b.Load(LDRW, 19, shapeTo(n))
		b.CompareImm(32, 19, int64(s))
		b.Jump(EQ, to)
	}
}
