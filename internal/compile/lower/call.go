package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/compile/frontend"
	"github.com/gridstride/gridstride/internal/compile/ir"
)

// call lowers a call: of a built-in function, an intrinsic, or a function whose body is inlined here.
func (f *frame) call(in *ssa.Call) value {
	l := f.l
	if in.Call.IsInvoke() {
		l.errorf(f.pos2(in), "a kernel cannot call a method of an interface value: use a type parameter, whose type is known when the kernel is compiled")
		return l.undefined(in.Type())
	}
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		return f.builtin(in, b)
	}
	callee := f.value(in.Call.Value).leaves[0].fn
	switch callee {
	case nil:
		l.errorf(f.pos2(in), "which function is called here must be known when the kernel is compiled: call each in a branch of its own, or pass it as an argument")
		return l.undefined(in.Type())
	case reported:
		return l.undefined(in.Type())
	}
	if fn := intrinsicOf(callee.fn); fn != nil {
		return fn(f, in, callee.fn)
	}
	var args []value
	for _, a := range in.Call.Args {
		args = append(args, f.value(a))
	}
	if !f.canInline(in, callee, args) {
		return l.undefined(in.Type())
	}
	results := l.inline(callee, args)
	if len(results) == 1 {
		return results[0]
	}
	return value{tuple: results}
}

// canInline refuses functions without a body, recursion, and calls nested too deep.
func (f *frame) canInline(in *ssa.Call, callee *closure, args []value) bool {
	l := f.l
	if len(callee.fn.Blocks) == 0 {
		l.errorf(f.pos2(in), "a kernel cannot call %s: it is not written in Go", displayName(callee.fn))
		return false
	}
	for i := len(l.frames) - 1; i >= 0; i-- {
		if l.frames[i].fn == callee.fn && l.frames[i].sameFuncs(callee, args) {
			var cycle []string
			for _, g := range l.frames[i:] {
				cycle = append(cycle, displayName(g.fn))
			}
			l.errorf(f.pos2(in), "%s", frontend.RecursionMessage(append(cycle, displayName(callee.fn))))
			return false
		}
	}
	if len(l.frames) > maxInlineDepth {
		l.errorf(f.pos2(in), "calls are nested more than %d deep here: a kernel has no call stack, use a loop", maxInlineDepth)
		return false
	}
	return true
}

// sameFuncs reports whether a call of the frame's function has the same functions among its arguments and bindings. A function that is
// called within itself with others, as apply(f, …) in the f given to apply, does not recurse.
func (f *frame) sameFuncs(c *closure, args []value) bool {
	for i, p := range f.fn.Params {
		if isFunc(p.Type()) && !sameCode(f.values[p], args[i]) {
			return false
		}
	}
	for i, v := range f.fn.FreeVars {
		if isFunc(v.Type()) && !sameCode(f.values[v], c.bindings[i]) {
			return false
		}
	}
	return true
}

func sameCode(x, y value) bool {
	a, b := x.leaves[0].fn, y.leaves[0].fn
	return a == b || a != nil && b != nil && a.fn == b.fn
}

// builtin lowers a call of a built-in function.
func (f *frame) builtin(in *ssa.Call, b *ssa.Builtin) value {
	l := f.l
	args := in.Call.Args
	switch b.Name() {
	case "len", "cap":
		return scalarValue(f.length(in, b.Name(), args[0]))
	case "min", "max":
		return scalarValue(f.minMax(b.Name() == "min", args))
	case "copy":
		dst, ok := args[0].Type().Underlying().(*types.Slice)
		if _, ok2 := args[1].Type().Underlying().(*types.Slice); ok && ok2 {
			return scalarValue(l.copySlice(dst.Elem(), f.value(args[0]), f.value(args[1])))
		}
	case "clear":
		if s, ok := args[0].Type().Underlying().(*types.Slice); ok {
			l.clearSlice(s.Elem(), f.value(args[0]))
			return value{}
		}
	case "Sizeof":
		return scalarValue(l.b.Int(ir.I64, frontend.Sizes.Sizeof(args[0].Type())))
	case "Alignof":
		return scalarValue(l.b.Int(ir.I64, frontend.Sizes.Alignof(args[0].Type())))
	case "ssa:wrapnilchk": // in the wrapper of a promoted method
		p := f.value(args[0])
		l.checkNil(p.leaves[0])
		return p
	}
	l.errorf(f.pos2(in), "a kernel cannot call %s", b.Name())
	return l.undefined(in.Type())
}

func (f *frame) length(in *ssa.Call, name string, x ssa.Value) *ir.Value {
	l := f.l
	t := x.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Array:
		return l.b.Int(ir.I64, t.Len())
	case *types.Slice:
		if name == "len" {
			return f.value(x).len()
		}
		return f.value(x).capa()
	}
	if s, ok := constString(x); ok {
		return l.b.Int(ir.I64, int64(len(s)))
	}
	f.unsupported(in)
	return l.b.Int(ir.I64, 0)
}

func (f *frame) minMax(isMin bool, args []ssa.Value) *ir.Value {
	k, ok := kindOf(args[0].Type())
	result := f.value(args[0]).one()
	if !ok {
		return result // strings, refused elsewhere
	}
	var op ir.Op
	switch {
	case k.float() && isMin:
		op = ir.FMin
	case k.float():
		op = ir.FMax
	case k.signed && isMin:
		op = ir.MinS
	case k.signed:
		op = ir.MaxS
	case isMin:
		op = ir.MinU
	default:
		op = ir.MaxU
	}
	for _, a := range args[1:] {
		result = f.l.b.Emit(op, k.typ, result, f.value(a).one())
	}
	return result
}
