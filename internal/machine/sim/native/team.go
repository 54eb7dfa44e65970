package native

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	. "github.com/gridstride/gridstride/internal/machine/sim/native/amd64"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Mate is a warp of a team. A team is the warps of a block if the code may go on with another warp
// when one waits at a barrier of the block, or ends. All lanes of each warp run together.
type Mate struct {
	File unsafe.Pointer // its register file
	Next *Mate          // the warp that runs after it; the last one's is the first
	// Ran is how many instructions it ran in turns that are over. A turn that began before Run counts
	// from its begin.
	Ran   int64
	Ended uint32 // 1 + the number of the exit at whose place it ended; 0 while it lives
}

// Team is the part of a Context that concerns the warps of a block. Without a Mate there is none. The
// code stores pointers to Mates, and the collector does not learn of that. So the caller keeps them, in one
// array in the order in which warps have their turns.
type Team struct {
	Mate *Mate // the running warp
	Prev *Mate // the warp that runs before it
	// Begin is the running warp's turn: less than 0 by the instructions that it ran before Run.
	Begin  int64
	Resume uintptr // the code of the warps that have not come to the barrier yet: Kernel.Address
	Count  uint32  // warps that live
	Moved  bool    // the turn changed, before Run, what others see
	// Arrived warps wait at a barrier, the exit Site. They are the last ones before the running warp.
	Arrived, Site uint32
	// Resumed is 1 + the number of the exit that says where Resume is, if the code has changed that.
	Resumed uint32
	// Switches counts the turns that ended. Progress says that one of them changed what others see, and
	// Idle has the instructions of the turns after the last such turn.
	Switches, Progress, Idle uint32
	// Wrapped is the value of Switches when a warp last went on that comes before the one which gave way
	// to it: since then each warp has had one turn at most. It is 0 if there was none.
	Wrapped uint32
}

// Address is the address of the code of an entry, for all lanes.
func (k *Kernel) Address(e Entry) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(k.text))) + uintptr(e.All)
}

// team is a field of the Context's team, and mate of the warp at RSI.

func team(off uintptr) Mem { return context(unsafe.Offsetof(Context{}.Team) + off) }

func mate(off uintptr) Mem { return Mem{Base: RSI, Disp: int32(off)} }

// meets reports whether an operation is a barrier of the whole block with a constant number.
func (p *plan) meets(in *code.Inst) bool {
	if in.Op != ptx.OpBar && in.Op != ptx.OpBarrier || len(in.Args) != 1 ||
		in.Has(code.OfWarp) || in.Has(code.OfCluster) || in.Has(code.Reduces) || in.Has(code.Arrives) {
		return false
	}
	n, ok := p.constants[in.Args[0].Off]
	return ok && n < abi.Barriers
}

// ends reports whether an operation ends threads, if they are in no call.
func (p *plan) ends(in *code.Inst) bool { return in.Op == ptx.OpRet || in.Op == ptx.OpExit }

// change makes an operation at which the code goes on with another warp.
func (b *builder) change(bp *blockPlan, due Label) {
	if b.plan.ends(bp.Op) {
		b.depart(bp, due)
		return
	}
	b.meet(bp, due)
}

// meet makes a barrier of the block: the last warp goes on, and the others give way to the next one.
// RAX has the number of instructions that were run, the block's included.
func (b *builder) meet(bp *blockPlan, due Label) {
	head, ok := b.heads[0][bp.Next]
	if !ok {
		b.Goto(due)
		return
	}
	site := int32(b.exitNumber(bp.Block, len(bp.Insts)))
	first, last := b.Label(), b.Label()
	b.Load(64, RSI, team(unsafe.Offsetof(Team{}.Mate)))
	b.Test(64, RSI, RSI)
	b.Jump(E, due)
	b.Load(32, RCX, team(unsafe.Offsetof(Team{}.Arrived)))
	b.Test(32, RCX, RCX)
	b.Jump(E, first)
	b.OpImm(CMP, 32, team(unsafe.Offsetof(Team{}.Site)), site)
	b.Jump(NE, due)
	b.Place(first)
	b.OpImm(ADD, 32, RCX, 1)
	b.Op(CMP, 32, RCX, team(unsafe.Offsetof(Team{}.Count)))
	b.Jump(E, last)
	b.SaveImm(team(unsafe.Offsetof(Team{}.Site)), site)
	b.Save(32, team(unsafe.Offsetof(Team{}.Arrived)), RCX)
	b.Goto(b.switching)
	b.Place(last)
	b.SaveImm(team(unsafe.Offsetof(Team{}.Arrived)), 0)
	b.SaveImm(context(unsafe.Offsetof(Context{}.stored)), 1)
	b.AddressOf(RCX, head)
	b.Save(64, team(unsafe.Offsetof(Team{}.Resume)), RCX)
	b.SaveImm(team(unsafe.Offsetof(Team{}.Resumed)), int32(b.exitNumber(bp.Next, 0))+1)
	b.Load(64, R12, RAX)
	b.Goto(head)
}

// depart makes the end of a warp, unless others wait for it. After the last warp of its block the code
// goes on with the next block, if it can.
func (b *builder) depart(bp *blockPlan, due Label) {
	b.Load(64, RSI, team(unsafe.Offsetof(Team{}.Mate)))
	b.Test(64, RSI, RSI)
	b.Jump(E, due)
	b.OpImm(CMP, 32, team(unsafe.Offsetof(Team{}.Arrived)), 0)
	b.Jump(NE, due)
	b.Load(32, RCX, team(unsafe.Offsetof(Team{}.Count)))
	b.Set(R10, int32(b.exitNumber(bp.Block, len(bp.Insts))))
	b.OpImm(SUB, 32, RCX, 1)
	b.Jump(E, b.following)
	b.Save(32, team(unsafe.Offsetof(Team{}.Count)), RCX)
	b.SaveImm(mate(unsafe.Offsetof(Mate{}.Ended)), int32(b.exitNumber(bp.Block, len(bp.Insts)))+1)
	b.SaveImm(context(unsafe.Offsetof(Context{}.stored)), 1)
	b.Goto(b.departing)
}

// makeSwitches makes the code that goes on with the next warp.
func (b *builder) makeSwitches() {
	b.switching, b.departing, b.following = b.Label(), b.Label(), b.Label()
	b.Place(b.departing)
	b.Load(64, RDX, team(unsafe.Offsetof(Team{}.Prev)))
	b.Load(64, RCX, mate(unsafe.Offsetof(Mate{}.Next)))
	b.Save(64, Mem{Base: RDX, Disp: int32(unsafe.Offsetof(Mate{}.Next))}, RCX)
	next := b.Label()
	b.Goto(next)
	b.Place(b.switching)
	b.Save(64, team(unsafe.Offsetof(Team{}.Prev)), RSI)
	b.Place(next)
	b.endTurn()
	b.Load(64, RSI, mate(unsafe.Offsetof(Mate{}.Next)))
	later := b.Label()
	b.Op(CMP, 64, RSI, team(unsafe.Offsetof(Team{}.Mate)))
	b.Jump(A, later)
	b.Load(32, RCX, team(unsafe.Offsetof(Team{}.Switches)))
	b.Save(32, team(unsafe.Offsetof(Team{}.Wrapped)), RCX)
	b.Place(later)
	b.Save(64, team(unsafe.Offsetof(Team{}.Mate)), RSI)
	b.Load(64, RBX, mate(unsafe.Offsetof(Mate{}.File)))
	b.Load(64, RAX, team(unsafe.Offsetof(Team{}.Resume)))
	b.GotoReg(RAX)
}

// endTurn accounts for the turn of the warp at RSI, which ends. It uses RCX and RDX.
func (b *builder) endTurn() {
	progress, on := b.Label(), b.Label()
	b.Load(64, RDX, RAX)
	b.Op(SUB, 64, RDX, team(unsafe.Offsetof(Team{}.Begin)))
	b.Save(64, team(unsafe.Offsetof(Team{}.Begin)), RAX)
	b.Load(64, RCX, mate(unsafe.Offsetof(Mate{}.Ran)))
	b.Op(ADD, 64, RCX, RDX)
	b.Save(64, mate(unsafe.Offsetof(Mate{}.Ran)), RCX)
	b.OpImm(CMP, 32, context(unsafe.Offsetof(Context{}.stored)), 0)
	b.Jump(NE, progress)
	b.Op(ADD, 32, RDX, team(unsafe.Offsetof(Team{}.Idle)))
	b.Save(32, team(unsafe.Offsetof(Team{}.Idle)), RDX)
	b.Goto(on)
	b.Place(progress)
	b.SaveImm(team(unsafe.Offsetof(Team{}.Idle)), 0)
	b.SaveImm(team(unsafe.Offsetof(Team{}.Progress)), 1)
	b.SaveImm(context(unsafe.Offsetof(Context{}.stored)), 0)
	b.Place(on)
	b.Load(64, RCX, parting(unsafe.Offsetof(Parting{}.lost)))
	b.Save(64, parting(unsafe.Offsetof(Parting{}.lostBefore)), RCX)
	b.Load(64, R12, RAX)
	b.OpImm(ADD, 32, team(unsafe.Offsetof(Team{}.Switches)), 1)
}
