package sim

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// engine runs the instructions of basic blocks faster than the interpreter does, which calls a Go
// function for each (interpret). The machine does what lies between blocks: it performs their ends,
// counts, and decides which lanes, warps and blocks run when.
//
// An engine keeps nothing of a warp to itself. All values are in the register file (warp.Base) and in
// memory, so it can stop at any instruction, and leave that and the rest of the block to interpret: an
// instruction that it does not know, or one that would fault.
type engine interface {
	// worth is how many warp instructions of a kernel are interpreted before it is loaded. 0 loads it
	// when it is first launched without an observer.
	worth(k *code.Kernel) uint64

	// load prepares a kernel, once.
	load(k *code.Kernel, bound *binding)

	// run runs the instructions of the block w.at, without its end, for the lanes of w.mask, and
	// returns the block whose end is due. That is w.at, unless the engine went on into blocks that
	// follow. It may do so while w has one group of lanes and fuel, if it calls warp.count for each
	// block that it leaves, and moves w.at. It is not called where an observer watches.
	//
	// It may also run whole turns of warps of the block, as cta.turn would. Then it accounts for them,
	// begins the turn of cta.crew.next, and returns nil.
	run(w *warp) *bblock
}

// bindFunc gives each instruction of a kernel the function that interprets it.
type bindFunc func(mod *ptx.Module, sm int, k *code.Kernel) (*binding, LoadErrors)

// binding is a kernel's code, bound.
type binding struct {
	funcs  map[*code.Func]*function
	blocks map[*code.Block]*bblock
}

// count counts a block that the running group has run.
func (w *warp) count(b *bblock) {
	w.instrs += uint64(b.n)
	w.lanes += uint64(b.n) * uint64(popcount(w.mask))
	w.fuel -= b.n
}
