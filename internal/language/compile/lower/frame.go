package lower

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// A frame is one call that is being inlined.
type frame struct {
	l      *lowerer
	fn     *ssa.Function
	values map[ssa.Value]value
	funcs  []*closure // among the arguments and bindings
	size   int        // of funcs, with what they have captured
	at     token.Pos  // of the call
	// loopVars are the variables of for loops that go/ssa makes anew for each iteration, by the
	// instruction that makes them. They stay where the first one is.
	loopVars map[*ssa.Alloc]*ir.Value
	live     map[*ssa.BasicBlock]bool      // what no type switch rules out
	first    map[*ssa.BasicBlock]*ir.Block // where a block begins
	last     map[*ssa.BasicBlock]*ir.Block // its end, after the calls inlined into it
	ends     map[*ssa.BasicBlock]ir.Pos    // the last position in it
	phis     []pendingPhi
	returns  []returned
	pos      ir.Pos  // of the call, if the function's own positions mean nothing to users
	fast     bool    // inexact arithmetic is permitted
	outer    ir.Call // of the function of another package than the kernel's that this is part of
	// For remarks: the loop around the call, and the loops of the function that its blocks are in.
	around *ir.SourceLoop
	from   map[*ssa.BasicBlock]*ir.SourceLoop
}

// A pendingPhi waits for its arguments until all blocks are lowered.
type pendingPhi struct {
	instr *ssa.Phi
	phis  []*ir.Value
	slot  *ir.Value // of a large value: where the predecessors leave it
}

type returned struct {
	block  *ir.Block
	values []value
}

// inline lowers the body of a function at the builder, which is after the body then.
func (l *lowerer) inline(c *closure, args []value) []value {
	fn := c.fn
	l.prog.Lowered(fn)
	f := &frame{
		l: l, fn: fn,
		values:   map[ssa.Value]value{},
		funcs:    funcsOf(c, args),
		at:       l.here(),
		loopVars: map[*ssa.Alloc]*ir.Value{},
		live:     map[*ssa.BasicBlock]bool{},
		first:    map[*ssa.BasicBlock]*ir.Block{},
		last:     map[*ssa.BasicBlock]*ir.Block{},
		ends:     map[*ssa.BasicBlock]ir.Pos{},
	}
	f.size = sizeOfFuncs(f.funcs)
	if frontend.IsStd(packageOf(fn)) {
		f.pos = l.b.Pos
	}
	f.outer, f.around = l.callInto(fn), l.from
	f.fast = l.permitsFast(fn)
	for i, p := range fn.Params {
		f.values[p] = args[i]
	}
	for i, v := range fn.FreeVars {
		f.values[v] = c.bindings[i]
	}
	callPos, callFast := l.b.Pos, l.b.Fast
	l.frames = append(l.frames, f)
	l.b.Fast = f.fast
	f.body()
	l.frames = l.frames[:len(l.frames)-1]
	l.b.Pos, l.b.Fast, l.from = callPos, callFast, f.around
	return f.join()
}

// callInto is the call from the kernel's package into the package of a function that is inlined at
// the builder. It is empty for a function of the kernel's package.
func (l *lowerer) callInto(fn *ssa.Function) ir.Call {
	at := l.b.Pos
	switch {
	case len(l.frames) == 0, packageOf(fn) == packageOf(l.frames[0].fn):
		return ir.Call{}
	case at.Call != ir.Call{}:
		return at.Call
	}
	return ir.Call{File: at.File, Line: at.Line, Col: at.Col}
}

// body lowers the blocks. Each follows its dominator, so that values are known before their uses.
func (f *frame) body() {
	l := f.l
	f.findLive()
	f.markLoops()
	for _, b := range f.fn.Blocks {
		if b != f.fn.Recover && f.live[b] {
			f.first[b] = l.f.NewBlock()
			f.first[b].From = f.fromOf(b)
		}
	}
	l.b.Jump(f.first[f.fn.Blocks[0]])
	for _, b := range f.fn.DomPreorder() {
		if f.first[b] == nil || l.full {
			continue
		}
		l.b.Block, l.from = f.first[b], f.fromOf(b)
		f.startPos(b)
		for _, in := range b.Instrs {
			f.setPos(in)
			f.instr(in)
		}
		f.last[b] = l.b.Block
		f.ends[b] = l.b.Pos
	}
	if l.full {
		f.close()
		return
	}
	for _, p := range f.phis {
		f.fillPhi(p)
	}
}

// close ends the blocks of a frame whose lowering was given up.
func (f *frame) close() {
	for _, b := range f.fn.Blocks {
		if blk := f.first[b]; blk != nil && blk.Term() == nil {
			f.l.b.Block = blk
			f.l.b.Return()
		}
	}
	f.returns, f.phis = nil, nil
}

// join brings the returns together: the builder goes on after the call, with the results.
func (f *frame) join() []value {
	l := f.l
	results := f.fn.Signature.Results()
	switch len(f.returns) {
	case 0: // it never returns; what follows cannot run
		l.b.Block = l.f.NewBlock()
		var out []value
		for i := range results.Len() {
			out = append(out, l.undefined(results.At(i).Type()))
		}
		return out
	case 1:
		l.b.Block = f.returns[0].block
		return f.returns[0].values
	}
	next := l.f.NewBlock()
	for _, r := range f.returns {
		l.b.Block = r.block
		l.b.Jump(next)
	}
	l.b.Block = next
	var out []value
	for i := range results.Len() {
		out = append(out, f.joinResult(next, i, results.At(i).Type()))
	}
	return out
}

func (f *frame) joinResult(next *ir.Block, i int, t types.Type) value {
	l := f.l
	lay := l.layout(t)
	if lay.large {
		slot := l.temp(t, "")
		for _, r := range f.returns {
			f.beforeTerm(r.block, func() { l.b.MemCopy(slot, r.values[i].mem, lay.size, 1) })
		}
		return value{mem: slot}
	}
	var v value
	for j, s := range lay.scalars {
		if s.typ == ir.Void {
			v.leaves = append(v.leaves, f.sameFunc(f.fn.Pos(), func(yield func(leaf) bool) {
				for _, r := range f.returns {
					if !yield(r.values[i].leaves[j]) {
						return
					}
				}
			}))
			continue
		}
		l.b.Block = next
		phi := l.b.Phi(s.typ)
		nonNil := true
		for _, r := range f.returns {
			phi.SetIncoming(r.block, r.values[i].leaves[j].v)
			nonNil = nonNil && r.values[i].leaves[j].nonNil
		}
		v.leaves = append(v.leaves, leaf{v: phi, nonNil: nonNil})
	}
	return v
}

// beforeTerm emits at the end of a block that has its terminator.
func (f *frame) beforeTerm(b *ir.Block, emit func()) {
	l := f.l
	saved := l.b.Block
	term := b.Instrs[len(b.Instrs)-1]
	b.Instrs = b.Instrs[:len(b.Instrs)-1]
	l.b.Block = b
	emit()
	l.b.Block.Append(term)
	l.b.Block = saved
}

// sameFunc is the one function that all leaves are. It refuses two different ones: which one is
// called must be known when the kernel is compiled.
func (f *frame) sameFunc(pos token.Pos, leaves func(func(leaf) bool)) leaf {
	var first *leaf
	for lf := range leaves {
		if first == nil {
			first = &lf
		} else if !lf.fn.same(first.fn) {
			f.l.errorf(pos, "which function is called must be known when the kernel is compiled: call each in a "+
				"branch of its own")
			return leaf{fn: reported}
		}
	}
	return *first
}

// fillPhi gives a phi its arguments.
func (f *frame) fillPhi(p pendingPhi) {
	l := f.l
	for i, edge := range p.instr.Edges {
		if !f.comesFrom(p.instr.Block(), i) {
			continue
		}
		pred := p.instr.Block().Preds[i]
		from := f.last[pred]
		f.beforeTerm(from, func() {
			l.b.Pos = f.ends[pred]
			v := f.value(edge)
			if p.slot != nil {
				l.b.MemCopy(p.slot, v.mem, l.layout(p.instr.Type()).size, 1)
				return
			}
			for j, phi := range p.phis {
				if phi == nil {
					continue // a function, which funcPhi has settled
				}
				phi.SetIncoming(from, f.incoming(p.instr, v.leaves[j], phi))
			}
		})
	}
}

// incoming is the argument of a phi: the address of a variable that holds a function is no value.
func (f *frame) incoming(in *ssa.Phi, lf leaf, phi *ir.Value) *ir.Value {
	if lf.v == nil {
		f.l.errorf(f.messagePos(in), "which function is called must be known when the kernel is compiled: call "+
			"each in a branch of its own")
		return f.l.zeroScalar(phi.Type)
	}
	return lf.v
}

// setPos moves the builder to an instruction's position, if it has one.
func (f *frame) setPos(in ssa.Instruction) {
	if f.pos.Line > 0 {
		f.l.b.Pos = f.pos
		return
	}
	if pos := f.instrPos(in); pos.IsValid() {
		f.l.cur = pos
		f.l.b.Pos = f.l.position(f.l.prog.StartPos(pos))
		f.l.b.Pos.Call = f.outer
	}
}

// startPos gives a block the position from which it is entered, for its instructions that have
// none.
func (f *frame) startPos(b *ssa.BasicBlock) {
	if d := b.Idom(); d != nil {
		f.l.b.Pos = f.ends[d]
	}
	for _, in := range b.Instrs {
		if pos := f.instrPos(in); pos.IsValid() {
			f.setPos(in)
			return
		}
	}
}

// instrPos is the position of an instruction. A branch has its condition's.
func (f *frame) instrPos(in ssa.Instruction) token.Pos {
	if ref, ok := in.(*ssa.DebugRef); ok {
		return f.l.prog.ExprPos(ref.Expr)
	}
	if branch, ok := in.(*ssa.If); ok {
		return branch.Cond.Pos()
	}
	return in.Pos()
}

// packageOf is the import path of the package that declares a function.
func packageOf(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Pkg != nil {
		return fn.Pkg.Pkg.Path()
	}
	if obj := fn.Object(); obj != nil && obj.Pkg() != nil {
		return obj.Pkg().Path()
	}
	return ""
}

// displayName is how a message calls a function.
func displayName(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return "a function literal of " + displayName(fn.Parent())
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return strings.TrimPrefix(fn.Name(), "*")
}
