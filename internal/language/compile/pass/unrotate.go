package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Unrotate moves the test of a loop from the end of the body to the front, if the loop is entered
// under the same test: go/ssa makes "if 0 < n { do … while i+1 < n }" of "for i := range n". The
// later passes see one form of counting loop. Rotate restores the other form in the end.
func Unrotate(f *ir.Func) {
	done := false
	for moveTests(f) {
		done = true
	}
	if done {
		ir.RemoveUnreachable(f)
		Registers(f)
		Fold(f)
		DeadCode(f)
		SimplifyCFG(f)
	}
}

// moveTests moves the tests of loops, none inside another. After that the loop nest is
// another: the new header may be the end of the loop around.
func moveTests(f *ir.Func) bool {
	loops := f.Loops(f.Dominators())
	var users *blockUsers
	around := map[*ir.Loop]bool{} // the loops with one that has changed inside
	for _, l := range loops.All {
		if around[l] {
			continue
		}
		t, ok := tested(loops, l)
		if !ok {
			continue
		}
		if users == nil {
			users = newBlockUsers(f)
		}
		if !t.guarded { // the block before the loop may be the end of another loop
			t.pre, _ = preheader(f, loops, l)
			users.add(t.pre)
		}
		loops.Add(t.move(f, users), l)
		for p := l.Parent; p != nil && !around[p]; p = p.Parent {
			around[p] = true
		}
	}
	return users != nil
}

// guardedLoop is a loop with its test at the latch, and how it is entered.
type guardedLoop struct {
	loop       *ir.Loop
	pre, latch *ir.Block
	stay       int       // the successor of the latch that is the header
	phi        *ir.Value // the tested value, as the latch has it for the next iteration
	test       *ir.Value // the latch's Cmp
	side       int       // the argument of test that is tested
	guarded    bool      // pre branches by the same test; else it is known to hold there
}

// tested recognises such a loop.
func tested(loops *ir.Loops, l *ir.Loop) (guardedLoop, bool) {
	g := guardedLoop{loop: l}
	h := l.Header
	if len(l.Latches) != 1 || len(h.Preds) != 2 {
		return g, false
	}
	g.latch = l.Latches[0]
	at := slices.Index(h.Preds, g.latch)
	g.pre = h.Preds[1-at]
	term := g.latch.Term()
	if term.Op != ir.Branch || term.Args[0].Op != ir.Cmp || loops.Contains(l, g.pre) {
		return g, false
	}
	g.stay = slices.Index(g.latch.Succs, h)
	exit := g.latch.Succs[1-g.stay]
	g.test = term.Args[0]
	if loops.Contains(l, exit) {
		return g, false
	}
	for _, phi := range h.Phis() {
		for side, a := range g.test.Args {
			if bound := g.test.Args[1-side]; a == phi.Args[at] && !loops.Contains(l, bound.Block) {
				g.phi, g.side = phi, side
			}
		}
	}
	if g.phi == nil {
		return g, false
	}
	return g, g.entered(exit, g.phi.Args[1-at])
}

// entered reports whether the loop is entered only where its test holds of init, the first value.
func (g *guardedLoop) entered(exit *ir.Block, init *ir.Value) bool {
	bound := g.test.Args[1-g.side]
	x, ok := init.IsConst()
	y, ok2 := bound.IsConst()
	if ok && ok2 {
		if g.side == 1 {
			x, y = y, x
		}
		if holds, ok := ir.EvalCmp(g.test.Sub, init.Type, x, y); ok && (holds != 0) == (g.stay == 0) {
			return true
		}
	}
	term := g.pre.Term()
	if term.Op != ir.Branch || g.pre.Succs[g.stay] != g.loop.Header || g.pre.Succs[1-g.stay] != exit {
		return false
	}
	c, side, sub := term.Args[0], g.side, g.test.Sub
	if c.Op != ir.Cmp {
		return false
	}
	if c.Args[side] != init { // the same, written the other way round
		side, sub = 1-side, mirrored(sub)
	}
	g.guarded = true
	return c.Sub == sub && c.Args[side] == init && c.Args[1-side] == bound
}

// move puts a new header with the test in front of the old one, and returns it.
func (g *guardedLoop) move(f *ir.Func, users *blockUsers) *ir.Block {
	h := g.loop.Header
	exit := g.latch.Succs[1-g.stay]
	carryOut(f, g.loop, func(p *ir.Block) bool { return p == g.latch }, users)
	// The arguments of the exit's phis, by way of the guard and of the latch.
	var merged []*ir.Value
	fromLatch := g.latch.PredIndex(1 - g.stay)
	for _, e := range exit.Phis() {
		z := f.NewValue(ir.Phi, e.Type)
		z.Pos, z.Name, z.Space = e.Pos, e.Name, e.Space
		z.Args = []*ir.Value{nil, e.Args[fromLatch]}
		if g.guarded {
			z.Args[0] = e.Args[g.pre.PredIndex(1-g.stay)]
		} else {
			z.Args[0] = zeroBefore(f, e.Type) // never taken
		}
		merged = append(merged, z)
	}
	top := f.NewBlock()
	at := slices.Index(h.Preds, g.latch)
	phis := slices.Clone(h.Phis())
	for _, phi := range phis {
		phi.Args = []*ir.Value{phi.Args[1-at], phi.Args[at]}
		top.Append(phi)
	}
	h.Instrs = h.Instrs[len(phis):]
	for _, z := range merged {
		top.Append(z)
	}
	args := slices.Clone(g.test.Args)
	args[g.side] = g.phi
	test := f.NewValue(ir.Cmp, ir.Bool, args...)
	test.Sub, test.Pos = g.test.Sub, g.test.Pos
	top.Append(test)
	branch := f.NewValue(ir.Branch, ir.Void, test)
	branch.Pos = g.latch.Term().Pos
	top.Append(branch)
	for _, b := range []*ir.Block{g.pre, g.latch} {
		for len(b.Succs) > 0 {
			b.RemoveEdge(0)
		}
		makeJump(f, b)
		ir.AddEdge(b, top)
	}
	for k := range 2 {
		if k == g.stay {
			ir.AddEdge(top, h)
		} else {
			ir.AddEdge(top, exit)
			for i, e := range exit.Phis() {
				e.Args = append(e.Args, merged[i])
			}
		}
	}
	f.Blocks = slices.Insert(f.Blocks[:len(f.Blocks)-1], slices.Index(f.Blocks, h), top)
	users.addWithNext(top)
	return top
}

// zeroBefore is a zero of type t in the entry block.
func zeroBefore(f *ir.Func, t ir.Type) *ir.Value {
	op := ir.Const
	if t == ir.Ptr {
		op = ir.NilPtr
	}
	z := f.NewValue(op, t)
	f.Entry().Insert(0, z)
	return z
}
