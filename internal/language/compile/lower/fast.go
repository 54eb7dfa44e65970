package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// permitsFast reports whether inexact arithmetic is permitted in a function that is inlined at the
// builder: in a fast kernel and the functions that it calls, and in a //gpu:fast function and those
// that it calls. The compiler's own mathematics stays exact.
func (l *lowerer) permitsFast(fn *ssa.Function) bool {
	if l.exact || frontend.IsExact(packageOf(fn), displayName(fn)) {
		return false
	}
	if len(l.frames) == 0 {
		return l.fastKernel
	}
	return l.frames[len(l.frames)-1].fast || frontend.IsFast(fn)
}

// fastForm replaces a function that is called in f by one with a larger error, if that is permitted
// and there is one.
func (f *frame) fastForm(c *closure) *closure {
	if f.fast {
		if fast := f.l.prog.Fast(c.fn); fast != nil {
			return &closure{fn: fast}
		}
	}
	return c
}
