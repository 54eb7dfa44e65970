package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// instr lowers one instruction.
func (f *frame) instr(in ssa.Instruction) {
	if f.l.f.NumValues() > maxValues && !f.l.full {
		f.l.full = true
		f.l.errorf(f.l.frames[0].fn.Pos(), "the kernel is larger than %d instructions once its calls are inlined: "+
			"call large functions from fewer places", maxValues)
	}
	if f.l.full {
		return
	}
	switch in := in.(type) {
	case *ssa.DebugRef:
		f.debugRef(in)
	case *ssa.Phi:
		f.phi(in)
	case *ssa.If, *ssa.Jump, *ssa.Return, *ssa.Panic:
		f.terminator(in)
	case *ssa.Store:
		f.store(in)
	case *ssa.RunDefers:
		// Defer statements are refused, so there is nothing to run.
	case ssa.Value:
		if v, ok := f.define(in); ok {
			f.values[in] = v
		}
	default:
		f.unsupported(in)
	}
}

// define computes the value of an instruction.
func (f *frame) define(in ssa.Value) (value, bool) {
	switch in := in.(type) {
	case *ssa.Alloc:
		return f.alloc(in), true
	case *ssa.BinOp:
		return f.binOp(in), true
	case *ssa.UnOp:
		return f.unOp(in), true
	case *ssa.Call:
		return f.call(in), true
	case *ssa.ChangeType:
		return f.value(in.X), true
	case *ssa.Convert:
		return f.convert(in), true
	case *ssa.Extract:
		return f.value(in.Tuple).tuple[in.Index], true
	case *ssa.Field:
		return f.l.part(f.value(in.X), in.X.Type(), in.Field), true
	case *ssa.FieldAddr:
		return f.fieldAddr(in), true
	case *ssa.Index:
		return f.index(in), true
	case *ssa.IndexAddr:
		return f.indexAddr(in), true
	case *ssa.MakeClosure:
		c := &closure{fn: in.Fn.(*ssa.Function)}
		for _, b := range in.Bindings {
			c.bindings = append(c.bindings, f.value(b))
		}
		return value{leaves: []leaf{{fn: c}}}, true
	case *ssa.Next:
		return f.nextRune(in), true
	case *ssa.Range:
		return f.rangeString(in), true
	case *ssa.MakeInterface:
		return value{}, false // an argument of panic, gpu.Printf or a type assertion, which look at its operand
	case *ssa.TypeAssert:
		return f.typeAssert(in), true
	case *ssa.Slice:
		return f.slice(in), true
	case *ssa.SliceToArrayPointer:
		return f.sliceToArray(in), true
	}
	f.unsupported(in.(ssa.Instruction))
	return f.l.undefined(in.Type()), true
}

// unsupported reports an instruction that package frontend should have refused with a better
// message.
func (f *frame) unsupported(in ssa.Instruction) {
	f.l.errorf(f.messagePos(in), "a kernel cannot contain this (%s)",
		strings.TrimPrefix(fmt.Sprintf("%T", in), "*ssa."))
}

// messagePos is the position for a message about an instruction.
func (f *frame) messagePos(in ssa.Instruction) token.Pos {
	if pos := f.instrPos(in); pos.IsValid() {
		return pos
	}
	return f.fn.Pos()
}

// value is the value of an operand.
func (f *frame) value(x ssa.Value) value {
	switch x := x.(type) {
	case *ssa.Const:
		return f.l.constant(x)
	case *ssa.Function:
		return value{leaves: []leaf{{fn: &closure{fn: x}}}}
	case *ssa.Builtin:
		return value{leaves: []leaf{{fn: &closure{builtin: x}}}}
	case *ssa.Global:
		if r, ok := registers[x.Name()]; ok && x.Pkg.Pkg.Path() == gpuPath {
			return value{leaves: []leaf{{reg: &register{first: r, field: -1}}}}
		}
		return f.l.global(x)
	}
	v, ok := f.values[x]
	if !ok {
		if len(f.l.errs) == 0 && !f.l.full {
			panic("BUG: " + f.fn.Name() + ": " + x.Name() + " is used before it is lowered")
		}
		return f.l.undefined(x.Type())
	}
	return v
}

// debugRef names values after the variables that hold them.
func (f *frame) debugRef(in *ssa.DebugRef) {
	v, ok := f.values[in.X]
	variable, isVar := in.Object().(*types.Var)
	if !ok || !isVar || variable.IsField() || in.IsAddr || len(v.leaves) != 1 {
		return
	}
	x := v.leaves[0].v
	if x != nil && x.Name == "" && x.Op != ir.Alloca && x.Op != ir.VarAddr {
		x.Name = strings.TrimSuffix(variable.Name(), "'")
	}
}

func (f *frame) phi(in *ssa.Phi) {
	l := f.l
	lay := l.layout(in.Type())
	p := pendingPhi{instr: in}
	if lay.large {
		p.slot = l.temp(in.Type(), in.Comment)
		snapshot := l.temp(in.Type(), in.Comment)
		l.b.MemCopy(snapshot, p.slot, lay.size, p.slot.Align)
		f.values[in] = value{mem: snapshot}
		f.phis = append(f.phis, p)
		return
	}
	var v value
	for _, s := range lay.scalars {
		if s.typ == ir.Void {
			v.leaves = append(v.leaves, f.funcPhi(in))
			p.phis = append(p.phis, nil)
			continue
		}
		phi := l.b.Phi(s.typ)
		if !strings.Contains(in.Comment, "range") { // go/ssa's own words for the index of a range loop
			phi.Name = strings.TrimSuffix(in.Comment, "'") + s.path
		}
		p.phis = append(p.phis, phi)
		v.leaves = append(v.leaves, leaf{v: phi})
	}
	f.values[in] = v
	f.phis = append(f.phis, p)
	f.loopVar(in)
}

// loopVar recognises a for loop's variable if the loop takes its address. go/ssa makes a new
// variable after each iteration and copies the old one into it. No address outlives an
// iteration (see checkEscapes), so the variable need not move.
func (f *frame) loopVar(in *ssa.Phi) {
	if in.Block().Comment != "for.loop" || len(in.Edges) != 2 {
		return
	}
	outer, ok := in.Edges[0].(*ssa.Alloc)
	next, ok2 := in.Edges[1].(*ssa.Alloc)
	if !ok || !ok2 || next.Block().Comment != "for.post" || outer.Comment != in.Comment || next.Comment != in.Comment {
		return
	}
	if v, ok := f.values[outer]; ok && v.leaves[0].v != nil {
		f.loopVars[next] = v.leaves[0].v
		f.values[in].leaves[0].nonNil = true
	}
}

// funcPhi is a variable of function type where branches meet. All of them must bring the same
// function.
func (f *frame) funcPhi(in *ssa.Phi) leaf {
	return f.sameFunc(f.messagePos(in), func(yield func(leaf) bool) {
		for i, edge := range in.Edges {
			if !f.comesFrom(in.Block(), i) {
				continue
			}
			lf := leaf{fn: &closure{}} // not known yet, or not at all: different from every other
			if v, ok := f.values[edge]; ok && len(v.leaves) == 1 {
				lf = v.leaves[0]
			} else if fn, ok := edge.(*ssa.Function); ok {
				lf.fn = &closure{fn: fn}
			} else if edge == in {
				continue
			}
			if !yield(lf) {
				return
			}
		}
	})
}

func (f *frame) terminator(in ssa.Instruction) {
	l := f.l
	succs := in.Block().Succs
	switch in := in.(type) {
	case *ssa.Jump:
		l.b.Jump(f.first[succs[0]])
	case *ssa.If:
		if holds, known := decide(in.Cond); known {
			if !holds {
				succs = succs[1:]
			}
			l.b.Jump(f.first[succs[0]])
			return
		}
		cond := f.value(in.Cond).one()
		if succs[0] == succs[1] {
			l.b.Jump(f.first[succs[0]])
			return
		}
		l.b.Branch(cond, f.first[succs[0]], f.first[succs[1]])
	case *ssa.Return:
		r := returned{block: l.b.Block}
		for _, x := range in.Results {
			r.values = append(r.values, f.value(x))
		}
		f.returns = append(f.returns, r)
	case *ssa.Panic:
		l.b.Panic(ir.CheckPanic, l.text(f.panicText(in)))
	}
}

// panicText is the constant message of a panic.
func (f *frame) panicText(in *ssa.Panic) string {
	if m, ok := in.X.(*ssa.MakeInterface); ok {
		if text, ok := f.constString(m.X); ok {
			return text
		}
	}
	f.l.errorf(f.messagePos(in), "in a kernel the message of panic must be a constant string")
	return ""
}
