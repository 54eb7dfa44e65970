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

// Where lanes part X7 has the lanes that take the branch, X9 those that go on, at X10, X11 the exit
// at the block's end, X12 1 + the exit of the block at which the others wait, and X13 its place.

// part makes the branch of a block at which lanes part. X7 has the lanes that take it, and X8 all lanes
// that run.
func (b *neonBuilder) part(bp *blockPlan, due Label) {
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
	if back {
		b.Move(32, 9, 7)
	} else {
		b.R3(EOR, 32, 9, 7, 8)
	}
	b.addressOf(10, head)
	b.Set(11, uint64(b.exitNumber(bp.Block, len(bp.Insts))))
	b.Set(12, uint64(b.exitNumber(other, 0))+1)
	b.Set(13, uint64(placeOf(other)))
	b.Goto(b.parting)
}

// makeParting makes the code that parts lanes, or exits if they cannot part.
func (b *neonBuilder) makeParting() {
	first, join, fail := b.Label(), b.Label(), b.Label()
	b.parting = b.Label()
	b.Place(b.parting)
	b.Load(LDRW, 14, partingAt(unsafe.Offsetof(Parting{}.MayPart)))
	b.JumpZero(32, 14, fail)
	b.Load(LDRW, 14, partingAt(unsafe.Offsetof(Parting{}.Waiting)))
	b.JumpZero(32, 14, first)
	b.Load(LDRW, 15, partingAt(unsafe.Offsetof(Parting{}.place)))
	b.Compare(32, 12, 15)
	b.Jump(NE, fail)
	b.loseLanes()
	b.Goto(join)
	b.Place(first)
	b.Load(LDRW, 15, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.Store(STRW, 15, partingAt(unsafe.Offsetof(Parting{}.Full)))
	b.Store(STRW, 12, partingAt(unsafe.Offsetof(Parting{}.place)))
	b.Store(STRW, 13, partingAt(unsafe.Offsetof(Parting{}.order)))
	b.Move(32, order, 13)
	b.Place(join)
	b.Store(STRX, passed, partingAt(unsafe.Offsetof(Parting{}.since)))
	b.Move(64, ran, passed)
	b.Store(STRW, 9, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	b.AddScaled(15, ctx, 14, 4)
	to := partingAt(unsafe.Offsetof(Parting{}.Parts))
	to.Base = 15
	b.Store(STRX, passed, to.At(int32(unsafe.Offsetof(Part{}.Ran))))
	b.Store(STRW, 7, to.At(int32(unsafe.Offsetof(Part{}.Taken))))
	b.Store(STRW, 11, to.At(int32(unsafe.Offsetof(Part{}.Due))))
	b.AddImm(32, 14, 14, 1)
	b.Store(STRW, 14, partingAt(unsafe.Offsetof(Parting{}.Waiting)))
	b.spreadMask()
	b.GotoReg(10)
	b.Place(fail)
	b.Move(32, 7, 11)
	b.Goto(b.leave)
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

// join makes what the running lanes do that come to a block at which, or after which, others wait.
func (b *neonBuilder) join(to *code.Block, due Label) {
	all, ok := b.heads[0][to]
	if !ok {
		b.Goto(due)
		return
	}
	b.Load(LDRW, 8, partingAt(unsafe.Offsetof(Parting{}.Waiting)))
	b.JumpZero(32, 8, due)
	b.Load(LDRW, 8, partingAt(unsafe.Offsetof(Parting{}.place)))
	b.CompareImm(32, 8, int64(b.exitNumber(to, 0))+1)
	b.Jump(NE, due)
	b.addressOf(10, all)
	b.addressOf(11, b.heads[1][to])
	b.Goto(b.joining)
}

// makeJoining makes the code that joins all lanes. It goes on at X10 if they are all lanes of the warp,
// else at X11.
func (b *neonBuilder) makeJoining() {
	b.joining = b.Label()
	b.Place(b.joining)
	b.loseLanes()
	b.Move(64, ran, passed)
	b.saveImm(partingAt(unsafe.Offsetof(Parting{}.Waiting)), 0)
	b.Set(order, math.MaxInt32)
	b.Load(LDRW, 8, partingAt(unsafe.Offsetof(Parting{}.Full)))
	b.Store(STRW, 8, ctxAt(unsafe.Offsetof(Context{}.Mask)))
	some := b.Label()
	b.CompareImm(32, 8, -1)
	b.Jump(NE, some)
	b.GotoReg(10)
	b.Place(some)
	b.spreadMask()
	b.GotoReg(11)
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
