package native

import (
	"math"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
)

// partingAt is a field of the Context's Parting.
func partingAt(off uintptr) Mem { return ctxAt(unsafe.Offsetof(Context{}.Parting) + off) }

// The registers where lanes part or join: the lanes that take a branch, and their place; the running
// runners, their place and their group; the exit to take if the code may not change the groups; the end of
// the groups; the best group, its place and the place after it; and a group to look at.
const (
	taken        Reg = 7
	takenPlace   Reg = 12
	runners      Reg = 9
	runnersPlace Reg = 8
	runnersGroup Reg = 10
	partExit     Reg = 11
	groupsEnd    Reg = 13
	neonBest     Reg = 20
	neonPlace    Reg = 12
	neonSecond   Reg = 21
	groupCursor  Reg = 14
)

// groupIn is a field of a Group, by a register that has the Context's address and the group's offset in
// Parting.Groups.
func groupIn(r Reg, off uintptr) Mem {
	m := partingAt(unsafe.Offsetof(Parting{}.Groups) + off)
	m.Base = r
	return m
}

// placeHeads are where the code of each place begins: for all lanes and for some. A block without code
// has an exit.
func (b *neonBuilder) placeHeads() (list [][2]Label) {
	for _, blk := range b.placed {
		var to [2]Label
		for variant := range to {
			head, ok := b.heads[variant][blk]
			if !ok {
				head = b.exit(blk, 0)
			}
			to[variant] = head
		}
		list = append(list, to)
	}
	return list
}

// makePlaceTable makes the table of places: see placeAll. It has offsets from the start of the code, and
// is the end of it.
func (b *neonBuilder) makePlaceTable(heads [][2]Label) {
	b.Place(b.placeTable)
	for i, to := range heads {
		b.OffsetWord(to[0])
		b.OffsetWord(to[1])
		b.Word(uint32(placeOf(b.placed[i])))
		b.Word(0)
	}
}

// part makes the branch of a block at which lanes part. X6 has the instructions that were run, and X7 the
// lanes that take the branch.
func (b *neonBuilder) part(bp *blockPlan) {
	b.Set(runnersPlace, uint64(b.places[bp.Next]))
	b.Set(takenPlace, uint64(b.places[bp.Target]))
	b.Set(partExit, uint64(b.exitNumber(bp.Block, len(bp.Insts))))
	b.Goto(b.parting)
}

// join makes what the running lanes do that come to a block at which, or after which, others wait.
func (b *neonBuilder) join(from, to *code.Block) {
	b.Set(runnersPlace, uint64(b.places[to]))
	b.Set(partExit, uint64(b.exitNumber(from, len(from.Insts))))
	b.Goto(b.joining)
}

// makeParting makes the code that parts lanes at a branch and that joins them, as builder.makeParting
// does.
func (b *neonBuilder) makeParting() {
	fail, save := b.Label(), b.Label()
	b.parting, b.joining = b.Label(), b.Label()
	b.Place(b.parting)
	b.Load(LDRW, 14, partingAt(unsafe.Offsetof(Parting{}.MayPart)))
	b.JumpZero(32, 14, fail)
	b.loseLanes()
	b.Load(LDRW, 14, partingAt(unsafe.Offsetof(Parting{}.GroupCount)))
	b.AddScaled(groupsEnd, ctx, 14, groupShift)
	b.Store(STRW, taken, groupIn(groupsEnd, groupMask))
	b.Store(STRW, takenPlace, groupIn(groupsEnd, groupPlace))
	b.Store(STRX, passed, groupIn(groupsEnd, groupRan))
	b.AddImm(32, 14, 14, 1)
	b.Store(STRW, 14, partingAt(unsafe.Offsetof(Parting{}.GroupCount)))
	b.Load(LDRW, runners, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.R3(EOR, 32, runners, runners, taken)
	b.Goto(save)
	b.Place(b.joining)
	b.Load(LDRW, 14, partingAt(unsafe.Offsetof(Parting{}.MayPart)))
	b.JumpZero(32, 14, fail)
	b.loseLanes()
	b.Load(LDRW, runners, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.Place(save)
	b.Load(LDRW, 14, partingAt(unsafe.Offsetof(Parting{}.Current)))
	b.AddScaled(runnersGroup, ctx, 14, groupShift)
	b.Store(STRW, runnersPlace, groupIn(runnersGroup, groupPlace))
	b.Store(STRX, passed, groupIn(runnersGroup, groupRan))
	b.merge()
	b.pick()
	b.Place(fail)
	b.Move(32, 7, partExit)
	b.Goto(b.leave)
}

// merge joins the running group with the groups at its place, as builder.merge does. It leaves the number
// of groups in X15.
func (b *neonBuilder) merge() {
	again, next, done := b.Label(), b.Label(), b.Label()
	b.Load(LDRW, 15, partingAt(unsafe.Offsetof(Parting{}.GroupCount)))
	b.AddScaled(groupsEnd, ctx, 15, groupShift)
	b.Move(64, groupCursor, ctx)
	b.Place(again)
	b.Compare(64, groupCursor, groupsEnd)
	b.Jump(HS, done)
	b.Compare(64, groupCursor, runnersGroup)
	b.Jump(EQ, next)
	b.Load(LDRW, 15, groupIn(groupCursor, groupPlace))
	b.Compare(32, 15, runnersPlace)
	b.Jump(NE, next)
	b.Load(LDRW, 15, groupIn(groupCursor, groupMask))
	b.R3(ORR, 32, runners, runners, 15)
	b.AddImm(64, groupsEnd, groupsEnd, -1<<groupShift)
	for off := uintptr(0); off < 1<<groupShift; off += 8 {
		b.Load(LDRX, 15, groupIn(groupsEnd, off))
		b.Store(STRX, 15, groupIn(groupCursor, off))
	}
	b.Compare(64, runnersGroup, groupsEnd)
	b.Jump(NE, again)
	b.Move(64, runnersGroup, groupCursor) // the running group was the last one
	b.Goto(again)
	b.Place(next)
	b.AddImm(64, groupCursor, groupCursor, 1<<groupShift)
	b.Goto(again)
	b.Place(done)
	b.Store(STRW, runners, groupIn(runnersGroup, groupMask))
	b.groupNumber(15, groupsEnd)
	b.Store(STRW, 15, partingAt(unsafe.Offsetof(Parting{}.GroupCount)))
}

// groupNumber is the number of a group.
func (b *neonBuilder) groupNumber(d, group Reg) {
	b.R3(SUB, 64, d, group, ctx)
	b.ShiftRight(64, d, d, groupShift)
}

// pick goes on with the group whose block comes first, as builder.pick does.
func (b *neonBuilder) pick() {
	several, sliced, same, run := b.Label(), b.Label(), b.Label(), b.Label()
	b.CompareImm(32, 15, 1)
	b.Jump(NE, several)
	b.saveImm(partingAt(unsafe.Offsetof(Parting{}.Current)), 0)
	b.Set(15, math.MaxUint64) // NotSliced
	b.Store(STRX, 15, partingAt(unsafe.Offsetof(Parting{}.Sliced)))
	b.Set(order, math.MaxInt32)
	b.Move(32, neonPlace, runnersPlace)
	b.Goto(run)

	b.Place(several)
	b.rank()
	b.Load(LDRW, runners, groupIn(neonBest, groupMask))
	b.Compare(64, neonBest, runnersGroup)
	b.Jump(NE, sliced)
	b.Load(LDRX, 15, partingAt(unsafe.Offsetof(Parting{}.Sliced)))
	b.CompareImm(64, 15, NotSliced)
	b.Jump(NE, same)
	b.Place(sliced)
	b.Store(STRX, passed, partingAt(unsafe.Offsetof(Parting{}.Sliced)))
	b.Place(same)
	b.groupNumber(15, neonBest)
	b.Store(STRW, 15, partingAt(unsafe.Offsetof(Parting{}.Current)))
	b.placeEntry(15, neonSecond)
	b.Load(LDRW, order, Mem{Base: 15, Disp: placeOrder})
	b.Place(run)
	b.runPlace()
}

// rank finds the best group, and the place after its place.
func (b *neonBuilder) rank() {
	again, no, next := b.Label(), b.Label(), b.Label()
	b.Set(neonPlace, math.MaxInt32)
	b.Set(neonSecond, math.MaxInt32)
	b.Move(64, groupCursor, ctx)
	b.Place(again)
	b.Load(LDRW, 15, groupIn(groupCursor, groupPlace))
	b.Compare(32, 15, neonPlace)
	b.Jump(GE, no)
	b.Move(32, neonSecond, neonPlace)
	b.Move(32, neonPlace, 15)
	b.Move(64, neonBest, groupCursor)
	b.Goto(next)
	b.Place(no)
	b.Compare(32, 15, neonSecond)
	b.Jump(GE, next)
	b.Move(32, neonSecond, 15)
	b.Place(next)
	b.AddImm(64, groupCursor, groupCursor, 1<<groupShift)
	b.Compare(64, groupCursor, groupsEnd)
	b.Jump(LO, again)
}

// placeEntry is the address of a place's entry in the table of places.
func (b *neonBuilder) placeEntry(d, place Reg) {
	b.addressOf(d, b.placeTable)
	b.AddScaled(d, d, place, placeShift)
}

// runPlace runs the lanes in X9 at the place in X12.
func (b *neonBuilder) runPlace() {
	some := b.Label()
	b.Move(64, ran, passed)
	b.Store(STRX, passed, partingAt(unsafe.Offsetof(Parting{}.since)))
	b.Store(STRW, runners, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.placeEntry(14, neonPlace)
	b.CompareImm(32, runners, -1)
	b.Jump(NE, some)
	b.Load(LDRW, 15, Mem{Base: 14, Disp: placeAll})
	b.R3(ADD, 64, 15, text, 15)
	b.GotoReg(15)
	b.Place(some)
	b.spreadMask()
	b.Load(LDRW, 15, Mem{Base: 14, Disp: placeSome})
	b.R3(ADD, 64, 15, text, 15)
	b.GotoReg(15)
}

// loseLanes counts the instructions that the waiting lanes did not run since the running ones last
// changed. It uses X15, X19 and X20.
func (b *neonBuilder) loseLanes() {
	b.Load(LDRW, 15, partingAt(unsafe.Offsetof(Parting{}.Full)))
	b.Load(LDRW, 19, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.R3(EOR, 32, 15, 15, 19)
	b.Zero(tmp)
	b.Insert(32, tmp, 0, 15)
	b.V2(CNT16B, tmp, tmp)
	b.V2(ADDV8B, tmp, tmp)
	b.Extract(32, 15, tmp, 0)
	b.Load(LDRX, 19, partingAt(unsafe.Offsetof(Parting{}.since)))
	b.R3(SUB, 64, 19, passed, 19)
	b.R3(MUL, 64, 15, 15, 19)
	b.Load(LDRX, 20, partingAt(unsafe.Offsetof(Parting{}.lost)))
	b.R3(ADD, 64, 20, 20, 15)
	b.Store(STRX, 20, partingAt(unsafe.Offsetof(Parting{}.lost)))
}

// spreadMask puts Context.Mask into the masks of vectors. It uses X19.
func (b *neonBuilder) spreadMask() {
	b.spreadFrom(32, 0, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	for i := range abi.WarpSize / neonLanes {
		b.LoadVec(LDRQ, 1, ctxAt(unsafe.Offsetof(Context{}.bits32)+uintptr(16*i)))
		b.V3(CMTST4S, 1, 0, 1)
		b.StoreVec(STRQ, 1, ctxAt(unsafe.Offsetof(Context{}.mask32)+uintptr(16*i)))
		b.V2(SXTL, 2, 1)
		b.V2(SXTL2, 3, 1)
		b.StoreVec(STRQ, 2, ctxAt(unsafe.Offsetof(Context{}.mask64)+uintptr(32*i)))
		b.StoreVec(STRQ, 3, ctxAt(unsafe.Offsetof(Context{}.mask64)+uintptr(32*i+16)))
	}
}
