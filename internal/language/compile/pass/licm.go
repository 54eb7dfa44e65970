package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Hoist moves out of a loop what is the same in every iteration, inner loops first:
//
//   - pure operations, save comparisons (predicates are few) and costly ones that not every
//     iteration runs;
//   - loads that the loop runs first thing, if nothing in it may write there, and if the loop is
//     not one that waits for what it loads;
//   - checks that the loop runs first thing: entering the loop, the thread would fail there before
//     anything else happened.
//
// "First thing" is in the header with no check or effect before it. Rotate has made the body the
// header. Convergent operations stay.
func Hoist(f *ir.Func) {
	loops := f.Loops(f.Dominators())
	made := false
	for _, l := range loops.All {
		_, m := preheader(f, loops, l)
		made = made || m
	}
	dom := f.Dominators()
	h := &hoister{loops: loops, dom: dom, alias: newAliases(f), remarks: newRemarker(f, loops)}
	for _, l := range loops.All {
		h.loop(l)
	}
	if made {
		SimplifyCFG(f) // the preheaders that got nothing
	}
}

type hoister struct {
	loops *ir.Loops
	dom   *ir.Dom
	alias *aliases

	remarks *remarker
}

func (h *hoister) loop(l *ir.Loop) {
	pre := h.loops.Preheader(l)
	outside := func(v *ir.Value) bool {
		for _, a := range v.Args {
			if h.loops.Contains(l, a.Block) {
				return false
			}
		}
		return true
	}
	var writes []*ir.Value
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			if v.Op.Writes() {
				writes = append(writes, v)
			}
		}
	}
	for _, b := range l.Blocks {
		first := b == l.Header
		kept := b.Instrs[:0]
		var moved []*ir.Value
		for _, v := range b.Instrs {
			if outside(v) {
				ok, o := h.movable(l, v, first, writes)
				h.remark(l, v, ok, o)
				if ok {
					v.Block = pre
					moved = append(moved, v)
					continue
				}
			}
			if v.Op == ir.Check || v.Op.Writes() || v.Op.Convergent() {
				first = false
			}
			kept = append(kept, v)
		}
		clear(b.Instrs[len(kept):])
		b.Instrs = kept
		at := len(pre.Instrs) - 1
		term := pre.Instrs[at]
		pre.Instrs = append(append(pre.Instrs[:at], moved...), term)
	}
}

// remark reports what became of v, which the loop does not change.
func (h *hoister) remark(l *ir.Loop, v *ir.Value, moved bool, o obstacle) {
	subject := operationMoved
	switch {
	case h.remarks == nil, moved && v.Op == ir.Trunc: // a half costs nothing
		return
	case v.Op == ir.Load:
		subject = loadMoved
	case v.Op == ir.Check:
		subject = checkMoved
	case moved && len(v.Args) > 0:
		h.remarks.did(l, unchangedMoved, nil, "")
		return
	}
	if moved && v.Op != ir.Const {
		h.remarks.did(l, subject, v, "")
	}
	h.remarks.missed(l, subject, v, o)
}

// movable reports whether v, whose arguments are known before the loop, may move there, or what
// stands in the way. first says that no instruction is between the loop's entry and v.
func (h *hoister) movable(l *ir.Loop, v *ir.Value, first bool, writes []*ir.Value) (bool, obstacle) {
	switch {
	case v.Op == ir.Phi, v.Op.Convergent():
	case v.Op.Pure():
		if v.Type != ir.Bool && v.Op.Costly() && !h.always(l, v.Block) {
			return false, obstacle{why: becauseCostly}
		}
		return v.Type != ir.Bool, obstacle{}
	case v.Op != ir.Check && v.Op != ir.Load:
	case !first:
		return false, obstacle{why: becauseBefore}
	case v.Op == ir.Check:
		return true, obstacle{}
	default:
		o := h.written(v, writes)
		if !o.blocks() && h.awaited(l, v) {
			o = obstacle{why: becauseAwaited}
		}
		return !o.blocks(), o
	}
	return false, obstacle{}
}

// always reports whether every iteration that is completed runs b.
func (h *hoister) always(l *ir.Loop, b *ir.Block) bool {
	for _, latch := range l.Latches {
		if !h.dom.Dominates(b, latch) {
			return false
		}
	}
	return true
}

// written is the first of the writes that may change what v loads.
func (h *hoister) written(v *ir.Value, writes []*ir.Value) obstacle {
	for _, w := range writes {
		switch w.Op {
		case ir.Store:
			if h.alias.may(w.Args[0], int64(storeSize(w)), v.Args[0], int64(storeSize(v))) {
				return obstacle{why: becauseAlias, at: w}
			}
		default: // atomics, fences and barriers: other threads write
			if !h.alias.private(v.Args[0]) {
				return obstacle{why: becauseOthers, at: w}
			}
		}
	}
	return obstacle{}
}

// awaited reports whether l can end only when v loads something else: a way out of it depends on v
// and on nothing that changes from one iteration to the next. Such a loop waits for another thread.
// No rule says that it must see the other thread's plain store, but if the load were hoisted it
// never would.
func (h *hoister) awaited(l *ir.Loop, v *ir.Value) bool {
	for _, b := range l.Blocks {
		t := b.Term()
		if t.Op != ir.Branch || h.loops.Contains(l, b.Succs[0]) && h.loops.Contains(l, b.Succs[1]) {
			continue
		}
		if uses, varies := h.dependsOn(l, t.Args[0], v, 8); uses && !varies {
			return true
		}
	}
	return false
}

// dependsOn reports whether x is computed in l from v, and whether from anything else that the loop
// changes.
func (h *hoister) dependsOn(l *ir.Loop, x, v *ir.Value, depth int) (uses, varies bool) {
	switch {
	case x == v:
		return true, false
	case !h.loops.Contains(l, x.Block):
		return false, false
	case depth == 0 || x.Op == ir.Phi || !x.Op.Pure():
		return false, true
	}
	for _, a := range x.Args {
		u, w := h.dependsOn(l, a, v, depth-1)
		uses, varies = uses || u, varies || w
	}
	return uses, varies
}
