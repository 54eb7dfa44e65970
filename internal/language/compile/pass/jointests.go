package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// maxJoined is how many operations may run for nothing so that two tests are one.
const maxJoined = 6

// JoinTests makes one branch of two that lead to the same place, if only a little is computed between
// them: of x < 1 || x >= width-1 || y < 1 || y >= height-1 before a return. A branch takes longer than a
// comparison, and the assembler moves nothing over it. It leaves loops alone, whose tests
// UnrollCounted and Rotate have arranged.
func JoinTests(f *ir.Func) {
	dom := f.Dominators()
	loops, joined := f.Loops(dom), false
	for _, b := range dom.Order {
		for loops.Of(b) == nil && joinTest(f, b) {
			joined = true
		}
	}
	if joined {
		ir.RemoveUnreachable(f)
		SimplifyCFG(f)
	}
}

// joinTest joins the branch at the end of b with the branch of one of its successors. It reports whether it
// did.
func joinTest(f *ir.Func, b *ir.Block) bool {
	if len(b.Succs) != 2 || b.Succs[0] == b.Succs[1] {
		return false
	}
	for k, next := range b.Succs {
		place := b.Succs[1-k]
		if next == b || len(next.Preds) != 1 || len(next.Succs) != 2 || next.Succs[0] == next.Succs[1] || !isSmall(next) {
			continue
		}
		for j, s := range next.Succs {
			if s == place && sameFrom(place, b, 1-k, next, j) {
				joinAt(f, b, k, j)
				return true
			}
		}
	}
	return false
}

// isSmall reports whether a block does no more than compute a little and branch.
func isSmall(b *ir.Block) bool {
	if len(b.Instrs)-1 > maxJoined {
		return false
	}
	for _, v := range b.Instrs[:len(b.Instrs)-1] {
		if !v.Op.Pure() || v.Op.Costly() || v.Op == ir.Phi {
			return false
		}
	}
	return true
}

// sameFrom reports whether the phis of a block take the same from two edges.
func sameFrom(place, b *ir.Block, i int, c *ir.Block, j int) bool {
	x, y := b.PredIndex(i), c.PredIndex(j)
	for _, phi := range place.Phis() {
		if phi.Args[x] != phi.Args[y] {
			return false
		}
	}
	return true
}

// joinAt lets b, whose successor k leads to a block that leads by its successor j to b's other
// successor, branch to the block's two successors itself.
func joinAt(f *ir.Func, b *ir.Block, k, j int) {
	next, branch := b.Succs[k], b.Term()
	e := &exprEmitter{f: f, b: b, pos: branch.Pos, before: true}
	for _, v := range next.Instrs[:len(next.Instrs)-1] {
		b.InsertBeforeTerm(v)
	}
	test := next.Term()
	next.Instrs = next.Instrs[len(next.Instrs)-1:]
	leave := e.truth(branch.Args[0], k == 1) // b goes to the place
	other := e.truth(test.Args[0], j == 0)   // the block does
	branch.Args[0] = e.emit(ir.Or, ir.Bool, leave, other)
	stay := next.Succs[1-j]
	args := phiArgs(next, 1-j)
	b.RedirectEdge(0, b.Succs[1-k], phiArgs(b, 1-k))
	b.RedirectEdge(1, stay, args)
	for len(next.Succs) > 0 {
		next.RemoveEdge(len(next.Succs) - 1)
	}
}

// phiArgs lists the arguments that the phis of a successor have for an edge of b.
func phiArgs(b *ir.Block, succ int) (args []*ir.Value) {
	at := b.PredIndex(succ)
	for _, phi := range b.Succs[succ].Phis() {
		args = append(args, phi.Args[at])
	}
	return args
}

// truth is the Bool v, or its opposite.
func (e *exprEmitter) truth(v *ir.Value, positive bool) *ir.Value {
	if positive {
		return v
	}
	if v.Op == ir.Cmp && v.Args[0].Type.IsInt() {
		c := e.emit(ir.Cmp, ir.Bool, v.Args...)
		c.Sub = negated(v.Sub)
		return c
	}
	return e.emit(ir.Not, ir.Bool, v)
}
