package sim

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// exec runs one bound instruction for the lanes of warp.Exec.
type exec func(w *warp, in *inst)

// inst is a decoded instruction bound to the function that runs it: lane when it computes registers
// from registers, else run.
type inst struct {
	lanes.Inst
	lane lanes.Op
	run  exec
	seg  uint32 // index into worker.segs: where an access looks first
	wide bool   // the destination of a masked instruction is 64 bits a lane
	mem  *memOp // the access, of an instruction that makes one

	// masked is the same instruction with the scratch slot as its destination; nil when lane itself
	// obeys warp.Exec.
	masked *lanes.Inst

	// observed replaces run when an observer watches; nil for instructions without events.
	observed exec
	site     *event.Site
	follows  bool // another inst of the same PTX instruction has sent its Step, or will
}

// reg is a register slot of the running frame.
func reg[T lanes.Word](w *warp, slot uint32) *[abi.WarpSize]T { return lanes.Reg[T](&w.Warp, slot) }

// predicate is a predicate register: bit i belongs to lane i.
func predicate(w *warp, slot uint32) *uint32 { return lanes.Pred(&w.Warp, slot) }

// function is a function bound for one kernel.
type function struct {
	name   string
	blocks []*bblock
	file   registerFile // of a fresh frame
	// fresh has the parts of file that a fresh frame needs, if an engine knows them; nil for all.
	fresh   []native.Span
	frame   frameLayout
	special []specialSlot
	// slots has its registers, by the register's number.
	slots map[int]code.Slot
	// Where its formal parameters are.
	results, params []code.Param
}

// bblock is a bound basic block: see code.Block.
type bblock struct {
	code   []inst
	n      int    // PTX instructions, the end included: for counting
	order  [2]int // of reconvergence
	end    code.EndKind
	pred   uint32 // code.EndBranch: predicate slot
	neg    uint32 // code.EndBranch: all ones to negate it
	around bool   // code.EndBranch: it replaces the guard of the next instruction
	target *bblock
	next   *bblock
	op     *inst // code.EndOp
	// barrier is set if op is a barrier of the block, and sync if lanes of the warp wait for each
	// other at op.
	barrier *barrierOp
	sync    *syncOp
	site    *event.Site // of the end, nil for code.EndFall
	machine *machineCode
}

// firstSite is the instruction that a group standing at the block's start runs next.
func (b *bblock) firstSite() *event.Site {
	if len(b.code) > 0 {
		return b.code[0].site
	}
	return b.site
}
