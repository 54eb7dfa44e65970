package pass

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Limits of UnrollCounted: the copies of a body, and of the copies together the instructions, the
// loads, the addresses whose distance from the next copy's is not constant, and, where the step is not
// constant, the branches.
const (
	mostCopies        = 4
	maxCopiesSize     = 320
	maxCopiesLoads    = 32
	maxCopiesBranches = 12
	maxCopiesApart    = 32
)

// UnrollCounted makes two loops of a counting loop: one whose iteration has several copies of the
// body and one test, which runs as long as all of them will run, and after it the original loop,
// which does the rest.
//
//	for i := a; i < n; i += s { … }
//
//	i := a
//	for ; i < n-3*s; i += s { …; i += s; …; i += s; …; i += s; … }
//	for ; i < n; i += s { … }
//
// So most iterations count, compare and branch once for several copies, whose addresses differ by
// constants, and whose loads NVIDIA's assembler issues together. (Unrolling with a remainder: Muchnick
// 17.4.3.) Other ways out of the loop stay in each copy. How many copies there are follows from the
// size of the body: a large one gains little, and needs registers and instruction cache. A body that
// loads much keeps the memory busy as it is. One that branches much gains nothing unless its step is
// constant: its own test is one of many. Where the distance of two addresses is no constant, each
// copy computes its own, see Strength. Where the step is not known to be positive, a test before the
// loops decides whether the first one runs.
//
// A loop with barriers, shuffles or votes is copied if all threads of a block run it equally often, so
// that each copy runs in place of its round for all of them. Then the addresses of a round are computed
// while the threads wait for the barrier of the round before.
//
// UnrollCounted does not change loops with other convergent operations, loops with
// loops inside, and loops that Split has left for checks that fail. Nor does it change loops that
// read and write shared memory without a barrier: threads that meet there race, and what is found of
// that should be about the loop as it is written.
func UnrollCounted(f *ir.Func) {
	dom := f.Dominators()
	loops := f.Loops(dom)
	remarks := newRemarker(f, loops)
	var todo []*repetition
	var threads *uniform
	for _, l := range loops.All {
		if _, convergent := loopSize(l); convergent && threads == nil {
			threads = divergence(f)
		}
		u, o := planRepetition(loops, l, threads)
		remarks.missed(l, loopUnrolled, nil, o)
		if u != nil {
			todo = append(todo, u)
		}
	}
	if len(todo) == 0 {
		return
	}
	byTest := map[*ir.Value]*repetition{}
	for _, u := range todo {
		byTest[u.l.Header.Term()] = u
	}
	r := analyse(f, func(r *ranges, v *ir.Value) {
		if u := byTest[v]; u != nil {
			u.limits = r.rangeOf(u.bound)
		}
	})
	done := false
	users := newBlockUsers(f)
	for _, u := range todo {
		if !u.bounded(r) {
			remarks.missed(u.l, loopUnrolled, nil, obstacle{why: becauseStepRange})
			continue
		}
		remarks.did(u.l, loopUnrolled, nil, remainderDetail, u.copies)
		u.unroll(f, loops, users)
		done = true
	}
	if done {
		tidyCopies(f)
	}
}

// repetition is a loop to be unrolled with a remainder.
type repetition struct {
	*counting
	l      *ir.Loop
	init   *ir.Value // where the counter begins
	step   *ir.Value // by which the counter grows
	copies int
	limits interval // of the bound, at its test
	ask    bool     // a test before the loop asks whether step is from 1 to most
	most   int64    // what step is at most
	safe   bool     // bound - (copies-1)*step does not wrap
	narrow bool     // the counter gets 32 bits in the copies, which the bound alone does not allow
}

// planRepetition decides whether to unroll l, and how often to copy its body. Loops that only do the
// rest of another one's work have no obstacle.
func planRepetition(loops *ir.Loops, l *ir.Loop, threads *uniform) (*repetition, obstacle) {
	size, convergent := loopSize(l)
	switch {
	case len(l.Children) > 0:
		return nil, obstacle{why: becauseLoopInside}
	case leftOver(l):
		return nil, obstacle{}
	case len(l.Latches) != 1:
		return nil, obstacle{why: becauseLatches}
	case convergent && !threads.inStep(l):
		return nil, togetherIn(l)
	case !hasBarrier(l) && exchanges(l):
		return nil, obstacle{why: becauseExchange}
	}
	c, o := countingTest(loops, l)
	if c == nil {
		return nil, o
	}
	init, step, ok := counter(loops, l, c.phi)
	if !ok {
		return nil, obstacle{why: becauseStep}
	}
	if goesOn(loops, l, init) {
		return nil, obstacle{why: becauseContinues}
	}
	u := &repetition{counting: c, l: l, init: init, step: step, copies: mostCopies}
	apart, loads, branches := u.apart(loops), loadsOf(l), 0
	if _, fixed := step.IntConst(); !fixed {
		branches = branchesOf(l)
	}
	for u.copies*size > maxCopiesSize || u.copies*loads > maxCopiesLoads ||
		u.copies*branches > maxCopiesBranches || u.copies*apart > maxCopiesApart {
		u.copies /= 2
	}
	const few = 2 // copies
	switch {
	case u.copies >= few:
		return u, obstacle{}
	case few*size > maxCopiesSize:
		return nil, obstacle{becauseLarge, [2]int{size, maxCopiesSize / few}, nil}
	case few*loads > maxCopiesLoads:
		return nil, obstacle{becauseLoads, [2]int{loads, maxCopiesLoads / few}, nil}
	case few*branches > maxCopiesBranches:
		return nil, obstacle{becauseBranches, [2]int{branches, maxCopiesBranches / few}, nil}
	}
	return nil, obstacle{becauseApart, [2]int{apart, maxCopiesApart / few}, nil}
}

// inStep reports whether all threads of a block run l equally often and pass each of its convergent
// operations in each round, and these are barriers, shuffles and votes. A loop with checks, in which a
// thread may end, is not worth it: it is mostly the copy of Version that is not run.
func (u *uniform) inStep(l *ir.Loop) bool {
	return !u.split[l.Header.ID] && !apart(l, u.dom).blocks() && len(checksOf(l)) == 0
}

// apart counts the addresses of an iteration whose distance from the next iteration's is not constant.
func (u *repetition) apart(loops *ir.Loops) int {
	d := &decomposer{loops: loops, l: u.l, phi: u.phi}
	_, fixed := u.step.IntConst()
	offsets := map[*ir.Value]bool{}
	for _, b := range u.l.Blocks {
		for _, v := range b.Instrs {
			if v.Op != ir.PtrAdd {
				continue
			}
			x := d.linear(v.Args[1], maxSplit)
			if x == nil || x.a.isConst(0) {
				continue
			}
			if _, ok := x.a.number(); !ok || !fixed {
				offsets[v] = true
			}
		}
	}
	return len(offsets)
}

// goesOn reports whether a loop begins with the number with which another one, not around it, ended.
// Usually the first one has done all but a little of the work.
func goesOn(loops *ir.Loops, l *ir.Loop, init *ir.Value) bool {
	before := loops.Of(init.Block)
	return before != nil && init.Op == ir.Phi && before.Header == init.Block && !loops.Contains(before, l.Header)
}

// leftOver reports whether a loop only runs to let a check fail.
func leftOver(l *ir.Loop) bool {
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			if v.Op == ir.Check && v.Name == splitOff {
				return true
			}
		}
	}
	return false
}

// loadsOf counts what a loop loads: a vector counts as its elements.
func loadsOf(l *ir.Loop) (n int) {
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			if v.Op == ir.Load {
				n += max(1, v.Lanes)
			}
		}
	}
	return n
}

// branchesOf counts the branches of a loop that counts, without its test.
func branchesOf(l *ir.Loop) int {
	n := -1
	for _, b := range l.Blocks {
		if b.Term().Op == ir.Branch {
			n++
		}
	}
	return n
}

// exchanges reports whether a loop reads and writes shared memory.
func exchanges(l *ir.Loop) bool {
	reads, writes := false, false
	for _, b := range l.Blocks {
		for _, v := range b.Instrs {
			if v.Accesses() && v.Args[0].PointsTo() == ir.Shared {
				reads = reads || v.Op == ir.Load
				writes = writes || v.Op == ir.Store
			}
		}
	}
	return reads && writes
}

// maxStep bounds the steps of loops that are unrolled: multiples of them are exact. The threads of the
// largest grid are fewer.
const maxStep = 1 << 48

// bounded reports whether the counter can grow, and decides whether its step needs a test.
func (u *repetition) bounded(r *ranges) bool {
	by := invariant(u.step).interval(r)
	if by.hi < 1 {
		return false
	}
	u.ask = by.lo < 1 || by.hi > maxStep
	u.most = min(by.hi, maxStep)
	u.safe = invariant(u.bound).interval(r).lo >= math.MinInt64+u.ahead()
	begin := r.def[u.init.ID]
	_, fixed := u.step.IntConst()
	u.narrow = fixed && u.add == 0 && exitsOf(u.l) == 1 && by.hi <= maxNarrowStep && r.known[u.init.ID] && begin.lo >= 0 && begin.hi <= math.MaxInt32 &&
		!int32Range.contains(u.limits)
	return true
}

// maxNarrowStep bounds the steps of counters that get 32 bits.
const maxNarrowStep = 1 << 20

// exitsOf counts the edges that leave a loop.
func exitsOf(l *ir.Loop) (n int) {
	for _, b := range l.Blocks {
		for _, s := range b.Succs {
			n += int(b2i(!slices.Contains(l.Blocks, s)))
		}
	}
	return n
}

// ahead is by how much the last copy's counter is above the first one's, at most.
func (u *repetition) ahead() int64 { return int64(u.copies-1) * u.most }

// unroll puts the loop with the copies before the original one.
func (u *repetition) unroll(f *ir.Func, loops *ir.Loops, users *blockUsers) {
	h := u.l.Header
	pre, _ := preheader(f, loops, u.l)
	carryOut(f, u.l, nil, users)
	limit := u.limit(f, pre)
	t := newTemplate(u.l)
	phis := slices.Clone(h.Phis())
	at := slices.Index(h.Preds, pre)
	top := f.NewBlock()
	next := map[*ir.Value]*ir.Value{} // by phi: what it is in the next iteration
	steps := u.multiples(f, loops, pre)
	values := map[*ir.Value]*ir.Value{}
	var counters []*ir.Value
	for _, phi := range phis {
		c := f.NewValue(ir.Phi, phi.Type, phi.Args[at])
		c.Pos, c.Name, c.Space, c.Align = phi.Pos, phi.Name, phi.Space, phi.Align
		values[phi], next[phi] = c, phi.Args[1-at]
		counters = append(counters, c)
	}
	pre.RedirectEdge(0, top, nil)
	for _, c := range counters {
		top.Append(c)
	}
	first := values
	e := &exprEmitter{f: f, b: top, pos: h.Term().Pos}
	tested := values[u.phi]
	if u.add != 0 {
		tested = e.emit(ir.Add, ir.I64, tested, e.constant(ir.I64, u.add))
	}
	test := e.emit(ir.Cmp, ir.Bool, tested, limit)
	test.Sub = ir.Lt
	e.emit(ir.Branch, ir.Void, test)
	blocks := []*ir.Block{top}
	last, edge := top, 0
	top.Succs = append(top.Succs, nil) // the first copy
	for k := range u.copies {
		start := map[*ir.Value]*ir.Value{}
		for _, phi := range phis {
			start[phi] = first[phi]
			if last != top {
				start[phi] = get(values, next[phi])
			}
		}
		values = start
		made := t.copy(f, values)
		u.decide(f, made[h])
		for phi, s := range steps {
			values[next[phi]].Args = []*ir.Value{first[phi], s[k]}
		}
		connect(last, edge, made[h])
		last = made[u.l.Latches[0]]
		edge = slices.Index(u.l.Latches[0].Succs, h)
		for _, b := range t.blocks {
			blocks = append(blocks, made[b])
		}
	}
	connect(last, edge, top)
	ir.AddEdge(top, h)
	for _, phi := range phis {
		first[phi].Args = append(first[phi].Args, get(values, next[phi]))
		phi.Args = append(phi.Args, first[phi])
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return slices.Contains(blocks, b) })
	f.Blocks = slices.Insert(f.Blocks, slices.Index(f.Blocks, h), blocks...)
	users.addWithNext(append(blocks, pre)...)
}

// multiples computes, before the loop, what each counter of the loop has grown by after one copy,
// after two, and so on. So each copy's counter is a sum with the first one's, and not a chain.
func (u *repetition) multiples(f *ir.Func, loops *ir.Loops, pre *ir.Block) map[*ir.Value][]*ir.Value {
	e := &exprEmitter{f: f, b: pre, pos: pre.Term().Pos, before: true}
	steps := map[*ir.Value][]*ir.Value{}
	for _, phi := range u.l.Header.Phis() {
		_, step, ok := counter(loops, u.l, phi)
		if !ok || !phi.Type.IsInt() {
			continue
		}
		for k := range u.copies {
			steps[phi] = append(steps[phi], e.value(mulExpr(invariant(step), constExpr(phi.Type, int64(k+1)))))
		}
	}
	return steps
}

// connect makes to the successor of b by an edge that has none yet.
func connect(b *ir.Block, edge int, to *ir.Block) {
	b.Succs[edge] = to
	to.Preds = append(to.Preds, b)
}

// decide lets the test of a copy's header hold.
func (u *repetition) decide(f *ir.Func, header *ir.Block) {
	truth := f.NewValue(ir.Const, ir.Bool)
	truth.Int = b2i(u.stay == 0)
	f.Entry().Insert(0, truth)
	header.Term().Args[0] = truth
}

// limit computes, before the loop, what the counter must be below for all copies to run:
// bound - (copies-1)*step, or the least number where that would wrap or the step is not from 1 to
// u.most. No counter is below that number.
func (u *repetition) limit(f *ir.Func, pre *ir.Block) *ir.Value {
	e := &exprEmitter{f: f, b: pre, pos: pre.Term().Pos, before: true}
	ahead := e.value(mulExpr(invariant(u.step), constExpr(ir.I64, int64(u.copies-1))))
	bound := u.bound
	if !u.safe {
		bound = e.emit(ir.MaxS, ir.I64, bound, e.emit(ir.Add, ir.I64, e.constant(ir.I64, math.MinInt64), ahead))
	}
	limit := e.emit(ir.Subtract, ir.I64, bound, ahead)
	if u.narrow { // the original loop runs the rest
		limit = e.emit(ir.MinS, ir.I64, limit, e.constant(ir.I64, math.MaxInt32-int64(u.copies)*u.most))
	}
	if !u.ask {
		return limit
	}
	below := e.emit(ir.Subtract, ir.I64, u.step, e.constant(ir.I64, 1))
	fits := e.emit(ir.Cmp, ir.Bool, below, e.constant(ir.I64, u.most-1))
	fits.Sub = ir.LeU
	return e.emit(ir.Select, ir.I64, fits, limit, e.constant(ir.I64, math.MinInt64))
}
