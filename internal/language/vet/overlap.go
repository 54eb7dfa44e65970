package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// OverlapAnalyzer finds launches that give a kernel one memory twice.
var OverlapAnalyzer = &analysis.Analyzer{
	Name: "overlap",
	Doc: `find launches with overlapping arguments, one of which the kernel writes

Threads run in any order. If one thread writes an element through one parameter and another reads it
through another parameter, the result depends on that order. A kernel in which each thread reads
only the elements that it writes, y[i] = f(x[i]), may work in place: a launch with one buffer for
both is fine.`,
	Requires:   []*analysis.Analyzer{findLaunches},
	ResultType: usedCommentsType,
	Run: func(pass *analysis.Pass) (any, error) {
		r := &reporter{pass: pass}
		for _, l := range pass.ResultOf[findLaunches].([]launch) {
			l.check(r)
		}
		return r.used, nil
	},
}

// check compares each argument with those before it.
func (l *launch) check(r *reporter) {
	ps := &polys{map[ssa.Value]poly{}}
	args, params := l.call.Common().Args, l.kernel.Params
	if l.kernel.Waits && oneBlock(args[firstArg-1]) {
		return
	}
	for i := range params {
		for j := range i {
			x, y := ps.view(args[firstArg+j]), ps.view(args[firstArg+i])
			overlap, together := x.overlaps(y)
			if !overlap {
				continue
			}
			if why := l.kernel.conflict(&params[j], &params[i], together); why != "" {
				r.report(l.argumentPos(i), "%s and %s of kernel %s overlap here, and %s: give it two buffers",
					params[j].Name, params[i].Name, l.kernel.Kernel, why)
			}
		}
	}
}

// argumentPos is the position of an argument of the kernel.
func (l *launch) argumentPos(i int) token.Pos {
	for _, n := range enclosing(l.fn.Syntax(), l.call.Pos()) {
		if call, ok := n.(*ast.CallExpr); ok && call.Lparen == l.call.Pos() && len(call.Args) > i+firstArg-1 {
			return call.Args[i+firstArg-1].Pos()
		}
	}
	return l.call.Pos()
}

// view is a buffer of a launch: all of a value, or a slice of it.
type view struct {
	base   ssa.Value
	name   poly
	lo, hi poly // nil for all of it
}

// view sees through one call of Buffer.Slice.
func (ps *polys) view(v ssa.Value) view {
	if call, ok := v.(*ssa.Call); ok && isBufferSlice(&call.Call) {
		args := call.Call.Args
		return view{args[0], ps.of(args[0]), ps.of(args[1]), ps.of(args[2])}
	}
	return view{v, ps.of(v), nil, nil}
}

func isBufferSlice(call *ssa.CallCommon) bool {
	callee := call.StaticCallee()
	return callee != nil && origin(callee).RelString(nil) == "("+hostPath+".Buffer[T]).Slice"
}

// overlaps reports whether two views are known to have an element in common, and whether they begin
// together.
func (x view) overlaps(y view) (overlap, together bool) {
	if x.name.String() != y.name.String() || !sameLoad(x.base, y.base) {
		return false, false
	}
	if x.lo == nil {
		x, y = y, x
	}
	from, known := x.lo.constant()
	switch {
	case y.lo == nil:
		return true, known && from == 0
	case x.lo.String() == y.lo.String():
		return true, true
	}
	to, known2 := x.hi.constant()
	yFrom, known3 := y.lo.constant()
	yTo, known4 := y.hi.constant()
	return known && known2 && known3 && known4 && from < yTo && yFrom < to, false
}

// sameLoad reports whether two values that look alike are equal. If they are loads of a variable,
// nothing may come between them that could change it.
func sameLoad(v, w ssa.Value) bool {
	if v == w {
		return true
	}
	x, ok := v.(*ssa.UnOp)
	y, ok2 := w.(*ssa.UnOp)
	if !ok || !ok2 || x.Block() != y.Block() {
		return false
	}
	list := x.Block().Instrs
	i, j := slices.Index(list, ssa.Instruction(x)), slices.Index(list, ssa.Instruction(y))
	return !slices.ContainsFunc(list[min(i, j):max(i, j)], func(in ssa.Instruction) bool {
		switch in := in.(type) {
		case *ssa.Store:
			return true
		case ssa.CallInstruction:
			return !isBufferSlice(in.Common())
		}
		return false
	})
}

// conflict says what goes wrong when two parameters are the same memory. It is "" when nothing goes
// wrong, or when that is not known. together says that they begin at the same element.
func (k *Launches) conflict(p, q *Param, together bool) string {
	if p.Unclear || q.Unclear {
		return ""
	}
	all := slices.Concat(p.indices(), q.indices())
	if !mention(all, threadNames...) { // for a single thread
		return ""
	}
	if k.Waits && !mention(all, blockNames...) { // for a single block
		return ""
	}
	if len(p.Writes) == 0 {
		p, q = q, p
	}
	if len(p.Writes) == 0 {
		return ""
	}
	if why := foreign(p, q.Reads, "reads", together); why != "" {
		return why
	}
	if why := foreign(p, q.Writes, "writes", together); why != "" {
		return why
	}
	return foreign(q, p.Reads, "reads", together)
}

// indices are the indices of the elements that a kernel reads and writes.
func (p *Param) indices() []string {
	var list []string
	for _, e := range slices.Concat(p.Reads, p.Writes) {
		list = append(list, e.Index)
	}
	return list
}

// foreign looks among the accesses of others for an element that the thread itself does not write
// through p. Another thread may write it.
func foreign(p *Param, others []Element, does string, together bool) string {
	if len(p.Writes) == 0 {
		return ""
	}
	unclear := mention(p.indices(), unknown)
	for _, e := range others {
		own := func(w Element) bool { return w.Index == e.Index }
		if together && (unclear || mention([]string{e.Index}, unknown) || slices.ContainsFunc(p.Writes, own)) {
			continue
		}
		if e.Text == "" || p.Writes[0].Text == "" {
			return fmt.Sprintf("one thread %s there what another writes", does)
		}
		return fmt.Sprintf("one thread %s %s where another writes %s", does, e.Text, p.Writes[0].Text)
	}
	return ""
}

// oneBlock reports whether a configuration is for a launch of one block: gridstride.Grid(1), with
// methods after it.
func oneBlock(cfg ssa.Value) bool {
	call, ok := cfg.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return false
	}
	switch call.Call.StaticCallee().RelString(nil) {
	case "(" + hostPath + ".Config).Block", "(" + hostPath + ".Config).Shared":
		return oneBlock(call.Call.Args[0])
	case hostPath + ".Grid":
		sizes, ok := call.Call.Args[0].(*ssa.Slice)
		return ok && allOnes(sizes.X)
	}
	return false
}

// allOnes reports whether everything that is stored in an array is a 1.
func allOnes(array ssa.Value) bool {
	for _, in := range *array.Referrers() {
		element, ok := in.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, in := range *element.Referrers() {
			if store, ok := in.(*ssa.Store); ok {
				if n, known := constInt(store.Val); !known || n != 1 {
					return false
				}
			}
		}
	}
	return true
}
