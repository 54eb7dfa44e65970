package emit

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// emitter makes the body of one kernel.
type emitter struct {
	m *moduleEmitter
	f *ir.Func

	// What choose found out, by value ID.
	uses   []int
	needed []bool    // a separate instruction computes the value
	fused  []*fusion // how, where others are part of it
	lanes  map[*ir.Value][]*ir.Value

	live  *liveness
	group []*group
	early map[*ir.Block][]phiCopy // copies made before the branch of a block

	out      []ptx.Stmt
	varDecls []ptx.Stmt
	symbols  map[any]string // of *ir.Var and of Alloca values
	shared   sharedLayout
	locals   map[string]bool // names of parameters and variables
	counts   map[string]int  // registers used of each class
	pos      ir.Pos          // of the last .loc
	labels   map[*ir.Block]string
	failures []*failure
	prints   int // calls of gpu.Printf so far, for the names of their labels
	// syncsGrid says that the kernel calls abi.SyncGrid.
	syncsGrid bool
	byteOps   int // atomics on bytes so far, for the names of their labels

	halves   map[*ir.Value]ptx.Name // the results of conversions to 16 bits
	wideUses map[*ir.Value]bool     // which of them are used as 32 bits, too; nil before it is known
}

func newEmitter(m *moduleEmitter, f *ir.Func) *emitter {
	e := &emitter{m: m, f: f, symbols: map[any]string{}, locals: map[string]bool{}, counts: map[string]int{},
		labels: map[*ir.Block]string{}, halves: map[*ir.Value]ptx.Name{}}
	for _, p := range f.Params {
		e.locals[p.Name] = true
		if p.Value != nil {
			e.locals[p.Value.Name] = true
		}
	}
	return e
}

// body prints the blocks in their order, then the code of failing checks.
func (e *emitter) body() {
	e.nameLabels()
	for i, b := range e.f.Blocks {
		if label, ok := e.labels[b]; ok {
			e.out = append(e.out, &ptx.Label{Name: label})
		}
		var next *ir.Block
		if i+1 < len(e.f.Blocks) {
			next = e.f.Blocks[i+1]
		}
		for _, v := range b.Instrs {
			if v.Op == ir.Phi || v.Op == ir.Extract || !e.needed[v.ID] {
				continue
			}
			e.loc(positionOf(v))
			if v.Op.Terminator() {
				e.terminator(v, next)
			} else {
				e.instr(v)
			}
		}
	}
	e.faultCode()
}

// nameLabels gives a label to each block that is branched to, numbered in the order of the text.
func (e *emitter) nameLabels() {
	target := map[*ir.Block]bool{}
	for i, b := range e.f.Blocks {
		for k, s := range b.Succs {
			fallsThrough := i+1 < len(e.f.Blocks) && e.f.Blocks[i+1] == s &&
				(len(b.Succs) == 1 || k == 1 || b.Succs[1] != s)
			if !fallsThrough {
				target[s] = true
			}
		}
	}
	n := 0
	for _, b := range e.f.Blocks {
		if target[b] {
			n++
			e.labels[b] = fmt.Sprintf("$L%d", n)
		}
	}
}

// positionOf is an instruction's position. If threads wait for each other in a library, it has the
// kernel's call of that library, because the kernel's author can move the call.
func positionOf(v *ir.Value) ir.Pos {
	p := v.Pos
	if !v.Op.Convergent() {
		p.Call = ir.Call{}
	}
	return p
}

// loc prints a .loc when the position changes.
func (e *emitter) loc(p ir.Pos) {
	if p == e.pos || p.Line <= 0 || int(p.File) >= len(e.f.Files) {
		return
	}
	e.pos = p
	at := &ptx.Loc{File: e.m.file(e.f.Files[p.File]), Line: int(p.Line), Col: int(p.Col)}
	if c := p.Call; c.Line > 0 {
		at.InlinedAt = &ptx.Loc{File: e.m.file(e.f.Files[c.File]), Line: int(c.Line), Col: int(c.Col)}
	}
	e.out = append(e.out, at)
}

// ins appends an instruction.
func (e *emitter) ins(op ptx.Opcode, args ...ptx.Operand) *ptx.Instr {
	in := op.Instr(args...)
	e.out = append(e.out, in)
	return in
}

// guarded appends an instruction that runs if the predicate holds, or if it does not.
func (e *emitter) guarded(pred ptx.Name, not bool, op ptx.Opcode, args ...ptx.Operand) {
	e.ins(op, args...).Guard = &ptx.Guard{Reg: string(pred), Not: not}
}

// mov copies an operand to a register of class c.
func (e *emitter) mov(c class, dst ptx.Name, src ptx.Operand) {
	e.ins(ptx.OpMov.Of(c.typ), dst, src)
}

// val is v as an operand: its register, or what is written in place of it.
func (e *emitter) val(v *ir.Value) ptx.Operand {
	switch v.Op {
	case ir.Const:
		return constant(v)
	case ir.NilPtr:
		return ptx.Int{}
	}
	return e.reg(v)
}

// inReg is v in a register, for instructions that take nothing else.
func (e *emitter) inReg(v *ir.Value) ptx.Name {
	if !inline(v) {
		return e.reg(v)
	}
	c := classOf(v)
	t := e.temp(c)
	e.mov(c, t, e.val(v))
	return t
}

func constant(v *ir.Value) ptx.Operand {
	switch v.Type {
	case ir.F32:
		return ptx.Float{Bits: v.Int, Single: true}
	case ir.F64:
		return ptx.Float{Bits: v.Int}
	case ir.I32:
		return ptx.Int{Bits: uint64(int64(int32(v.Int)))}
	}
	return ptx.Int{Bits: v.Int}
}

// generic is the pointer v in generic form.
func (e *emitter) generic(v *ir.Value) ptx.Operand {
	x := e.val(v)
	if inline(v) {
		return x
	}
	switch v.PointsTo() {
	case ir.Shared:
		wide, t := e.temp(longClass), e.temp(longClass)
		e.ins(ptx.OpCvt.Of(ptx.U64, ptx.U32), wide, x)
		e.ins(ptx.OpCvta.Of(ptx.SharedSpace, ptx.U64), t, wide)
		return t
	case ir.Local, ir.Constant:
		t := e.temp(longClass)
		e.ins(ptx.OpCvta.Of(spaces[v.PointsTo()], ptx.U64), t, x)
		return t
	}
	return x
}

// as is v in the form of like: generic if like is a generic pointer and v is not.
func (e *emitter) as(v, like *ir.Value) ptx.Operand {
	if v.Type == ir.Ptr && v.PointsTo() != like.PointsTo() && classOf(like) == longClass && form(like) == ir.Generic {
		return e.generic(v)
	}
	return e.val(v)
}

// terminator ends a block. next is the block printed after it.
func (e *emitter) terminator(v *ir.Value, next *ir.Block) {
	b := v.Block
	switch v.Op {
	case ir.Jump:
		e.emitCopies(e.copies(b, 0))
		e.jump(b.Succs[0], next)
	case ir.Branch:
		e.branch(v, next)
	case ir.Return:
		e.ins(ptx.OpRet.Of())
	case ir.Panic:
		e.ins(ptx.OpBra.Of(ptx.ModUni), ptx.Name(e.fault(v)))
	}
}

func (e *emitter) jump(to, next *ir.Block) {
	if to != next {
		e.ins(ptx.OpBra.Of(ptx.ModUni), ptx.Name(e.labels[to]))
	}
}

func (e *emitter) branch(v *ir.Value, next *ir.Block) {
	yes, no := v.Block.Succs[0], v.Block.Succs[1]
	e.emitCopies(e.early[v.Block])
	if c, ok := v.Args[0].IsConst(); ok {
		e.jump(map[bool]*ir.Block{true: yes, false: no}[c != 0], next)
		return
	}
	op := ptx.OpBra.Of()
	if v.Uniform {
		op = ptx.OpBra.Of(ptx.ModUni)
	}
	cond := e.reg(v.Args[0])
	if yes == next {
		e.guarded(cond, true, op, ptx.Name(e.labels[no]))
		return
	}
	e.guarded(cond, false, op, ptx.Name(e.labels[yes]))
	e.jump(no, next)
}
