package pass

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// maxGuardStep bounds the guarded steps of counters: one that a test holds below half of its type's
// largest number does not wrap then.
var maxGuardStep = map[ir.Type]int64{ir.I32: 1 << 30, ir.I64: 1 << 62}

// Guard makes two versions of a loop whose checks hold if its counters begin at 0 or above and grow:
// one without the checks, and the loop as it was. A test before the loop chooses.
//
//	for m := a; m < 8192; m += p { check m/32 < len(marks); check m%32 >= 0; … }
//
//	if 0 <= a && 0 < p && p <= 1<<30 { for m := a; m < 8192; m += p { … } }
//	else { for m := a; m < 8192; m += p { check m/32 < len(marks); check m%32 >= 0; … } }
//
// The ranges of values say which checks hold, once they are told the test. So any index will do that
// ranges follow, where Split needs a sum with the counter, and the counter may have 32 bits. Guard
// copies no convergent operation: threads that meet there may choose different versions.
func Guard(f *ir.Func) {
	loops := f.Loops(f.Dominators())
	if !slices.ContainsFunc(loops.All, func(l *ir.Loop) bool { return guardable(loops, l) }) {
		return
	}
	held := map[*ir.Value]bool{}
	r := analyse(f, func(r *ranges, v *ir.Value) {
		if v.Op == ir.Check && r.loops.Of(v.Block) != nil && r.holds(v) {
			held[v] = true
		}
	})
	loops = r.loops
	var todo []*guarding
	for _, l := range loops.All {
		if g := planGuard(loops, l, r, held); g != nil && g.worth(f) {
			todo = append(todo, g)
		}
	}
	if len(todo) == 0 {
		return
	}
	users, remarks := newBlockUsers(f), newRemarker(f, loops)
	for _, g := range todo {
		remarks.did(g.l, loopGuarded, nil, countDetail, len(g.checks))
		g.split(f, loops, users)
	}
	tidyCopies(f)
}

// guarding is a loop to be copied.
type guarding struct {
	l      *ir.Loop
	facts  []guardFact
	left   []*ir.Value // the checks that may fail
	checks []*ir.Value // the checks among them that hold if the facts do
}

// guardFact is an interval in which a value must be when the loop is entered.
type guardFact struct {
	v *ir.Value
	x interval
}

// guardable reports whether l may be copied: it has checks, and a counter whose start or step is known
// only when the kernel runs.
func guardable(loops *ir.Loops, l *ir.Loop) bool {
	size, convergent := loopSize(l)
	if len(l.Children) > 0 || convergent || size > maxSplitSize || loops.Preheader(l) == nil || len(checksOf(l)) == 0 {
		return false
	}
	return slices.ContainsFunc(l.Header.Phis(), func(phi *ir.Value) bool {
		init, step, ok := counter(loops, l, phi)
		return ok && maxGuardStep[phi.Type] > 0 && (init.Op != ir.Const || step.Op != ir.Const)
	})
}

// checksOf lists the checks of a loop, without those that a copy of it does without.
func checksOf(l *ir.Loop) (checks []*ir.Value) {
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			if v.Op == ir.Check && v.Name != splitOff {
				checks = append(checks, v)
			}
		}
	}
	return checks
}

// planGuard finds the facts about l's counters and the checks that may fail. It returns nil if l is not
// to be copied.
func planGuard(loops *ir.Loops, l *ir.Loop, r *ranges, held map[*ir.Value]bool) *guarding {
	if !guardable(loops, l) {
		return nil
	}
	g := &guarding{l: l}
	g.left = slices.DeleteFunc(checksOf(l), func(v *ir.Value) bool { return held[v] })
	for _, phi := range l.Header.Phis() {
		if init, step, ok := counter(loops, l, phi); ok && maxGuardStep[phi.Type] > 0 && len(g.left) > 0 {
			g.need(r, init, interval{0, math.MaxInt64}.meet(typeRange(phi.Type)))
			g.need(r, step, interval{1, maxGuardStep[phi.Type]})
		}
	}
	if len(g.facts) == 0 {
		return nil
	}
	return g
}

// need adds a fact, unless it is known. What cannot be drops all.
func (g *guarding) need(r *ranges, v *ir.Value, x interval) {
	known := r.def[v.ID]
	if !r.known[v.ID] || known.meet(x).empty() || x.contains(known) || v.Op == ir.Const {
		return
	}
	g.facts = append(g.facts, guardFact{v, x})
}

// worth finds out which checks hold if the facts do, and reports whether there are any.
func (g *guarding) worth(f *ir.Func) bool {
	visit := func(r *ranges, v *ir.Value) {
		if v.Op == ir.Check && slices.Contains(g.left, v) && r.holds(v) {
			g.checks = append(g.checks, v)
		}
	}
	analyseWith(f, visit, func(r *ranges, b *ir.Block) {
		if slices.Contains(g.l.Header.Preds, b) && !slices.Contains(g.l.Blocks, b) {
			for _, fact := range g.facts {
				r.refine(fact.v, fact.x)
			}
		}
	})
	return len(g.checks) > 0
}

// split puts the loop without the checks before the original one.
func (g *guarding) split(f *ir.Func, loops *ir.Loops, users *blockUsers) {
	pre, _ := preheader(f, loops, g.l)
	h := g.l.Header
	carryOut(f, g.l, nil, users)
	at := slices.Index(h.Preds, pre)
	top := f.NewBlock()
	top.From = h.From
	values := map[*ir.Value]*ir.Value{}
	for _, phi := range h.Phis() {
		c := f.NewValue(ir.Phi, phi.Type, phi.Args[at])
		c.Pos, c.Name, c.Space, c.Align = phi.Pos, phi.Name, phi.Space, phi.Align
		top.Append(c)
		values[phi] = c
	}
	t := newTemplate(g.l)
	made := t.copy(f, values)
	s := &splitting{l: g.l}
	s.backEdges(t, made, values, slices.Clone(h.Phis()), top)
	jump := f.NewValue(ir.Jump, ir.Void)
	jump.Pos = h.Term().Pos
	top.Append(jump)
	for _, c := range g.checks {
		copied := values[c]
		copied.Block.Remove(copied)
		c.Name = splitOff
	}
	g.choose(f, pre, top, h)
	ir.AddEdge(top, made[h])
	blocks := []*ir.Block{top}
	for _, b := range t.blocks {
		blocks = append(blocks, made[b])
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return slices.Contains(blocks, b) })
	f.Blocks = slices.Insert(f.Blocks, slices.Index(f.Blocks, h), blocks...)
	users.addWithNext(append(blocks, pre)...)
}

// choose ends pre, which leads to h, with the test: to top if the facts hold.
func (g *guarding) choose(f *ir.Func, pre, top, h *ir.Block) {
	e := &exprEmitter{f: f, b: pre, pos: pre.Term().Pos, before: true}
	var all *ir.Value
	compare := func(sub ir.Sub, v *ir.Value, c int64) {
		ok := e.emit(ir.Cmp, ir.Bool, v, e.constant(v.Type, c))
		ok.Sub = sub
		if all != nil {
			ok = e.emit(ir.And, ir.Bool, all, ok)
		}
		all = ok
	}
	for _, fact := range g.facts {
		compare(ir.Ge, fact.v, fact.x.lo)
		if fact.x.hi < typeRange(fact.v.Type).hi {
			compare(ir.Le, fact.v, fact.x.hi)
		}
	}
	branch := f.NewValue(ir.Branch, ir.Void, all)
	branch.Pos = pre.Term().Pos
	pre.SetTerm(branch)
	pre.Succs = append([]*ir.Block{top}, pre.Succs...)
	top.Preds = append([]*ir.Block{pre}, top.Preds...)
}
