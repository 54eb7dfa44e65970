package native

import (
	"unsafe"

	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
)

// seriesAt is a field of the Context's series.
func seriesAt(off uintptr) Mem { return ctxAt(unsafe.Offsetof(Context{}.Series) + off) }

func indexTo(axis int) Mem {
	return seriesAt(unsafe.Offsetof(Series{}.Index) + 4*uintptr(axis))
}

// makeSeries makes the code that goes on with the next block, after the last warp of one. It begins with
// that warp in X8, and in X7 the number of the exit to take if there is no next block.
func (b *neonBuilder) makeSeries() {
	b.Place(b.following)
	b.Load(LDRX, 9, seriesAt(unsafe.Offsetof(Series{}.Next)))
	b.JumpZero(64, 9, b.leave)
	if b.serial != nil {
		b.serial.begin = int(b.Label())
		b.takeBlock()
		b.beginBlock()
		b.beginWarps()
	}
	b.Goto(b.leave)
}

// takeBlock takes the next block of the grid from the count at X9, and finds its index. It uses X10 to X15.
func (b *neonBuilder) takeBlock() {
	again, less, found := b.Label(), b.Label(), b.Label()
	b.Load(LDRX, 11, seriesAt(unsafe.Offsetof(Series{}.Blocks)))
	b.Load(LDRX, 12, seriesAt(unsafe.Offsetof(Series{}.Linear)))
	b.Place(again)
	b.LoadExclusive(64, 10, 9)
	b.Compare(64, 10, 11)
	b.Jump(GE, b.leave)
	b.R3(SUB, 64, 13, 10, 12)
	b.CompareImm(64, 13, mostAhead)
	b.Jump(HI, b.leave)
	b.AddImm(64, 14, 10, 1)
	b.StoreExclusive(64, 15, 14, 9)
	b.JumpNotZero(32, 15, again)
	b.Store(STRX, 10, seriesAt(unsafe.Offsetof(Series{}.Linear)))
	b.Load(LDRW, 9, indexTo(0))
	b.R3(ADD, 32, 13, 13, 9)
	b.Load(LDRW, 9, indexTo(1))
	b.Load(LDRW, 10, indexTo(2))
	b.Load(LDRW, 11, seriesAt(unsafe.Offsetof(Series{}.Wide)))
	b.Load(LDRW, 12, seriesAt(unsafe.Offsetof(Series{}.Wide)+4))
	b.Place(less)
	b.Compare(32, 13, 11)
	b.Jump(LO, found)
	b.R3(SUB, 32, 13, 13, 11)
	b.AddImm(32, 9, 9, 1)
	b.Compare(32, 9, 12)
	b.Jump(LO, less)
	b.Set(9, 0)
	b.AddImm(32, 10, 10, 1)
	b.Goto(less)
	b.Place(found)
	for axis, r := range []Reg{13, 9, 10} {
		b.Store(STRW, r, indexTo(axis))
	}
}

// beginBlock ends the turn of the last warp, and begins a block.
func (b *neonBuilder) beginBlock() {
	b.saveImm(ctxAt(unsafe.Offsetof(Context{}.stored)), 1)
	b.endTurn()
	b.Store(STRX, passed, seriesAt(unsafe.Offsetof(Series{}.Began)))
	b.Load(LDRX, 9, seriesAt(unsafe.Offsetof(Series{}.Ended)))
	b.AddImm(64, 9, 9, 1)
	b.Store(STRX, 9, seriesAt(unsafe.Offsetof(Series{}.Ended)))
	b.Load(LDRW, 9, teamAt(unsafe.Offsetof(Team{}.Switches)))
	b.Store(STRW, 9, teamAt(unsafe.Offsetof(Team{}.Wrapped)))
	b.Load(LDRW, 9, seriesAt(unsafe.Offsetof(Series{}.Warps)))
	b.Store(STRW, 9, teamAt(unsafe.Offsetof(Team{}.Count)))
	b.addressOf(9, Label(b.serial.begin))
	b.Store(STRX, 9, teamAt(unsafe.Offsetof(Team{}.Resume)))
	b.saveImm(teamAt(unsafe.Offsetof(Team{}.Resumed)), uint32(b.exitNumber(b.serial.from, 0))+1)
	b.Load(LDRX, 9, seriesAt(unsafe.Offsetof(Series{}.Cost)))
	b.R3(SUB, 64, limit, limit, 9)
	b.poison()
}

// poison fills the block's shared memory, from its end on. The last vectors may overlap those before.
func (b *neonBuilder) poison() {
	next, rest, done := b.Label(), b.Label(), b.Label()
	b.Load(LDRX, 9, seriesAt(unsafe.Offsetof(Series{}.Bytes)))
	b.Load(LDRX, 10, seriesAt(unsafe.Offsetof(Series{}.Shared)))
	b.Ones(0)
	fill := func(at Reg) {
		for i := range int32(SeriesBytes / 16) {
			b.StoreVec(STRQ, 0, Mem{Base: at, Disp: 16 * i})
		}
	}
	b.Place(next)
	b.CompareImm(64, 9, SeriesBytes)
	b.Jump(LT, rest)
	b.AddImm(64, 9, 9, -SeriesBytes)
	b.R3(ADD, 64, 11, 10, 9)
	fill(11)
	b.Goto(next)
	b.Place(rest)
	b.JumpZero(64, 9, done)
	fill(10)
	b.Place(done)
}

// beginWarps gives all warps the registers with which they begin, and runs the first one.
func (b *neonBuilder) beginWarps() {
	for axis, slots := range b.serial.axes {
		if len(slots) > 0 {
			b.spreadFrom(32, Vec(axis), indexTo(axis))
		}
	}
	next, last := b.Label(), b.Label()
	b.Load(LDRX, 8, seriesAt(unsafe.Offsetof(Series{}.Mates)))
	b.Load(LDRW, 9, seriesAt(unsafe.Offsetof(Series{}.Warps)))
	b.Load(LDRX, 10, seriesAt(unsafe.Offsetof(Series{}.Image)))
	b.Place(next)
	b.Load(LDRX, file, mateAt(unsafe.Offsetof(Mate{}.File)))
	for axis, slots := range b.serial.axes {
		for _, s := range slots {
			for i := range uint32(8) {
				b.StoreVec(STRQ, Vec(axis), fileAt(s+16*i))
			}
		}
	}
	b.freshen()
	b.saveImm(mateAt(unsafe.Offsetof(Mate{}.Ended)), 0)
	b.AddImm(32, 9, 9, -1)
	b.JumpZero(32, 9, last)
	b.AddImm(64, 11, 8, int64(unsafe.Sizeof(Mate{})))
	b.Store(STRX, 11, mateAt(unsafe.Offsetof(Mate{}.Next)))
	b.Move(64, 8, 11)
	b.Goto(next)
	b.Place(last)
	b.Store(STRX, 8, teamAt(unsafe.Offsetof(Team{}.Prev)))
	b.Load(LDRX, 11, seriesAt(unsafe.Offsetof(Series{}.Mates)))
	b.Store(STRX, 11, mateAt(unsafe.Offsetof(Mate{}.Next)))
	b.Store(STRX, 11, teamAt(unsafe.Offsetof(Team{}.Mate)))
	b.Load(LDRX, file, Mem{Base: 11, Disp: int32(unsafe.Offsetof(Mate{}.File))})
	b.Move(64, ran, passed)
	b.Goto(Label(b.serial.begin))
}

// firstBlock makes the code with which warps begin further blocks.
func (b *neonBuilder) firstBlock(p *plan) {
	b.plan = p
	bp := p.blocks[0]
	b.Place(Label(b.serial.begin))
	b.forgetShapes(bp)
	for i := range b.serial.steps {
		b.step(bp, &b.serial.steps[i])
	}
	if b.serial.end < len(bp.Insts) {
		b.Goto(b.exit(bp.Block, b.serial.end))
	} else {
		b.end(bp)
	}
	b.makeLater()
}

// freshen copies registers from the image at X10. It uses X11, and the vector 3.
func (b *neonBuilder) freshen() {
	for _, s := range b.serial.fresh {
		at, end := int32(s.Off), int32(s.Off+s.Size)
		for ; end-at >= 16; at += 16 {
			b.LoadVec(LDRQ, 3, Mem{Base: 10, Disp: at})
			b.StoreVec(STRQ, 3, Mem{Base: file, Disp: at})
		}
		for ; at < end; at += 4 {
			b.Load(LDRW, 11, Mem{Base: 10, Disp: at})
			b.Store(STRW, 11, Mem{Base: file, Disp: at})
		}
	}
}
