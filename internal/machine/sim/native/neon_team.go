package native

import (
	"unsafe"

	. "github.com/gridstride/gridstride/internal/machine/sim/native/arm64"
)

// teamAt is a field of the Context's team, and mateAt of the warp at X8.

func teamAt(off uintptr) Mem { return ctxAt(unsafe.Offsetof(Context{}.Team) + off) }

func mateAt(off uintptr) Mem { return Mem{Base: 8, Disp: int32(off)} }

// change makes an operation at which the code goes on with another warp.
func (b *neonBuilder) change(bp *blockPlan, due Label) {
	if b.plan.ends(bp.Op) {
		b.depart(bp, due)
		return
	}
	b.meet(bp, due)
}

// meet makes a barrier of the block: the last warp goes on, and the others give way to the next one.
func (b *neonBuilder) meet(bp *blockPlan, due Label) {
	head, ok := b.heads[0][bp.Next]
	if !ok {
		b.Goto(due)
		return
	}
	site := b.exitNumber(bp.Block, len(bp.Insts))
	first, last := b.Label(), b.Label()
	b.Load(LDRX, 8, teamAt(unsafe.Offsetof(Team{}.Mate)))
	b.JumpZero(64, 8, due)
	b.Load(LDRW, 9, teamAt(unsafe.Offsetof(Team{}.Arrived)))
	b.JumpZero(32, 9, first)
	b.Load(LDRW, 10, teamAt(unsafe.Offsetof(Team{}.Site)))
	b.CompareImm(32, 10, int64(site))
	b.Jump(NE, due)
	b.Place(first)
	b.AddImm(32, 9, 9, 1)
	b.Load(LDRW, 10, teamAt(unsafe.Offsetof(Team{}.Count)))
	b.Compare(32, 9, 10)
	b.Jump(EQ, last)
	b.saveImm(teamAt(unsafe.Offsetof(Team{}.Site)), uint32(site))
	b.Store(STRW, 9, teamAt(unsafe.Offsetof(Team{}.Arrived)))
	b.Goto(b.switching)
	b.Place(last)
	b.saveImm(teamAt(unsafe.Offsetof(Team{}.Arrived)), 0)
	b.saveImm(ctxAt(unsafe.Offsetof(Context{}.stored)), 1)
	b.addressOf(9, head)
	b.Store(STRX, 9, teamAt(unsafe.Offsetof(Team{}.Resume)))
	b.saveImm(teamAt(unsafe.Offsetof(Team{}.Resumed)), uint32(b.exitNumber(bp.Next, 0))+1)
	b.Move(64, ran, passed)
	b.Goto(head)
}

// depart makes the end of a warp, unless others wait for it. After the last warp of its block the code
// goes on with the next block, if it can.
func (b *neonBuilder) depart(bp *blockPlan, due Label) {
	b.Load(LDRX, 8, teamAt(unsafe.Offsetof(Team{}.Mate)))
	b.JumpZero(64, 8, due)
	b.Load(LDRW, 9, teamAt(unsafe.Offsetof(Team{}.Arrived)))
	b.JumpNotZero(32, 9, due)
	b.Load(LDRW, 9, teamAt(unsafe.Offsetof(Team{}.Count)))
	b.AddImm(32, 9, 9, -1)
	b.Set(7, uint64(b.exitNumber(bp.Block, len(bp.Insts))))
	b.JumpZero(32, 9, b.following)
	b.Store(STRW, 9, teamAt(unsafe.Offsetof(Team{}.Count)))
	b.saveImm(mateAt(unsafe.Offsetof(Mate{}.Ended)), uint32(b.exitNumber(bp.Block, len(bp.Insts)))+1)
	b.saveImm(ctxAt(unsafe.Offsetof(Context{}.stored)), 1)
	b.Goto(b.departing)
}

// makeSwitches makes the code that goes on with the next warp. X8 has the warp that ran.
func (b *neonBuilder) makeSwitches() {
	b.switching, b.departing, b.following = b.Label(), b.Label(), b.Label()
	next := b.Label()
	b.Place(b.departing)
	b.Load(LDRX, 10, teamAt(unsafe.Offsetof(Team{}.Prev)))
	b.Load(LDRX, 9, mateAt(unsafe.Offsetof(Mate{}.Next)))
	b.Store(STRX, 9, Mem{Base: 10, Disp: int32(unsafe.Offsetof(Mate{}.Next))})
	b.Goto(next)
	b.Place(b.switching)
	b.Store(STRX, 8, teamAt(unsafe.Offsetof(Team{}.Prev)))
	b.Place(next)
	b.endTurn()
	b.Move(64, ran, passed)
	b.Load(LDRX, 8, mateAt(unsafe.Offsetof(Mate{}.Next)))
	later := b.Label()
	b.Load(LDRX, 10, teamAt(unsafe.Offsetof(Team{}.Mate)))
	b.Compare(64, 8, 10)
	b.Jump(HI, later)
	b.Store(STRW, 9, teamAt(unsafe.Offsetof(Team{}.Wrapped)))
	b.Place(later)
	b.Store(STRX, 8, teamAt(unsafe.Offsetof(Team{}.Mate)))
	b.Load(LDRX, file, mateAt(unsafe.Offsetof(Mate{}.File)))
	b.Load(LDRX, 9, teamAt(unsafe.Offsetof(Team{}.Resume)))
	b.GotoReg(9)
}

// endTurn accounts for the turn of the warp at X8, which ends. It leaves the number of the turns in X9,
// and uses X10.
func (b *neonBuilder) endTurn() {
	progress, on := b.Label(), b.Label()
	b.Load(LDRX, 10, teamAt(unsafe.Offsetof(Team{}.Begin)))
	b.R3(SUB, 64, 10, passed, 10)
	b.Store(STRX, passed, teamAt(unsafe.Offsetof(Team{}.Begin)))
	b.Load(LDRX, 9, mateAt(unsafe.Offsetof(Mate{}.Ran)))
	b.R3(ADD, 64, 9, 9, 10)
	b.Store(STRX, 9, mateAt(unsafe.Offsetof(Mate{}.Ran)))
	b.Load(LDRW, 9, ctxAt(unsafe.Offsetof(Context{}.stored)))
	b.JumpNotZero(32, 9, progress)
	b.Load(LDRW, 9, teamAt(unsafe.Offsetof(Team{}.Idle)))
	b.R3(ADD, 32, 10, 10, 9)
	b.Store(STRW, 10, teamAt(unsafe.Offsetof(Team{}.Idle)))
	b.Goto(on)
	b.Place(progress)
	b.saveImm(teamAt(unsafe.Offsetof(Team{}.Idle)), 0)
	b.saveImm(teamAt(unsafe.Offsetof(Team{}.Progress)), 1)
	b.saveImm(ctxAt(unsafe.Offsetof(Context{}.stored)), 0)
	b.Place(on)
	b.Load(LDRX, 9, partingAt(unsafe.Offsetof(Parting{}.lost)))
	b.Store(STRX, 9, partingAt(unsafe.Offsetof(Parting{}.lostBefore)))
	b.Load(LDRW, 9, teamAt(unsafe.Offsetof(Team{}.Switches)))
	b.AddImm(32, 9, 9, 1)
	b.Store(STRW, 9, teamAt(unsafe.Offsetof(Team{}.Switches)))
}
