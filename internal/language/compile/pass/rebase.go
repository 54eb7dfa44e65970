package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Rebase makes a counter of a loop that is only used one step further, as go/ssa writes "for _, x :=
// range s": i starts at -1, and the loop begins with i+1, tests it and works with it. The counter is
// i+1 itself then and starts at 0, as in the loop that one writes with an index. Later passes see one
// form, and need no instruction for the step in each use.
func Rebase(f *ir.Func) {
	loops := f.Loops(f.Dominators())
	uses := f.Uses()
	rep := ir.NewReplacer(f)
	for _, l := range loops.All {
		if len(l.Latches) != 1 || l.Latches[0] == l.Header || !leavesAtHeader(loops, l) {
			continue
		}
		for _, phi := range l.Header.Phis() {
			if next := stepped(loops, l, phi); next != nil && len(uses[phi.ID]) == 1 {
				rebase(f, l, phi, next, rep)
			}
		}
	}
	rep.Apply()
}

// leavesAtHeader reports whether the loop begins with a test that may leave it.
func leavesAtHeader(loops *ir.Loops, l *ir.Loop) bool {
	for _, s := range l.Header.Succs {
		if !loops.Contains(l, s) {
			return true
		}
	}
	return false
}

// stepped is phi plus a constant, if that is computed at the start of each iteration and the counter
// of the next one, and if phi starts at a constant.
func stepped(loops *ir.Loops, l *ir.Loop, phi *ir.Value) *ir.Value {
	init, step, ok := counter(loops, l, phi)
	if !ok || init.Op != ir.Const || step.Op != ir.Const {
		return nil
	}
	next := phi.Args[slices.Index(l.Header.Preds, l.Latches[0])]
	if next.Block != l.Header {
		return nil
	}
	return next
}

// rebase makes the counter of next, which takes its place.
func rebase(f *ir.Func, l *ir.Loop, phi, next *ir.Value, rep *ir.Replacer) {
	latch := slices.Index(l.Header.Preds, l.Latches[0])
	init, step := phi.Args[1-latch], next.Args[0]
	if step == phi {
		step = next.Args[1]
	}
	first := f.NewValue(ir.Const, phi.Type)
	a, _ := init.IntConst()
	b, _ := step.IntConst()
	first.Int = wrap(phi.Type, a+b)
	f.Entry().Insert(0, first)
	q := f.NewValue(ir.Phi, phi.Type, nil, nil)
	q.Pos, q.Name = next.Pos, next.Name
	grown := f.NewValue(ir.Add, phi.Type, q, step)
	grown.Pos = next.Pos
	l.Latches[0].InsertBeforeTerm(grown)
	l.Header.Insert(0, q)
	q.Args[latch], q.Args[1-latch] = grown, first
	l.Header.Remove(phi)
	l.Header.Remove(next)
	rep.Replace(next, q)
}
