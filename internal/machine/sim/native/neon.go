package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// neon is the target ARM64 with Advanced SIMD, which all ARM64 has.
//
// The general registers below keep their values. X16 and X17 are Asm's. X18, X28, X29 and SP are the
// system's and Go's. The others are free between instructions. V24 to V27 collect comparisons.
type neon struct{}

const (
	ctx    Reg = 0  // the Context
	file   Reg = 1  // the register file
	ran    Reg = 2  // the instructions that were run
	limit  Reg = 3  // Context.Limit
	order  Reg = 4  // Context.Order
	passed Reg = 6  // at the end of a block, what ran will be
	home   Reg = 24 // the address in Go to return to
	text   Reg = 25 // the address of the code
)

// neonBuilder makes the code of a kernel.
type neonBuilder struct {
	Asm
	o                    *Options
	exits                []Exit
	exitAt               map[Exit]Label
	numbers              map[Exit]int
	leave                Label // the end of every exit
	switching, departing Label // go on with the next warp of a team: see builder
	following            Label // goes on with the next block of the grid
	serial               *seriesPlan
	parting, joining     Label // part the lanes of a warp, and join them
	placing
	placeTable Label
	routines   []Label                  // by routine
	some       bool                     // the code at hand is for some lanes of a warp
	plan       *plan                    // of the function at hand
	heads      [2]map[*code.Block]Label // of blocks that begin with code, for all lanes and for some
	entries    [2]map[*code.Block][]Label
	later      []func() // code that seldom runs, for the end of the block
}

func (n neon) compile(plans []*plan, o *Options) *program {
	p := n.assemble(plans, o, false)
	if p == nil {
		p = n.assemble(plans, o, true)
	}
	return p
}

// assemble makes the code with conditional jumps that reach far, or near. It returns nil if one does
// not reach its label.
func (neon) assemble(plans []*plan, o *Options, far bool) *program {
	b := &neonBuilder{Asm: Asm{Far: far}, o: o, exitAt: map[Exit]Label{}, numbers: map[Exit]int{}}
	b.leave = b.Label()
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
			b.plan = plan
			for _, bp := range plan.blocks {
				b.block(bp)
			}
		}
	}
	heads := b.placeHeads()
	b.makeExits()
	b.makePlaceTable(heads)
	if !b.Link() {
		return nil
	}
	return b.program(all, some)
}

// program is what was made.
func (b *neonBuilder) program(all, some Label) *program {
	p := &program{text: b.Code, exits: b.exits, places: b.placed, blocks: map[*code.Block]*Block{}}
	p.starts = Entry{uint32(b.Offset(all)), uint32(b.Offset(some))}
	for blk, labels := range b.entries[0] {
		to := &Block{Entries: make([]Entry, len(labels)), Due: -1, Place: int(b.places[blk])}
		if n, ok := b.numbers[Exit{blk, len(blk.Insts)}]; ok {
			to.Due = n
		}
		for i, l := range labels {
			if l >= 0 {
				to.Entries[i] = Entry{uint32(b.Offset(l)), uint32(b.Offset(b.entries[1][blk][i]))}
			}
		}
		p.blocks[blk] = to
	}
	return p
}

// start makes what runs before the code of an entry, whose address is in X5. Its own address is in X6.
func (b *neonBuilder) start(some bool) Label {
	at := b.Label()
	b.Place(at)
	b.AddImm(64, text, 6, -int64(len(b.Code)))
	b.Move(64, home, 30)
	b.Load(LDRX, file, ctxAt(unsafe.Offsetof(Context{}.File)))
	b.Load(LDRX, limit, ctxAt(unsafe.Offsetof(Context{}.Limit)))
	b.Load(LDRW, order, ctxAt(unsafe.Offsetof(Context{}.Order)))
	b.Set(ran, 0)
	if some {
		b.spreadMask()
	}
	b.GotoReg(5)
	return at
}

// ctxAt is a field of the Context, and fileAt a place in the register file.

func ctxAt(off uintptr) Mem { return Mem{Base: ctx, Disp: int32(off)} }

func fileAt(off uint32) Mem { return Mem{Base: file, Disp: int32(off)} }

// wordAt and doubleTo are where constants are.

func wordAt(w word) Mem { return ctxAt(unsafe.Offsetof(Context{}.words) + uintptr(4*w)) }

func doubleTo(d double) Mem { return ctxAt(unsafe.Offsetof(Context{}.doubles) + uintptr(8*d)) }

// load and store move a general register of 32 or 64 bits.

func (b *neonBuilder) load(bits int, d Reg, m Mem) {
	b.Load(map[int]MemOp{32: LDRW, 64: LDRX}[bits], d, m)
}

func (b *neonBuilder) store(bits int, x Reg, m Mem) {
	b.Store(map[int]MemOp{32: STRW, 64: STRX}[bits], x, m)
}

// saveImm stores a constant of 32 bits. It uses X19.
func (b *neonBuilder) saveImm(m Mem, v uint32) {
	r := ZR
	if v != 0 {
		r = 19
		b.Set(r, uint64(v))
	}
	b.Store(STRW, r, m)
}

// spreadFrom loads an element of 32 or 64 bits to all lanes. It uses X19.
func (b *neonBuilder) spreadFrom(bits int, d Vec, m Mem) {
	b.load(bits, 19, m)
	b.Spread(bits, d, 19)
}

// addressOf is the address of a label.
func (b *neonBuilder) addressOf(d Reg, l Label) {
	b.OffsetOf(d, l)
	b.R3(ADD, 64, d, text, d)
}

// variant is where the labels of the code at hand are.
func (b *neonBuilder) variant() int {
	if b.some {
		return 1
	}
	return 0
}

// makeHeads makes labels of the blocks that begin with code.
func (b *neonBuilder) makeHeads(p *plan, variant int) {
	for _, bp := range p.blocks {
		if len(bp.Insts) == 0 || bp.known[0] {
			b.heads[variant][bp.Block] = b.Label()
		}
	}
}

// logic makes an operation on predicates.
func (b *neonBuilder) logic(in *code.Inst) {
	b.Load(LDRW, 7, fileAt(in.Args[0].Off))
	if len(in.Args) > 1 {
		b.Load(LDRW, 8, fileAt(in.Args[1].Off))
	}
	switch in.Op {
	case ptx.OpNot:
		b.Not(32, 7, 7)
	case ptx.OpAnd:
		b.R3(AND, 32, 7, 7, 8)
	case ptx.OpOr:
		b.R3(ORR, 32, 7, 7, 8)
	case ptx.OpXor:
		b.R3(EOR, 32, 7, 7, 8)
	}
	b.setPredicate(in.Dst[0], 7)
}

// setPredicate writes the bits of the running lanes. It uses X8 and X9, and changes r.
func (b *neonBuilder) setPredicate(d code.Slot, r Reg) {
	if b.some {
		b.Load(LDRW, 8, fileAt(d.Off))
		b.Load(LDRW, 9, ctxAt(unsafe.Offsetof(Context{}.Mask)))
		b.R3(EOR, 32, r, r, 8)
		b.R3(AND, 32, r, r, 9)
		b.R3(EOR, 32, r, r, 8)
	}
	b.Store(STRW, r, fileAt(d.Off))
}
