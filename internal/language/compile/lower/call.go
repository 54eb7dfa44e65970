package lower

import (
	"go/token"
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
	callee = f.fastForm(callee)
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
	funcs := funcsOf(callee, args)
	size := sizeOfFuncs(funcs)
	for i := len(l.frames) - 1; i >= 0; i-- {
		if g := l.frames[i]; g.fn == callee.fn && g.size == size && sameFuncs(g.funcs, funcs) {
			l.recursion(f.messagePos(in), callee.fn, l.frames[i:])
			return false
		}
	}
	if len(l.frames) > maxInlineDepth {
		l.tooDeep(f.messagePos(in))
		return false
	}
	return true
}

// recursion reports a call of fn in the last of some frames. The first frame is one of fn, too.
func (l *lowerer) recursion(pos token.Pos, fn *ssa.Function, frames []*frame) {
	var cycle []string
	for _, g := range frames {
		cycle = append(cycle, displayName(g.fn))
	}
	l.errorf(pos, "%s", frontend.RecursionMessage(append(cycle, displayName(fn))))
}

// growing is the number of nested calls of a function that count as a recursion at the depth limit,
// if each call's functions have captured more than the last call's.
const growing = 16

// tooDeep refuses a call at the depth limit and gives the kernel up.
func (l *lowerer) tooDeep(pos token.Pos) {
	l.full = true
	type run struct{ n, last int }
	runs := map[*ssa.Function]run{}
	for i, f := range l.frames {
		r := runs[f.fn]
		if r.n > 0 && f.size <= l.frames[r.last].size {
			r.n = 0
		}
		if r.n == growing {
			l.recursion(f.at, f.fn, l.frames[r.last:i])
			return
		}
		runs[f.fn] = run{r.n + 1, i}
	}
	l.errorf(pos, "calls are nested more than %d deep here: a kernel has no call stack, use a loop", maxInlineDepth)
}
