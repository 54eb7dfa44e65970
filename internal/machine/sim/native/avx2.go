package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// avx2 is the target AMD64 with AVX2 and FMA, and with AVX-512 where avx512 says so.
//
// The general registers: RDI has the Context, RBX the register file, R12 the instructions that were
// run, R13 Context.Limit, and R15 Context.Order. R8 to R11 collect comparisons. The others are free
// between instructions. RSP, RBP and R14 are Go's.
type avx2 struct{ avx512 bool }

// builder makes the code of a kernel.
type builder struct {
	Asm
	o       *Options
	to      avx2
	avx512  bool // vectors have 512 bits where instructions compute
	exits   []Exit
	exitAt  map[Exit]Label
	numbers map[Exit]int
	leave   Label // the end of every exit
	// switching and departing go on with the next warp of a team, from one that waits and one that ended.
	switching, departing Label
	// following goes on with the next block of the grid, after the last warp of one.
	following        Label
	serial           *seriesPlan
	parting, joining Label // part the lanes of a warp, and join them
	placing
	placeTable Label
	routines   []Label                  // by routine
	some       bool                     // the code at hand is for some lanes of a warp
	plan       *plan                    // of the function at hand
	heads      [2]map[*code.Block]Label // of blocks that begin with code, for all lanes and for some
	entries    [2]map[*code.Block][]Label
	later      []func() // code that seldom runs, for the end of the block
}

const noEntry Label = -1

func (t avx2) compile(plans []*plan, o *Options) *program {
	b := &builder{o: o, to: t, avx512: t.avx512, exitAt: map[Exit]Label{}, numbers: map[Exit]int{}}
	b.leave = b.Label()
	p := &program{blocks: map[*code.Block]*Block{}}
	all, some := b.start(false), b.start(true)
	b.makeRoutines()
	b.makeSwitches()
	b.number(plans)
	b.placeTable = b.Label()
	b.makeParting()
	for variant := range 2 {
		b.heads[variant], b.entries[variant] = map[*code.Block]Label{}, map[*code.Block][]Label{}
		for _, plan := range plans {
			b.makeHeads(plan, variant)
		}
	}
	b.serial = plans[0].series()
	b.makeSeries()
	if b.serial != nil {
		b.firstBlock(plans[0])
	}
	for variant := range 2 {
		b.some = variant == 1
		for _, plan := range plans {
			b.function(plan)
		}
	}
	b.makePlaceTable()
	b.makeExits()
	b.Link()
	p.text, p.exits, p.places = b.Code, b.exits, b.placed
	p.starts = Entry{uint32(b.Offset(all)), uint32(b.Offset(some))}
	for blk, labels := range b.entries[0] {
		to := &Block{Entries: make([]Entry, len(labels)), Due: -1, Place: int(b.places[blk])}
		if n, ok := b.numbers[Exit{blk, len(blk.Insts)}]; ok {
			to.Due = n
		}
		for i, l := range labels {
			if l != noEntry {
				to.Entries[i] = Entry{uint32(b.Offset(l)), uint32(b.Offset(b.entries[1][blk][i]))}
			}
		}
		p.blocks[blk] = to
	}
	return p
}

// start makes what runs before the code of an entry, whose address is in RAX.
func (b *builder) start(some bool) Label {
	at := b.Label()
	b.Place(at)
	b.Load(64, RBX, context(unsafe.Offsetof(Context{}.File)))
	b.Load(64, R13, context(unsafe.Offsetof(Context{}.Limit)))
	b.Load(32, R15, context(unsafe.Offsetof(Context{}.Order)))
	b.Op(XOR, 32, R12, R12)
	if some {
		b.spreadMask()
	}
	b.GotoReg(RAX)
	return at
}

// context is a field of the Context, and slot a place in the register file.

func context(off uintptr) Mem { return Mem{Base: RDI, Disp: int32(off)} }

func slot(off uint32) Mem { return Mem{Base: RBX, Disp: int32(off)} }

// variant is where the labels of the code at hand are.
func (b *builder) variant() int {
	if b.some {
		return 1
	}
	return 0
}

// makeHeads makes labels of the blocks that begin with code.
func (b *builder) makeHeads(p *plan, variant int) {
	for _, bp := range p.blocks {
		if len(bp.Insts) == 0 || bp.known[0] {
			b.heads[variant][bp.Block] = b.Label()
		}
	}
}

func (b *builder) function(p *plan) {
	b.plan = p
	for _, bp := range p.blocks {
		b.block(bp)
	}
}

// block makes the code of a block: its steps, and exits between them.
func (b *builder) block(bp *blockPlan) {
	entries := make([]Label, len(bp.Insts))
	for i := range entries {
		entries[i] = noEntry
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
func (b *builder) step(bp *blockPlan, s *step) {
	switch s.kind {
	case compute:
		b.compute(s)
	case logic:
		b.logic(&s.insts[0])
	case fencing:
		b.fence()
	case lanewise:
		b.eachLanewise(&s.insts[0])
	case access:
		b.access(&s.insts[0], s.shape, b.exit(bp.Block, s.from))
	}
}

// makeLater makes the code that seldom runs, at the end of a block.
func (b *builder) makeLater() {
	for i := 0; i < len(b.later); i++ { // which may grow
		b.later[i]()
	}
	b.later = b.later[:0]
}

// entry is the label of an entry at this place, which may be in the middle of a block.
func (b *builder) entry(bp *blockPlan) Label {
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
func (b *builder) end(bp *blockPlan) {
	due := b.exit(bp.Block, len(bp.Insts))
	if bp.End == code.EndOp && (b.some || !bp.knowsOp && !bp.switches) {
		b.Goto(due)
		return
	}
	b.Address(RAX, Mem{Base: R12, Disp: int32(bp.N)})
	b.Op(CMP, 64, RAX, R13)
	b.Jump(GE, due)
	switch bp.End {
	case code.EndOp:
		if bp.switches {
			b.change(bp, due)
			return
		}
		b.together(bp.Op, due)
		b.Address(RAX, Mem{Base: R12, Disp: int32(bp.N)})
		b.goOn(bp, bp.Next, due)
	case code.EndFall:
		b.goOn(bp, bp.Next, due)
	case code.EndJump:
		b.goOn(bp, bp.Target, due)
	case code.EndBranch:
		next, parts := b.Label(), b.Label()
		b.Load(32, RCX, slot(bp.Guard.Pred.Off))
		if bp.Guard.Not {
			b.Not(RCX)
		}
		b.Load(32, RDX, context(unsafe.Offsetof(Context{}.Mask)))
		b.Op(AND, 32, RCX, RDX)
		b.Jump(E, next)
		b.Op(CMP, 32, RCX, RDX)
		b.Jump(NE, parts)
		b.goOn(bp, bp.Target, due)
		b.Place(next)
		b.goOn(bp, bp.Next, due)
		b.Place(parts)
		b.part(bp)
	}
}

// goOn goes on at a block, unless other lanes come first.
func (b *builder) goOn(bp *blockPlan, to *code.Block, due Label) {
	b.OpImm(CMP, 32, R15, placeOf(to))
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
	b.Load(64, R12, RAX)
	if head, ok := b.heads[b.variant()][to]; ok {
		b.Goto(head)
		return
	}
	b.Goto(b.exit(to, 0))
}

// exit is the label at which the code exits before an instruction of a block.
func (b *builder) exit(blk *code.Block, inst int) Label {
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
func (b *builder) exitNumber(blk *code.Block, inst int) int {
	b.exit(blk, inst)
	return b.numbers[Exit{blk, inst}]
}

func (b *builder) makeExits() {
	for i, e := range b.exits {
		b.Place(b.exitAt[e])
		b.SaveImm(context(unsafe.Offsetof(Context{}.exit)), int32(i))
		b.Goto(b.leave)
	}
	b.Place(b.leave)
	b.Save(64, context(unsafe.Offsetof(Context{}.ran)), R12)
	b.ZeroUpper()
	b.Return()
}

// logic makes an operation on predicates.
func (b *builder) logic(in *code.Inst) {
	b.Load(32, RAX, slot(in.Args[0].Off))
	switch in.Op {
	case ptx.OpNot:
		b.Not(RAX)
	case ptx.OpAnd:
		b.Op(AND, 32, RAX, slot(in.Args[1].Off))
	case ptx.OpOr:
		b.Op(OR, 32, RAX, slot(in.Args[1].Off))
	case ptx.OpXor:
		b.Op(XOR, 32, RAX, slot(in.Args[1].Off))
	}
	b.setPredicate(in.Dst[0], RAX)
}

// setPredicate writes the bits of the running lanes. It uses RDX, and changes r.
func (b *builder) setPredicate(d code.Slot, r Reg) {
	if b.some {
		b.Load(32, RDX, slot(d.Off))
		b.Op(XOR, 32, r, RDX)
		b.Op(AND, 32, r, context(unsafe.Offsetof(Context{}.Mask)))
		b.Op(XOR, 32, r, RDX)
	}
	b.Save(32, slot(d.Off), r)
}
