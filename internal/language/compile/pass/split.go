package pass

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Split makes two loops of a counting loop with checks: a fast loop without the checks, which runs
// as long as they will hold, and after it the original loop, which goes on from there. Usually the
// original loop has nothing left to do. If a check is going to fail, it fails there, with
// everything before it done. So a loop pays for its checks once, when it is entered, and Go's
// meaning is preserved exactly.
//
//	for i := a; i < n; i += s { check i < m; … }
//
//	i := a
//	for ; i < min(n, m); i += s { … }
//	for ; i < n; i += s { check i < m; … }
//
// An index i+b with an unchanging b gives the limit m-b. An index a*i+b, such as i*stride+column,
// must hold for the first i and for the last, or else the fast loop is not entered. Checks of
// values that do not change must hold before the loop likewise. Index-set splitting is in Wolfe,
// High Performance Compilers, 1996, 9.3, and its use for bounds checks in Würthinger, Wimmer and
// Mössenböck, PPPJ 2007.
//
// Split does not change loops with convergent operations: it may not copy these.
func Split(f *ir.Func) {
	info := &splitInfo{notNegative: map[*ir.Value]bool{}}
	r := analyse(f, info.visit)
	loops := r.loops
	remarks := newRemarker(f, loops)
	done := false
	users := newBlockUsers(f)
	for _, l := range loops.All {
		s, o := planSplit(f, loops, l, r, info, remarks)
		remarks.missed(l, loopSplit, nil, o)
		if s != nil {
			remarks.did(l, loopSplit, nil, splitDetail, len(s.checks))
			s.split(loops, users)
			done = true
		}
	}
	if done {
		tidyCopies(f)
	}
}

// tidyCopies simplifies a function with copies of loops, whose values that are used after the loops
// are in local memory.
func tidyCopies(f *ir.Func) {
	ir.RemoveUnreachable(f)
	Registers(f)
	Fold(f)
	DeadCode(f)
	SimplifyCFG(f)
}

// Limits of Split: the instructions of a loop to be copied, and the numbers with which sums and
// products are certainly exact in 64 bits.
const (
	maxSplitSize  = 400
	maxSplitValue = 1 << 50
	maxSplitTrips = 1 << 31
)

// splitInfo holds the ranges' facts of checks, each at its point.
type splitInfo struct{ notNegative map[*ir.Value]bool }

func (s *splitInfo) visit(r *ranges, v *ir.Value) {
	if v.Op == ir.Check && v.Args[0].Type.IsInt() && r.loops.Of(v.Block) != nil {
		s.notNegative[v] = r.proveNotNegative(v.Args[0])
	}
}

// splitting is one loop to be split.
type splitting struct {
	f     *ir.Func
	l     *ir.Loop
	r     *ranges
	phi   *ir.Value // the counter
	add   int64     // the test compares phi+add
	bound *ir.Value // against bound
	first *expr     // what phi+add is at least: its first value if it only grows, or else 0
	never int64     // phi+add is not below never
	stay  int       // the successor of the header that stays in the loop

	checks []*ir.Value // those the fast loop does without
	limits []*expr     // the counter must be below these
	conds  []cond      // these must hold
}

// planSplit decides whether to split l, and finds the checks.
func planSplit(f *ir.Func, loops *ir.Loops, l *ir.Loop, r *ranges, info *splitInfo, remarks *remarker) (
	*splitting, obstacle) {
	size, convergent := loopSize(l)
	switch {
	case len(l.Children) > 0:
		return nil, obstacle{why: becauseLoopInside}
	case convergent:
		return nil, togetherIn(l)
	case size > maxSplitSize:
		return nil, obstacle{becauseLarge, [2]int{size, maxSplitSize}, nil}
	}
	s := &splitting{f: f, l: l, r: r}
	if o := s.countingLoop(loops); o.blocks() {
		return nil, o
	}
	d := &decomposer{loops: loops, l: l, phi: s.phi}
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			if v.Op != ir.Check {
				continue
			}
			if o := s.covers(d, v, info.notNegative[v]); o.blocks() {
				remarks.missed(l, checkSplit, v, o)
			} else {
				s.checks = append(s.checks, v)
			}
		}
	}
	if len(s.checks) == 0 {
		return nil, obstacle{}
	}
	return s, obstacle{}
}

// countingLoop recognises a loop whose header does nothing but test phi+add < bound, with phi+add
// never negative. It returns what another loop lacks.
func (s *splitting) countingLoop(loops *ir.Loops) obstacle {
	c, o := countingTest(loops, s.l)
	if c == nil {
		return o
	}
	s.phi, s.add, s.bound, s.stay = c.phi, c.add, c.bound, c.stay
	if x := c.tested; s.r.known[x.ID] && s.r.def[x.ID].lo >= 0 && (s.add == 0 || s.r.exact[x.ID]) {
		s.first = constExpr(ir.I64, 0) // at least
		if init := entryValue(loops, s.l, s.phi); init != nil && s.onlyGrows(loops) {
			s.first = sumExpr(invariant(init), constExpr(ir.I64, s.add))
		}
		return obstacle{}
	}
	if !s.grows(loops) {
		return obstacle{why: becauseCounterRange}
	}
	return obstacle{}
}

// onlyGrows reports whether the counter is never below what it was in the iteration before.
func (s *splitting) onlyGrows(loops *ir.Loops) bool {
	for i, p := range s.l.Header.Preds {
		if loops.Contains(s.l, p) && !s.r.moves(s.phi.Args[i], s.phi, true, 4) {
			return false
		}
	}
	return true
}

// grows reports whether the counter can start at 0 or above and only grow, as long as it is below a
// bound that leaves room. The fast loop needs that bound, and what is not known of the start and the
// step.
func (s *splitting) grows(loops *ir.Loops) bool {
	init, step, ok := counter(loops, s.l, s.phi)
	if !ok {
		return false
	}
	s.first = sumExpr(invariant(init), constExpr(ir.I64, s.add))
	by := invariant(step)
	if s.first.interval(s.r).hi < 0 || by.interval(s.r).hi < 1 {
		return false
	}
	if s.first.interval(s.r).lo < 0 {
		s.never = math.MinInt64
	}
	s.within(s.first, 0)
	s.within(by, 1)
	return s.need(ir.Le, invariant(s.bound), constExpr(ir.I64, maxSplitValue))
}

// cond is a condition that the fast loop needs.
type cond struct {
	sub  ir.Sub
	x, y *expr
}

// covers finds out what makes the check v hold in every iteration of the fast loop, or what stands
// in the way.
func (s *splitting) covers(d *decomposer, v *ir.Value, notNegative bool) obstacle {
	notLinear := obstacle{why: becauseNotLinear}
	x := d.linear(v.Args[0], maxSplit)
	if x == nil {
		return notLinear
	}
	fixed := x.a.isConst(0)
	var y *expr
	if len(v.Args) > 1 && v.Sub != ir.CheckAssert {
		l := d.linear(v.Args[1], maxSplit)
		if l == nil || !l.a.isConst(0) {
			return obstacle{why: becauseLength}
		}
		y = l.b
	}
	holds := false
	switch v.Sub {
	case ir.CheckDivide:
		holds = fixed && s.need(ir.Ne, x.b, constExpr(v.Args[0].Type, 0))
	case ir.CheckShift, ir.CheckMakeLen:
		holds = fixed && s.need(ir.Ge, x.b, constExpr(v.Args[0].Type, 0))
	case ir.CheckIndex:
		holds = s.below(x, y, 0, fixed, notNegative)
	case ir.CheckSliceHigh, ir.CheckSliceLen, ir.CheckSliceLow, ir.CheckSliceMax, ir.CheckSliceHigh3,
		ir.CheckSliceMaxLen, ir.CheckSliceLow3:
		holds = s.below(x, y, 1, fixed, notNegative)
	}
	if !holds {
		return notLinear
	}
	return obstacle{}
}

// need adds a condition, unless it is there.
func (s *splitting) need(sub ir.Sub, x, y *expr) bool {
	for _, c := range s.conds {
		if c.sub == sub && c.x.same(x) && c.y.same(y) {
			return true
		}
	}
	s.conds = append(s.conds, cond{sub, x, y})
	return true
}

// within needs lo <= x <= maxSplitValue, lo being 1, 0 or -maxSplitValue.
func (s *splitting) within(x *expr, lo int64) {
	if r := x.interval(s.r); r.lo < lo || r.hi > maxSplitValue {
		s.need(ir.LeU, sumExpr(x, constExpr(ir.I64, -lo)), constExpr(ir.I64, maxSplitValue-lo))
	}
}

// below needs 0 <= x < y+more in every iteration, x being a*phi+b.
func (s *splitting) below(x *linear, y *expr, more int64, fixed, notNegative bool) bool {
	y = sumExpr(y, constExpr(ir.I64, more))
	b := sumExpr(x.b, mulExpr(x.a, constExpr(ir.I64, -s.add))) // a*(phi+add) + b
	s.within(y, 0)
	switch {
	case fixed:
		return s.need(ir.LtU, x.b, y)
	case x.a.isConst(1):
		switch {
		case !notNegative && s.first.isConst(0):
			s.within(b, 0)
		case !notNegative:
			s.within(sumExpr(s.first, b), 0)
			fallthrough
		default:
			s.within(b, -maxSplitValue)
		}
		s.limits = append(s.limits, sumExpr(y, negExpr(b)))
	default: // it grows from its first value, which has room for the product
		n, least := invariant(s.bound), sumExpr(mulExpr(x.a, s.first), b)
		rounds := sumExpr(sumExpr(n, constExpr(ir.I64, -1)), negExpr(s.first))
		s.need(ir.LeU, x.a, constExpr(ir.I64, maxSplitTrips))
		s.need(ir.Le, n, constExpr(ir.I64, maxSplitTrips))
		s.within(least, 0)
		s.need(ir.Lt, sumExpr(mulExpr(x.a, rounds), least), y)
	}
	return true
}

// split puts the fast loop before l.
func (s *splitting) split(loops *ir.Loops, users *blockUsers) {
	f, l, h := s.f, s.l, s.l.Header
	pre, _ := preheader(f, loops, l)
	carryOut(f, l, nil, users)
	limit := s.limit(pre)
	t := newTemplate(l)
	top := f.NewBlock()
	values := map[*ir.Value]*ir.Value{}
	phis := slices.Clone(h.Phis())
	at := slices.Index(h.Preds, pre)
	var copies []*ir.Value
	for _, phi := range phis {
		c := f.NewValue(ir.Phi, phi.Type, phi.Args[at])
		c.Pos, c.Name = phi.Pos, phi.Name
		values[phi] = c
		copies = append(copies, c)
	}
	pre.RedirectEdge(0, top, nil)
	for _, c := range copies {
		top.Append(c)
	}
	made := t.copy(f, values)
	s.backEdges(t, made, values, phis, top)
	e := &exprEmitter{f: f, b: top, pos: h.Term().Pos}
	tested := values[s.phi]
	if s.add != 0 {
		tested = e.emit(ir.Add, ir.I64, tested, e.constant(ir.I64, s.add))
	}
	test := e.emit(ir.Cmp, ir.Bool, tested, limit)
	test.Sub = ir.Lt
	e.emit(ir.Branch, ir.Void, test)
	ir.AddEdge(top, made[h])
	ir.AddEdge(top, h)
	for _, phi := range phis {
		phi.Args = append(phi.Args, values[phi])
	}
	s.finish(made, values)
	blocks := []*ir.Block{top}
	for _, b := range t.blocks {
		blocks = append(blocks, made[b])
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return slices.Contains(blocks, b) })
	f.Blocks = slices.Insert(f.Blocks, slices.Index(f.Blocks, h), blocks...)
	users.addWithNext(append(blocks, pre)...)
}

// backEdges leads the back edges of the copy to top.
func (s *splitting) backEdges(t *template, made map[*ir.Block]*ir.Block, values map[*ir.Value]*ir.Value,
	phis []*ir.Value, top *ir.Block) {
	for i, b := range t.blocks {
		for k, to := range t.succs[i] {
			if to != t.header {
				continue
			}
			made[b].Succs[k] = top
			top.Preds = append(top.Preds, made[b])
			for _, phi := range phis {
				values[phi].Args = append(values[phi].Args, get(values, phi.Args[b.PredIndex(k)]))
			}
		}
	}
}

// finish takes the checks out of the copy, whose own test always holds. It marks the checks that
// stay in the original loop.
func (s *splitting) finish(made map[*ir.Block]*ir.Block, values map[*ir.Value]*ir.Value) {
	for _, c := range s.checks {
		copied := values[c]
		copied.Block.Remove(copied)
		c.Name = splitOff
	}
	truth := s.f.NewValue(ir.Const, ir.Bool)
	truth.Int = b2i(s.stay == 0)
	s.f.Entry().Insert(0, truth)
	made[s.l.Header].Term().Args[0] = truth
}

// splitOff names a check in a loop that runs only to let the check fail.
const splitOff = "split off"

// limit computes, before the loop, what the counter must stay below.
func (s *splitting) limit(pre *ir.Block) *ir.Value {
	e := &exprEmitter{f: s.f, b: pre, pos: pre.Term().Pos, before: true}
	m := s.bound
	for _, l := range s.limits {
		m = e.emit(ir.MinS, ir.I64, m, e.value(l))
	}
	var all *ir.Value
	for _, c := range s.conds {
		ok := e.emit(ir.Cmp, ir.Bool, e.value(c.x), e.value(c.y))
		ok.Sub = c.sub
		if all != nil {
			ok = e.emit(ir.And, ir.Bool, all, ok)
		}
		all = ok
	}
	if all != nil {
		m = e.emit(ir.Select, ir.I64, all, m, e.constant(ir.I64, s.never))
	}
	return m
}
