package native

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
)

// Parting is the part of a Context that concerns lanes that part. It has the groups of a warp's lanes
// as the machine's scheduler has them. Where lanes part at a branch, or come to a block at which or
// before which others wait, the code does what the scheduler does: it joins the running group with
// the groups at the same block, and goes on with the group whose block comes first.
type Parting struct {
	MayPart    uint32 // 1 if the code may change the groups: it is not bound by Context.Order then
	Full       uint32 // the lanes of all groups; without MayPart, of Context.Mask
	GroupCount uint32 // how many groups there are
	Current    uint32 // the running one, whose lanes Context.Mask has
	Groups     [abi.WarpSize]Group
	// Sliced is how many instructions were run when the running group's slice began, or one of the
	// following.
	Sliced int64

	since int64 // the instructions that were run when the running lanes last changed
	// lost has the instructions that lanes did not run since they waited, and lostBefore its value when
	// the last turn ended.
	lost, lostBefore int64
}

// What Parting.Sliced says when no slice has begun.
const (
	NotSliced = -1 // there is one group
	SameSlice = -2 // the slice is the one that was under way before Run
)

// Group is lanes that wait at the begin of a block. The running group's is where it last came from
// another block to one where the code chose who goes on.
type Group struct {
	Mask  uint32
	Place uint32 // of the block: see Block.Place
	Ran   int64  // the instructions that were run when it last ran; less than 0 before Run
}

// groupShift is the logarithm of the size of a Group.
const groupShift = 4

// Lost is how many instructions lanes did not run since they waited for others: in the turns that
// ended, and since then.
func (c *Context) Lost() (before, since int64) {
	since = c.lost - c.lostBefore + (c.ran-c.since)*int64(bits.OnesCount32(c.Full^c.Mask))
	return c.lostBefore, since
}

// begin prepares the Parting for a call of the code.
func (c *Parting) begin() { c.since, c.lost, c.lostBefore = 0, 0, 0 }

// parting is a field of the Context's Parting.
func parting(off uintptr) Mem { return context(unsafe.Offsetof(Context{}.Parting) + off) }

// group is a field of the Group whose offset in Parting.Groups is in a register.
func group(r Reg, off uintptr) Mem {
	m := parting(unsafe.Offsetof(Parting{}.Groups) + off)
	m.Index, m.Scale = r, 1
	return m
}

// The fields of a Group.
const (
	groupMask  = unsafe.Offsetof(Group{}.Mask)
	groupPlace = unsafe.Offsetof(Group{}.Place)
	groupRan   = unsafe.Offsetof(Group{}.Ran)
)

// makePlaceTable makes the table of places: see placeAll. It has distances from the end of either field.
// A block without code has an exit.
func (b *builder) makePlaceTable() {
	b.Place(b.placeTable)
	for _, blk := range b.placed {
		for variant := range 2 {
			head, ok := b.heads[variant][blk]
			if !ok {
				head = b.exit(blk, 0)
			}
			b.Distance(head)
		}
		b.Word(placeOf(blk))
		b.Word(0)
	}
}

// part makes the branch of a block at which lanes part. RAX has the instructions that were run, and
// RCX the lanes that take the branch.
func (b *builder) part(bp *blockPlan) {
	b.Set(R8, b.places[bp.Next])
	b.Set(R11, b.places[bp.Target])
	b.Set(R10, int32(b.exitNumber(bp.Block, len(bp.Insts))))
	b.Goto(b.parting)
}

// join makes what the running lanes do that come to a block at which, or after which, others wait.
// RAX has the instructions that were run.
func (b *builder) join(from, to *code.Block) {
	b.Set(R8, b.places[to])
	b.Set(R10, int32(b.exitNumber(from, len(from.Insts))))
	b.Goto(b.joining)
}

// makeParting makes the code that parts lanes at a branch and that joins them. Both begin with the
// running lanes' place in R8, the instructions that were run in RAX, and in R10 the number of the exit
// to take if the code may not change the groups. To part lanes RCX has those that take the branch, and R11
// their place.
func (b *builder) makeParting() {
	fail, save := b.Label(), b.Label()
	b.parting, b.joining = b.Label(), b.Label()
	b.Place(b.parting)
	b.OpImm(CMP, 32, parting(unsafe.Offsetof(Parting{}.MayPart)), 0)
	b.Jump(E, fail)
	b.loseLanes()
	b.Load(32, RDX, parting(unsafe.Offsetof(Parting{}.GroupCount)))
	b.ShiftLeft(32, RDX, groupShift)
	b.Save(32, group(RDX, groupMask), RCX)
	b.Save(32, group(RDX, groupPlace), R11)
	b.Save(64, group(RDX, groupRan), RAX)
	b.OpImm(ADD, 32, parting(unsafe.Offsetof(Parting{}.GroupCount)), 1)
	b.Load(32, R9, context(unsafe.Offsetof(Context{}.Mask)))
	b.Op(XOR, 32, R9, RCX)
	b.Goto(save)
	b.Place(b.joining)
	b.OpImm(CMP, 32, parting(unsafe.Offsetof(Parting{}.MayPart)), 0)
	b.Jump(E, fail)
	b.loseLanes()
	b.Load(32, R9, context(unsafe.Offsetof(Context{}.Mask)))
	b.Place(save)
	b.Load(32, RDX, parting(unsafe.Offsetof(Parting{}.Current)))
	b.ShiftLeft(32, RDX, groupShift)
	b.Save(32, group(RDX, groupPlace), R8)
	b.Save(64, group(RDX, groupRan), RAX)
	b.merge()
	b.pick()
	b.Place(fail)
	b.Save(32, context(unsafe.Offsetof(Context{}.exit)), R10)
	b.Goto(b.leave)
}

// merge joins the running group with the groups at its place, as warp.merge of package sim does: the
// last group takes the place of one that is no more. RDX has the offset of the running group in
// Parting.Groups, R8 its place and R9 its lanes. It puts the end of the groups into R10.
func (b *builder) merge() {
	again, next, done := b.Label(), b.Label(), b.Label()
	b.Load(32, R10, parting(unsafe.Offsetof(Parting{}.GroupCount)))
	b.ShiftLeft(32, R10, groupShift)
	b.Op(XOR, 32, RCX, RCX)
	b.Place(again)
	b.Op(CMP, 32, RCX, R10)
	b.Jump(AE, done)
	b.Op(CMP, 32, RCX, RDX)
	b.Jump(E, next)
	b.Op(CMP, 32, R8, group(RCX, groupPlace))
	b.Jump(NE, next)
	b.Op(OR, 32, R9, group(RCX, groupMask))
	b.OpImm(SUB, 32, R10, 1<<groupShift)
	for off := uintptr(0); off < 1<<groupShift; off += 8 {
		b.Load(64, R11, group(R10, off))
		b.Save(64, group(RCX, off), R11)
	}
	b.Op(CMP, 32, RDX, R10)
	b.Jump(NE, again)
	b.Load(32, RDX, RCX) // the running group was the last one
	b.Goto(again)
	b.Place(next)
	b.OpImm(ADD, 32, RCX, 1<<groupShift)
	b.Goto(again)
	b.Place(done)
	b.Save(32, group(RDX, groupMask), R9)
	b.Load(32, RCX, R10)
	b.ShiftRight(32, RCX, groupShift)
	b.Save(32, parting(unsafe.Offsetof(Parting{}.GroupCount)), RCX)
}

// The registers of pick: the offset and the place of the best group, and the place after it.
const bestGroup, bestPlace, secondPlace = RSI, R11, R12

// pick goes on with the group whose block comes first, and the first of those, as warp.pick of package
// sim does. It begins with what merge leaves.
func (b *builder) pick() {
	several, sliced, same, run := b.Label(), b.Label(), b.Label(), b.Label()
	b.OpImm(CMP, 32, R10, 1<<groupShift)
	b.Jump(NE, several)
	b.SaveImm(parting(unsafe.Offsetof(Parting{}.Current)), 0)
	b.Op(XOR, 32, RCX, RCX)
	b.OpImm(SUB, 64, RCX, -NotSliced)
	b.Save(64, parting(unsafe.Offsetof(Parting{}.Sliced)), RCX)
	b.Set(R15, math.MaxInt32)
	b.Load(32, bestPlace, R8)
	b.Goto(run)

	b.Place(several)
	b.rank()
	b.Load(32, R9, group(bestGroup, groupMask))
	b.Op(CMP, 32, bestGroup, RDX)
	b.Jump(NE, sliced)
	b.OpImm(CMP, 64, parting(unsafe.Offsetof(Parting{}.Sliced)), NotSliced)
	b.Jump(NE, same)
	b.Place(sliced)
	b.Save(64, parting(unsafe.Offsetof(Parting{}.Sliced)), RAX)
	b.Place(same)
	b.ShiftRight(32, bestGroup, groupShift)
	b.Save(32, parting(unsafe.Offsetof(Parting{}.Current)), bestGroup)
	b.AddressOf(RCX, b.placeTable)
	b.ShiftLeft(32, secondPlace, placeShift)
	b.Load(32, R15, Mem{Base: RCX, Index: secondPlace, Scale: 1, Disp: placeOrder})
	b.Place(run)
	b.runPlace()
}

// rank finds the best group of those that end at R10, and the place after its place. It uses RCX and R8.
func (b *builder) rank() {
	again, no, next := b.Label(), b.Label(), b.Label()
	b.Set(bestPlace, math.MaxInt32)
	b.Set(secondPlace, math.MaxInt32)
	b.Op(XOR, 32, RCX, RCX)
	b.Place(again)
	b.Load(32, R8, group(RCX, groupPlace))
	b.Op(CMP, 32, R8, bestPlace)
	b.Jump(GE, no)
	b.Load(32, secondPlace, bestPlace)
	b.Load(32, bestPlace, R8)
	b.Load(32, bestGroup, RCX)
	b.Goto(next)
	b.Place(no)
	b.Op(CMP, 32, R8, secondPlace)
	b.Jump(GE, next)
	b.Load(32, secondPlace, R8)
	b.Place(next)
	b.OpImm(ADD, 32, RCX, 1<<groupShift)
	b.Op(CMP, 32, RCX, R10)
	b.Jump(B, again)
}

// runPlace runs the lanes in R9 at the place in R11.
func (b *builder) runPlace() {
	some := b.Label()
	b.Load(64, R12, RAX)
	b.Save(64, parting(unsafe.Offsetof(Parting{}.since)), RAX)
	b.Save(32, context(unsafe.Offsetof(Context{}.Mask)), R9)
	b.AddressOf(RCX, b.placeTable)
	b.ShiftLeft(32, R11, placeShift)
	b.Op(ADD, 64, RCX, R11)
	b.OpImm(CMP, 32, R9, -1)
	b.Jump(NE, some)
	b.Extend(64, RSI, Mem{Base: RCX, Disp: placeAll}, 32, true)
	b.Address(RSI, Mem{Base: RSI, Index: RCX, Scale: 1, Disp: placeAll + 4})
	b.GotoReg(RSI)
	b.Place(some)
	b.spreadMask()
	b.Extend(64, RSI, Mem{Base: RCX, Disp: placeSome}, 32, true)
	b.Address(RSI, Mem{Base: RSI, Index: RCX, Scale: 1, Disp: placeSome + 4})
	b.GotoReg(RSI)
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
