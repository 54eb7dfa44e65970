package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// call lowers a call: of a built-in function, an intrinsic, or a function whose body is inlined
// here.
func (f *frame) call(in *ssa.Call) value {
	l := f.l
	if in.Call.IsInvoke() {
		l.errorf(f.messagePos(in), "a kernel cannot call a method of an interface value: use a type parameter, "+
			"whose type is known when the kernel is compiled")
		return l.undefined(in.Type())
	}
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		return f.builtin(in, b)
	}
	callee := f.value(in.Call.Value).leaves[0].fn
	switch callee {
	case nil:
		l.errorf(f.messagePos(in), "which function is called here must be known when the kernel is compiled: call "+
			"each in a branch of its own, or pass it as an argument")
		return l.undefined(in.Type())
	case reported:
		return l.undefined(in.Type())
	}
	if how, ok := intrinsicOf(callee.fn); ok {
		return f.intrinsic(in, callee.fn, how)
	}
	if how, ok := l.hardwareOf(callee.fn); ok {
		return f.operation(in, how)
	}
	if callee.fn.Pkg != nil && callee.fn.Pkg.Pkg == types.Unsafe {
		return value{} // its initialiser, which has no body
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
	switch {
	case len(callee.fn.Blocks) == 0 && packageOf(callee.fn) == frontend.GPUPath:
		l.errorf(f.messagePos(in), "a kernel cannot call %s of package gpu: it is for the host", displayName(callee.fn))
		return false
	case len(callee.fn.Blocks) == 0:
		l.errorf(f.messagePos(in), "a kernel cannot call %s: it is not written in Go", displayName(callee.fn))
		return false
	}
	for i := len(l.frames) - 1; i >= 0; i-- {
		if l.frames[i].fn == callee.fn && l.frames[i].sameFuncs(callee, args) {
			var cycle []string
			for _, g := range l.frames[i:] {
				cycle = append(cycle, displayName(g.fn))
			}
			l.errorf(f.messagePos(in), "%s", frontend.RecursionMessage(append(cycle, displayName(callee.fn))))
			return false
		}
	}
	if len(l.frames) > maxInlineDepth {
		l.errorf(f.messagePos(in), "calls are nested more than %d deep here: a kernel has no call stack, use a loop",
			maxInlineDepth)
		return false
	}
	return true
}

// sameFuncs reports whether a call of the frame's function has the same functions among its
// arguments and bindings. A function that is called within itself with other functions does not
// recurse, as apply(f, …) does not in the f given to apply.
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
