package sim

import "github.com/gridstride/gridstride/internal/ptx"

// exec runs one decoded instruction for a warp. Arithmetic computes all 32 lanes and writes the
// whole destination: when only some lanes run, the caller gives it a scratch destination and copies
// their lanes (see warp.part). Everything else looks at warp.exec for the lanes that run.
type exec func(w *warp, in *inst)

// inst is a decoded instruction. Operands are byte offsets of register slots in the frame's
// register file; constants and special registers have slots as well, so no exec needs to know what
// an operand was.
type inst struct {
	run           exec
	d, a, b, c, e uint32 // destination (or first of two) and sources, as run understands them
	seg           uint32 // index into worker.segs: where an access looks first
	imm           uint64 // address offset, lop3 table, …
	ext           any    // what else run needs

	// masked is the same instruction with the scratch slot as its destination; nil when run itself
	// obeys warp.exec.
	masked *inst
	wide   bool // the destination of a masked instruction is 64 bits a lane

	// observed replaces run when an observer watches; nil for instructions without events.
	observed exec
	site     *Site
	follows  bool // another inst of the same PTX instruction has sent its Step, or will
}

// endKind is how a basic block ends.
type endKind uint8

const (
	endFall   endKind = iota // into next
	endJump                  // to target
	endBranch                // lanes of the predicate to target, the others into next
	endOp                    // by op.run, which moves the lanes itself
)

// bblock is a basic block: instructions that run one after the other, and an end. Lanes are only
// ever regrouped between blocks, so a block that ends in an operation that makes lanes wait has no
// other instructions.
type bblock struct {
	code   []inst
	n      int // PTX instructions, the end included: for counting
	index  int // in the function, in the order of the text
	order  int // of reconvergence: see orderBlocks
	end    endKind
	pred   uint32 // endBranch: predicate slot
	neg    uint32 // endBranch: all ones to negate it
	guard  bool   // endBranch: around the instruction behind it, for whose guard it stands
	target *bblock
	next   *bblock
	op     *inst
	// successors are where lanes can go from here within the function.
	successors []*bblock
	site       *Site // of the end, nil for endFall
}

// function is a decoded function, for one kernel: the places of shared variables differ between
// kernels.
type function struct {
	name    string
	decl    *ptx.Func
	blocks  []*bblock
	file    fileLayout
	frame   frameLayout
	special []specialSlot
	// predicates has the slots of its predicate registers, by the register's number.
	predicates map[int]uint32
	addr       uint64 // what a function pointer to it holds
	// Where its formal parameters are.
	results, params []place
}

// full runs instructions when every live lane of the frame takes part, so that it does not matter
// what the other lanes' registers get.
func (w *warp) full(code []inst) {
	for i := range code {
		in := &code[i]
		in.run(w, in)
	}
}

// part runs instructions for the lanes of w.exec only.
func (w *warp) part(code []inst) {
	for i := range code {
		w.step(&code[i])
	}
}

// step runs one instruction for the lanes of w.exec.
func (w *warp) step(in *inst) {
	m := in.masked
	if m == nil || w.fr.lanes&^w.exec == 0 {
		in.run(w, in)
		return
	}
	m.run(w, m)
	if in.wide {
		blend[uint64](w, in.d, m.d)
	} else {
		blend[uint32](w, in.d, m.d)
	}
}

// watched runs instructions with an observer.
func (w *warp) watched(code []inst) {
	for i := range code {
		w.watch(&code[i])
	}
}

// watch runs one instruction with an observer.
func (w *warp) watch(in *inst) {
	if in.observed != nil {
		in.observed(w, in)
		return
	}
	if !in.follows {
		w.sendStep(in.site)
	}
	w.step(in)
}

// guard is the ext of a guarded instruction: run in when the predicate in slot pred says so.
type guard struct {
	pred, neg uint32
	in        inst
}

func runGuarded(w *warp, in *inst) {
	g := in.ext.(*guard)
	all := w.exec
	w.exec = all & (*predicate(w, g.pred) ^ g.neg)
	if w.exec != 0 {
		w.step(&g.in)
	}
	w.exec = all
}

func watchGuarded(w *warp, in *inst) {
	g := in.ext.(*guard)
	all := w.exec
	w.exec = all & (*predicate(w, g.pred) ^ g.neg)
	if w.exec != 0 {
		w.watch(&g.in)
	}
	w.exec = all
}
