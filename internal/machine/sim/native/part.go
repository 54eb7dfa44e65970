package native

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// Parting is the part of a Context that concerns lanes that part at a branch. The code goes on with
// the lanes whose block comes first, as the scheduler does, while the others wait at their block. More
// lanes may part to wait there too. When the running lanes come there all go on together.
type Parting struct {
	MayPart uint32 // 1 if the lanes of Context.Mask are the only group of the warp
	Full    uint32 // the lanes that ran before the first of Parts
	Waiting uint32 // how many of Parts there are; 0 while all lanes are together
	Parts   [mostParts]Part

	place uint32 // 1 + the number of the exit at whose block lanes wait
	order uint32 // that block's place in the order of blocks
	since int64  // the instructions that were run when the running lanes last changed
	// lost has the instructions that lanes did not run since they waited, and lostBefore its value when
	// the last turn ended.
	lost, lostBefore int64
}

// Part is a branch at which lanes parted.
type Part struct {
	Ran   int64  // the instructions that were run, and the instructions of the branch's block
	Taken uint32 // the lanes that took the branch
	Due   uint32 // the number of the exit at the block's end
}

// mostParts is how often lanes may part before all are together again: some part each time.
const mostParts = abi.WarpSize

// Lost is how many instructions lanes did not run since they waited for others: in the turns that
// ended, and since then.
func (c *Context) Lost() (before, since int64) {
	since = c.lost - c.lostBefore
	if c.Waiting > 0 {
		since += (c.ran - c.since) * int64(bits.OnesCount32(c.Full^c.Mask))
	}
	return c.lostBefore, since
}

// parting is a field of the Context's Parting.
func parting(off uintptr) Mem { return context(unsafe.Offsetof(Context{}.Parting) + off) }

// placeOf is the place of a block in the order of blocks, as Context.Order has it.
func placeOf(to *code.Block) int32 { return int32(min(to.Order[0], math.MaxInt32)) }

// part makes the branch of a block at which lanes part. RAX has the instructions that were run, RCX
// the lanes that take the branch, and RDX all lanes that run.
func (b *builder) part(bp *blockPlan, due Label) {
	first, other := bp.Next, bp.Target
	back := other.Order[0] < first.Order[0]
	if back {
		first, other = other, first
	}
	head, ok := b.heads[1][first]
	if !ok || first.Order[0] == other.Order[0] {
		b.Goto(due)
		return
	}
	b.Load(32, R8, RCX)
	b.Load(32, R9, RCX)
	if back {
		b.Op(XOR, 32, R9, RDX)
	} else {
		b.Op(XOR, 32, R8, RDX)
	}
	b.AddressOf(RSI, head)
	b.Set(R10, int32(b.exitNumber(bp.Block, len(bp.Insts))))
	b.Set(R11, int32(b.exitNumber(other, 0))+1)
	b.SaveImm(parting(unsafe.Offsetof(Parting{}.order)), placeOf(other))
	b.Goto(b.parting)
}

// makeParting makes the code that parts lanes: the lanes in R8 go on at RSI, and the lanes in R9 wait at
// the block whose exit is the number in R11, less 1. RAX has the instructions that were run, and RCX the
// lanes that take the branch. If they cannot part the code exits by the number in R10.
func (b *builder) makeParting() {
	first, join, fail := b.Label(), b.Label(), b.Label()
	b.parting = b.Label()
	b.Place(b.parting)
	b.OpImm(CMP, 32, parting(unsafe.Offsetof(Parting{}.MayPart)), 0)
	b.Jump(E, fail)
	b.Load(32, RDX, parting(unsafe.Offsetof(Parting{}.Waiting)))
	b.Test(32, RDX, RDX)
	b.Jump(E, first)
	b.Op(CMP, 32, R11, parting(unsafe.Offsetof(Parting{}.place)))
	b.Jump(NE, fail)
	b.loseLanes()
	b.Load(32, RDX, parting(unsafe.Offsetof(Parting{}.Waiting)))
	b.Goto(join)
	b.Place(first)
	b.Load(32, R12, context(unsafe.Offsetof(Context{}.Mask)))
	b.Save(32, parting(unsafe.Offsetof(Parting{}.Full)), R12)
	b.Save(32, parting(unsafe.Offsetof(Parting{}.place)), R11)
	b.Load(32, R15, parting(unsafe.Offsetof(Parting{}.order)))
	b.Place(join)
	b.Save(64, parting(unsafe.Offsetof(Parting{}.since)), RAX)
	b.Load(64, R12, RAX)
	b.Save(32, context(unsafe.Offsetof(Context{}.Mask)), R8)
	b.Load(32, R8, RDX)
	b.ShiftLeft(32, R8, 4)
	to := parting(unsafe.Offsetof(Parting{}.Parts))
	to.Index, to.Scale = R8, 1
	b.Save(64, at(to, int32(unsafe.Offsetof(Part{}.Ran))), RAX)
	b.Save(32, at(to, int32(unsafe.Offsetof(Part{}.Taken))), RCX)
	b.Save(32, at(to, int32(unsafe.Offsetof(Part{}.Due))), R10)
	b.OpImm(ADD, 32, RDX, 1)
	b.Save(32, parting(unsafe.Offsetof(Parting{}.Waiting)), RDX)
	b.spreadMask()
	b.GotoReg(RSI)
	b.Place(fail)
	b.Save(32, context(unsafe.Offsetof(Context{}.exit)), R10)
	b.Goto(b.leave)
}

// loseLanes counts the instructions that the waiting lanes did not run since the running ones last
// changed. RAX has the instructions that were run. It uses RDX and R12.
func (b *builder) loseLanes() {
	b.Load(32, RDX, parting(unsafe.Offsetof(Parting{}.Full)))
	b.Op(XOR, 32, RDX, context(unsafe.Offsetof(Context{}.Mask)))
	b.Count(RDX, RDX)
	b.Load(64, R12, RAX)
	b.Op(SUB, 64, R12, parting(unsafe.Offsetof(Parting{}.since)))
	b.Multiply(64, RDX, R12)
	b.Op(ADD, 64, RDX, parting(unsafe.Offsetof(Parting{}.lost)))
	b.Save(64, parting(unsafe.Offsetof(Parting{}.lost)), RDX)
}

// join makes what the running lanes do that come to a block at which, or after which, others wait.
// RAX has the instructions that were run.
func (b *builder) join(to *code.Block, due Label) {
	all, ok := b.heads[0][to]
	if !ok {
		b.Goto(due)
		return
	}
	b.OpImm(CMP, 32, parting(unsafe.Offsetof(Parting{}.Waiting)), 0)
	b.Jump(E, due)
	b.OpImm(CMP, 32, parting(unsafe.Offsetof(Parting{}.place)), int32(b.exitNumber(to, 0))+1)
	b.Jump(NE, due)
	b.AddressOf(RSI, all)
	b.AddressOf(R8, b.heads[1][to])
	b.Goto(b.joining)
}

// makeJoining makes the code that joins all lanes. It goes on at RSI if they are all lanes of the warp,
// else at R8.
func (b *builder) makeJoining() {
	b.joining = b.Label()
	b.Place(b.joining)
	b.loseLanes()
	b.Load(64, R12, RAX)
	b.SaveImm(parting(unsafe.Offsetof(Parting{}.Waiting)), 0)
	b.Set(R15, math.MaxInt32)
	b.Load(32, RDX, parting(unsafe.Offsetof(Parting{}.Full)))
	b.Save(32, context(unsafe.Offsetof(Context{}.Mask)), RDX)
	some := b.Label()
	b.OpImm(CMP, 32, RDX, -1)
	b.Jump(NE, some)
	b.GotoReg(RSI)
	b.Place(some)
	b.spreadMask()
	b.GotoReg(R8)
}

// spreadMask puts Context.Mask into the masks of vectors. Code for AVX-512 loads mask registers instead.
func (b *builder) spreadMask() {
	if b.avx512 {
		return
	}
	b.V2(VPBROADCASTD, 0, context(unsafe.Offsetof(Context{}.Mask)))
	for i := range int32(4) {
		bits := context(unsafe.Offsetof(Context{}.bits32) + uintptr(32*i))
		b.V3(VPAND, 1, 0, bits)
		b.V3(VPCMPEQD, 1, 1, bits)
		b.Store(context(unsafe.Offsetof(Context{}.mask32)+uintptr(32*i)), 1)
		b.V2(VPMOVSXDQ, 2, Vec(1))
		b.Upper(1, 1)
		b.V2(VPMOVSXDQ, 3, Vec(1))
		b.Store(context(unsafe.Offsetof(Context{}.mask64)+uintptr(64*i)), 2)
		b.Store(context(unsafe.Offsetof(Context{}.mask64)+uintptr(64*i+32)), 3)
	}
}
