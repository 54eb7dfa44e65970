package native

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// plan divides a function into instructions that the code does and instructions that the interpreter
// does.
type plan struct {
	fn     *code.Func
	blocks []*blockPlan
	known  int // instructions that the code does
	live   *liveness
	// constants are the values of the function's constants of 32 bits, by offset.
	constants map[uint32]uint64
	fixed     map[uint32]bool // the constants of all widths, by offset
	steady    map[uint32]bool // the registers that keep their values from block to block: see findSteady
}

// blockPlan is a basic block. Its known instructions are divided into steps.
type blockPlan struct {
	*code.Block
	known []bool
	steps []step
	// shapes is how many shapes of addresses the code remembers: see findShapes.
	shapes int
	index  int
	// knowsOp says that the code does the operation that ends the block.
	knowsOp bool
	// switches says that the code goes on with another warp at the operation.
	switches bool
}

// step is instructions that run together: some that compute, lanes after lanes, or a single one of
// another kind.
type step struct {
	kind  stepKind
	from  int // the first instruction
	last  int // the last one
	insts []code.Inst
	shape int             // the number of an access's shape, or noShape
	due   map[uint32]bool // the results, by offset, that anything reads after the step
}

type stepKind uint8

const (
	compute  stepKind = iota // of registers
	logic                    // of predicates
	access                   // of memory
	fencing                  // a fence
	lanewise                 // of registers, lane by lane
)

// Bounds of a step that computes: instructions, since the code repeats all of them for each strip of
// lanes, and comparisons, since each takes a general register.
const (
	mostTogether   = 48
	mostCompares   = 4
	fewestTogether = 3 // fewer known instructions between two unknown ones cost more than they save
)

// stretch bounds how many instructions of a block the code runs without a look at its limit: the
// interpreter runs the last of them.
const stretch = 512

func newPlan(f *code.Func, t target, o *Options) *plan {
	p := &plan{fn: f, constants: map[uint32]uint64{}, fixed: map[uint32]bool{}}
	for _, c := range f.File.Constants() {
		p.fixed[c.Off] = true
		if c.Bits == 32 {
			p.constants[c.Off] = c.Value
		}
	}
	for i, b := range f.Blocks {
		bp := &blockPlan{Block: b, known: make([]bool, len(b.Insts)), index: i}
		for j := range b.Insts {
			in := &b.Insts[j]
			bp.known[j] = in.Guard == nil && j%stretch != stretch-1 && t.knows(in, f) && p.selects(in) && (o.Leave == nil || !o.Leave(b, j))
		}
		if o.Leave == nil {
			bp.leaveFew()
		}
		if bp.Op != nil && p.knowsTogether(bp.Op) && (o.Leave == nil || !o.Leave(b, len(b.Insts))) {
			bp.knowsOp = true
			p.known++
		}
		bp.switches = bp.Op != nil && (p.meets(bp.Op) || p.ends(bp.Op)) && (o.Leave == nil || !o.Leave(b, len(b.Insts)))
		for _, known := range bp.known {
			if known {
				p.known++
			}
		}
		p.blocks = append(p.blocks, bp)
	}
	if f.Decl != nil && f.Decl.Entry {
		p.findSteady()
	}
	p.live = newLiveness(p)
	for _, bp := range p.blocks {
		bp.divide(p.live)
		bp.findShapes()
	}
	return p
}

// selects reports whether a prmt has a constant that says which bytes it takes, as machine code wants it.
func (p *plan) selects(in *code.Inst) bool {
	if in.Op != ptx.OpPrmt {
		return true
	}
	_, constant := p.constants[in.Args[2].Off]
	return constant
}

// leaveFew has the interpreter run known instructions too if only few precede an unknown one.
func (bp *blockPlan) leaveFew() {
	run := 0
	for i, known := range bp.known {
		if known {
			run++
			continue
		}
		for j := i - run; run < fewestTogether && j < i; j++ {
			bp.known[j] = false
		}
		run = 0
	}
}

// divide makes the steps of a block.
func (bp *blockPlan) divide(live *liveness) {
	for i := range bp.Insts {
		if !bp.known[i] {
			continue
		}
		in := &bp.Insts[i]
		k := kindOf(in)
		if n := len(bp.steps); n > 0 && k == compute && bp.steps[n-1].last == i-1 && bp.steps[n-1].takes(in) {
			s := &bp.steps[n-1]
			s.insts, s.last = bp.Insts[s.from:i+1], i
			continue
		}
		bp.steps = append(bp.steps, step{kind: k, from: i, last: i, insts: bp.Insts[i : i+1]})
	}
	bp.setDue(bp.steps, live)
}

// setDue finds the results of steps that anything reads later.
func (bp *blockPlan) setDue(steps []step, live *liveness) {
	now := live.out[bp.Block].clone()
	if bp.End == code.EndBranch {
		now.add(live.numbers[bp.Guard.Pred.Off])
	}
	next := len(bp.Insts)
	for n := len(steps) - 1; n >= 0; n-- {
		s := &steps[n]
		for ; next > s.last+1; next-- {
			live.before(now, &bp.Insts[next-1], bp.known[next-1])
		}
		s.due = map[uint32]bool{}
		for i := range s.insts {
			for _, d := range s.insts[i].Dst {
				s.due[d.Off] = now.has(live.numbers[d.Off])
			}
		}
	}
}

// takes reports whether the next instruction, which computes, can run in the step: it must not read a
// predicate that the step's instructions compare for. Those are complete at the end of the step.
func (s *step) takes(in *code.Inst) bool {
	if s.kind != compute || len(s.insts) >= mostTogether {
		return false
	}
	compares := 0
	for j := range s.insts {
		if s.insts[j].Op != ptx.OpSetp {
			continue
		}
		compares++
		for _, d := range s.insts[j].Dst {
			for _, a := range in.Args {
				if a == d && in.Op != ptx.OpSetp {
					return false
				}
			}
		}
	}
	return compares < mostCompares || in.Op != ptx.OpSetp
}

func kindOf(in *code.Inst) stepKind {
	switch {
	case len(in.Mem) > 0:
		return access
	case isFence(in):
		return fencing
	case isLanewise(in):
		return lanewise
	case in.Op != ptx.OpSetp && in.Type == ptx.Pred:
		return logic
	}
	return compute
}

// slowCost is the instructions for which a quotient or a root counts: the processor takes some hundred
// nanoseconds for 32 quotients of subnormal numbers.
const slowCost = 16

// cost is how many instructions more a step that computes counts for.
func (s *step) cost() (n int32) {
	for i := range s.insts {
		switch s.insts[i].Op {
		case ptx.OpDiv, ptx.OpRem, ptx.OpSqrt, ptx.OpRcp:
			n += slowCost
		}
	}
	return n
}
