package native

import (
	"strings"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// Series is the part of a Context by which a team goes on with the next block of the grid when its block
// has ended: the same warps with the same register files. Without Next there is none.
type Series struct {
	Next   *int64 // how many blocks of the grid the workers have taken
	Blocks int64  // of the grid
	// Linear and Index are the running block, and Wide is how wide the grid is in x and y.
	Linear int64
	Index  [3]uint32
	Wide   [2]uint32
	Mates  *Mate // all warps of the block, one after the other, with their register files
	Warps  uint32
	Image  unsafe.Pointer // the register file with which a warp begins
	Shared unsafe.Pointer // the block's shared memory, poisoned when a block begins
	Bytes  int64          // of Shared: none, or SeriesBytes and more
	Cost   int64          // the instructions for which the begin of a block counts
	Ended  int64          // the blocks that ended
	Began  int64          // the instructions that were run when the last of the blocks began
}

// SeriesBytes is the least shared memory that the code can poison.
const SeriesBytes = 32

// mostAhead is how many blocks other workers may have taken since the running block. The code counts them
// one by one; after more it exits.
const mostAhead = 64

// mostFresh bounds the bytes of registers that get their values when a warp begins.
const mostFresh = 1 << 12

// seriesPlan says how the warps of a kernel begin a block.
type seriesPlan struct {
	from  *code.Block // the first block
	axes  [3][]uint32 // the slots of the block's index, for x, y and z
	fresh []Span
	// steps are the instructions of that block that its warps run, up to the end-th instruction.
	steps []step
	end   int
	begin int // the label of their code
}

// series is how a kernel's warps begin a block, nil if the code does not know that.
func (p *plan) series() *seriesPlan {
	s := &seriesPlan{from: p.fn.Blocks[0], fresh: p.fresh()}
	if len(p.blocks[0].Insts) > 0 && !p.blocks[0].known[0] {
		return nil
	}
	for _, f := range p.fn.Fills {
		name, isBlock := strings.CutPrefix(f.Name, "%ctaid.")
		if !isBlock {
			name, isBlock = strings.CutPrefix(f.Name, "%clusterid.") // a block is its own cluster
		}
		axis := strings.Index("xyz", name)
		switch {
		case !isBlock || name == "w":
			continue
		case axis < 0 || f.Bits != 32:
			return nil
		}
		s.axes[axis] = append(s.axes[axis], f.Off)
	}
	bytes := uint32(0)
	for _, f := range s.fresh {
		bytes += f.Size
	}
	if bytes > mostFresh {
		return nil
	}
	s.steps, s.end = p.again()
	return s
}

// series is a field of the Context's series.
func series(off uintptr) Mem { return context(unsafe.Offsetof(Context{}.Series) + off) }

// makeSeries makes the code that goes on with the next block, after the last warp of one. It begins with
// that warp in RSI, the instructions that were run in RAX, and in R10 the number of the exit to take if
// there is no next block.
func (b *builder) makeSeries() {
	fail := b.Label()
	b.Place(b.following)
	b.OpImm(CMP, 64, series(unsafe.Offsetof(Series{}.Next)), 0)
	b.Jump(E, fail)
	if b.serial != nil {
		b.serial.begin = int(b.Label())
		b.takeBlock(fail)
		b.beginBlock()
		b.beginWarps()
	}
	b.Place(fail)
	b.Save(32, context(unsafe.Offsetof(Context{}.exit)), R10)
	b.Goto(b.leave)
}

// takeBlock takes the next block of the grid, and finds its index. It uses RCX, RDX, R8 and R11.
func (b *builder) takeBlock(fail Label) {
	again, less, found := b.Label(), b.Label(), b.Label()
	b.Load(64, R11, RAX)
	b.Load(64, RDX, series(unsafe.Offsetof(Series{}.Next)))
	b.Place(again)
	b.Load(64, RAX, Mem{Base: RDX})
	b.Op(CMP, 64, RAX, series(unsafe.Offsetof(Series{}.Blocks)))
	b.Jump(GE, fail)
	b.Load(64, RCX, RAX)
	b.Op(SUB, 64, RCX, series(unsafe.Offsetof(Series{}.Linear)))
	b.OpImm(CMP, 64, RCX, mostAhead)
	b.Jump(A, fail)
	b.Address(R8, Mem{Base: RAX, Disp: 1})
	b.LockCompareExchange(64, Mem{Base: RDX}, R8)
	b.Jump(NE, again)
	b.Save(64, series(unsafe.Offsetof(Series{}.Linear)), RAX)
	b.Load(64, RAX, R11)
	x, y, z := indexAt(0), indexAt(1), indexAt(2)
	b.Op(ADD, 32, RCX, x)
	b.Place(less)
	b.Op(CMP, 32, RCX, wideAt(0))
	b.Jump(B, found)
	b.Op(SUB, 32, RCX, wideAt(0))
	b.Load(32, RDX, y)
	b.OpImm(ADD, 32, RDX, 1)
	b.Save(32, y, RDX)
	b.Op(CMP, 32, RDX, wideAt(1))
	b.Jump(B, less)
	b.SaveImm(y, 0)
	b.OpImm(ADD, 32, z, 1)
	b.Goto(less)
	b.Place(found)
	b.Save(32, x, RCX)
}

func indexAt(axis int) Mem {
	return series(unsafe.Offsetof(Series{}.Index) + 4*uintptr(axis))
}

func wideAt(axis int) Mem { return series(unsafe.Offsetof(Series{}.Wide) + 4*uintptr(axis)) }

// beginBlock ends the turn of the last warp, and begins a block.
func (b *builder) beginBlock() {
	b.SaveImm(context(unsafe.Offsetof(Context{}.stored)), 1)
	b.endTurn()
	b.Save(64, series(unsafe.Offsetof(Series{}.Began)), RAX)
	b.OpImm(ADD, 64, series(unsafe.Offsetof(Series{}.Ended)), 1)
	b.Load(32, RCX, team(unsafe.Offsetof(Team{}.Switches)))
	b.Save(32, team(unsafe.Offsetof(Team{}.Wrapped)), RCX)
	b.Load(32, RCX, series(unsafe.Offsetof(Series{}.Warps)))
	b.Save(32, team(unsafe.Offsetof(Team{}.Count)), RCX)
	b.AddressOf(RCX, Label(b.serial.begin))
	b.Save(64, team(unsafe.Offsetof(Team{}.Resume)), RCX)
	b.SaveImm(team(unsafe.Offsetof(Team{}.Resumed)), int32(b.exitNumber(b.serial.from, 0))+1)
	b.Op(SUB, 64, R13, series(unsafe.Offsetof(Series{}.Cost)))
	b.poison()
}

// poison fills the block's shared memory, from its end on. The last vector may overlap the one before.
func (b *builder) poison() {
	next, rest, done := b.Label(), b.Label(), b.Label()
	b.Load(64, RCX, series(unsafe.Offsetof(Series{}.Bytes)))
	b.Load(64, RDX, series(unsafe.Offsetof(Series{}.Shared)))
	b.Asm.V3(VPCMPEQD, 0, 0, Vec(0))
	b.Place(next)
	b.OpImm(SUB, 64, RCX, SeriesBytes)
	b.Jump(L, rest)
	b.Store(Mem{Base: RDX, Index: RCX, Scale: 1}, 0)
	b.Goto(next)
	b.Place(rest)
	b.OpImm(ADD, 64, RCX, SeriesBytes)
	b.Jump(E, done)
	b.Store(Mem{Base: RDX}, 0)
	b.Place(done)
}

// beginWarps gives all warps the registers with which they begin, and runs the first one.
func (b *builder) beginWarps() {
	for axis, slots := range b.serial.axes {
		if len(slots) > 0 {
			b.Asm.V2(VPBROADCASTD, Vec(axis), indexAt(axis))
		}
	}
	next, last := b.Label(), b.Label()
	b.Load(64, RSI, series(unsafe.Offsetof(Series{}.Mates)))
	b.Load(32, RCX, series(unsafe.Offsetof(Series{}.Warps)))
	b.Load(64, RDX, series(unsafe.Offsetof(Series{}.Image)))
	b.Place(next)
	b.Load(64, RBX, mate(unsafe.Offsetof(Mate{}.File)))
	for axis, slots := range b.serial.axes {
		for _, s := range slots {
			b.spreadRow(s, Vec(axis), 4)
		}
	}
	b.freshen()
	b.SaveImm(mate(unsafe.Offsetof(Mate{}.Ended)), 0)
	b.OpImm(SUB, 32, RCX, 1)
	b.Jump(E, last)
	b.Address(R8, mate(unsafe.Sizeof(Mate{})))
	b.Save(64, mate(unsafe.Offsetof(Mate{}.Next)), R8)
	b.Load(64, RSI, R8)
	b.Goto(next)
	b.Place(last)
	b.Save(64, team(unsafe.Offsetof(Team{}.Prev)), RSI)
	b.Load(64, R8, series(unsafe.Offsetof(Series{}.Mates)))
	b.Save(64, mate(unsafe.Offsetof(Mate{}.Next)), R8)
	b.Save(64, team(unsafe.Offsetof(Team{}.Mate)), R8)
	b.Load(64, RBX, Mem{Base: R8, Disp: int32(unsafe.Offsetof(Mate{}.File))})
	b.Goto(Label(b.serial.begin))
}

// firstBlock makes the code with which warps begin further blocks.
func (b *builder) firstBlock(p *plan) {
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

// freshen copies registers from the image at RDX. It uses RAX, and the vector 3.
func (b *builder) freshen() {
	for _, s := range b.serial.fresh {
		end := int32(s.Off + s.Size)
		at := int32(s.Off)
		for ; end-at >= 32; at += 32 {
			b.Asm.V2(VMOVDQU, 3, Mem{Base: RDX, Disp: at})
			b.Store(Mem{Base: RBX, Disp: at}, 3)
		}
		for ; at < end; at += 4 {
			b.Load(32, RAX, Mem{Base: RDX, Disp: at})
			b.Save(32, Mem{Base: RBX, Disp: at}, RAX)
		}
	}
}
