package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// SimplifyCFG removes blocks that cannot be reached, branches with one way to go, and blocks that
// only jump. It joins a block with its one successor where that has no other predecessor. It also
// threads edges: where an edge brings a constant to a branch on a phi, as && and || make them, the
// edge is led straight to where that branch goes.
//
// It copies no instruction, and changes for none the condition under which it runs. Threading moves
// the point where threads come together again. So a convergent operation before the old point
// prevents it.
func SimplifyCFG(f *ir.Func) {
	for range 8 {
		changed := foldBranches(f)
		ir.RemoveUnreachable(f)
		changed = trivialPhis(f) || changed
		changed = mergeBlocks(f) || changed
		changed = skipEmptyBlocks(f) || changed
		changed = threadJumps(f) || changed
		if !changed {
			return
		}
	}
}

// decideCheck says whether a check holds, where its operands are constants or the length is 0.
// known is false for other checks.
func decideCheck(v *ir.Value) (holds, known bool) {
	if v.Sub == ir.CheckIndex && isInt(v.Args[1], 0) {
		return false, true
	}
	if v.Sub == ir.CheckNil && inVariable(v.Args[0]) {
		return true, true
	}
	var c [2]int64
	for i, a := range v.Args[:min(len(v.Args), len(c))] {
		x, ok := a.IsConst()
		if !ok && (i == 0 || v.Sub != ir.CheckAssert) {
			return false, false
		}
		c[i] = int64(x)
		if a.Type == ir.I32 {
			c[i] = int64(int32(x))
		}
	}
	x, y := c[0], c[1]
	switch v.Sub {
	case ir.CheckAssert, ir.CheckOverflow, ir.CheckDivide, ir.CheckNil:
		return x != 0, true
	case ir.CheckShift, ir.CheckMakeLen:
		return x >= 0, true
	case ir.CheckIndex:
		return 0 <= x && x < y, true
	case ir.CheckSliceToArr:
		return x >= y, true
	}
	return 0 <= x && x <= y, true
}

// inVariable reports whether a pointer is the address of a variable, or one inside it: that is
// never nil.
func inVariable(p *ir.Value) bool {
	for p.Op == ir.PtrAdd {
		p = p.Args[0]
	}
	return p.Op == ir.VarAddr || p.Op == ir.Alloca
}

// foldChecks ends a block at a check that always fails: nothing after it runs.
func foldChecks(f *ir.Func, b *ir.Block) bool {
	for i, v := range b.Instrs {
		if v.Op != ir.Check {
			continue
		}
		if holds, known := decideCheck(v); !known || holds {
			continue
		}
		for len(b.Succs) > 0 {
			b.RemoveEdge(len(b.Succs) - 1)
		}
		for _, dead := range b.Instrs[i:] {
			dead.Block = nil
		}
		b.Instrs = b.Instrs[:i]
		b.Append(f.NewFailure(v))
		return true
	}
	return false
}

// foldBranches turns branches on a constant, and branches with two equal ways, into jumps.
func foldBranches(f *ir.Func) (changed bool) {
	for _, b := range f.Blocks {
		changed = foldChecks(f, b) || changed
		t := b.Term()
		if t.Op != ir.Branch {
			continue
		}
		drop := -1
		switch c := t.Args[0]; {
		case c.Op == ir.Const && c.Int != 0:
			drop = 1
		case c.Op == ir.Const:
			drop = 0
		case b.Succs[0] == b.Succs[1] && sameOnEdges(b):
			drop = 1
		default:
			continue
		}
		b.RemoveEdge(drop)
		makeJump(f, b)
		changed = true
	}
	return changed
}

// makeJump replaces the terminator of b, which has one successor left, by a Jump.
func makeJump(f *ir.Func, b *ir.Block) {
	j := f.NewValue(ir.Jump, ir.Void)
	j.Pos = b.Term().Pos
	b.SetTerm(j)
}

// sameOnEdges reports whether the phis of the one successor get the same values on both edges.
func sameOnEdges(b *ir.Block) bool {
	i, k := b.PredIndex(0), b.PredIndex(1)
	for _, phi := range b.Succs[0].Phis() {
		if phi.Args[i] != phi.Args[k] {
			return false
		}
	}
	return true
}

// trivialPhis replaces phis that can only be one value.
func trivialPhis(f *ir.Func) bool {
	rep := ir.NewReplacer(f)
	for again := true; again; {
		again = false
		for _, b := range f.Blocks {
			for _, phi := range b.Phis() {
				if rep.Get(phi) != phi {
					continue
				}
				if one := onlyValue(phi, rep); one != nil {
					rep.Replace(phi, one)
					again = true
				}
			}
		}
	}
	changed := !rep.Empty()
	rep.Apply()
	return changed
}

// onlyValue is the one value that a phi can take, other than itself; or nil if it can take several
// or none.
func onlyValue(phi *ir.Value, rep *ir.Replacer) *ir.Value {
	var one *ir.Value
	for _, a := range phi.Args {
		a = rep.Get(a)
		if a == phi || a == one {
			continue
		}
		if one != nil {
			return nil
		}
		one = a
	}
	return one
}

// mergeBlocks appends to a block its one successor, if it is that block's one predecessor.
func mergeBlocks(f *ir.Func) (changed bool) {
	gone := map[*ir.Block]bool{}
	for _, b := range f.Blocks {
		for !gone[b] && len(b.Succs) == 1 {
			s := b.Succs[0]
			if len(s.Preds) != 1 || s == b || len(s.Phis()) > 0 {
				break
			}
			b.Instrs = b.Instrs[:len(b.Instrs)-1]
			for _, v := range s.Instrs {
				b.Append(v)
			}
			b.Succs, b.From = s.Succs, b.From.Around(s.From)
			for i, t := range s.Succs {
				if slices.Contains(s.Succs[:i], t) {
					continue
				}
				for k, p := range t.Preds {
					if p == s {
						t.Preds[k] = b
					}
				}
			}
			s.Preds, s.Succs, s.Instrs = nil, nil, nil
			gone[s] = true
			changed = true
		}
	}
	if changed {
		f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return gone[b] })
	}
	return changed
}

// skipEmptyBlocks leads edges past blocks that hold nothing but a Jump.
func skipEmptyBlocks(f *ir.Func) (changed bool) {
	for _, b := range f.Blocks {
		if len(b.Instrs) != 1 || b.Instrs[0].Op != ir.Jump || b == f.Entry() || b.Succs[0] == b {
			continue
		}
		to := b.Succs[0]
		phis := to.Phis()
		at := b.PredIndex(0)
		for i := 0; i < len(b.Preds); {
			p := b.Preds[i]
			if len(phis) > 0 && slices.Contains(p.Succs, to) || p == to && len(phis) > 0 {
				i++ // a double edge with different values would only be split again
				continue
			}
			succ := slices.Index(p.Succs, b)
			args := make([]*ir.Value, len(phis))
			for k, phi := range phis {
				args[k] = phi.Args[at]
			}
			p.RedirectEdge(succ, to, args)
			at = b.PredIndex(0)
			changed = true
		}
	}
	if changed {
		ir.RemoveUnreachable(f)
	}
	return changed
}

// threadJumps looks for blocks of phis and a branch on one of them. An edge on which that phi is
// constant goes straight to the branch's target.
func threadJumps(f *ir.Func) (changed bool) {
	var uses [][]*ir.Value
	for _, b := range f.Blocks {
		phi := threadable(b)
		if phi == nil {
			continue
		}
		if uses == nil {
			uses = f.Uses()
		}
		if !usedOnlyAround(b, uses) || convergentBeforeJoin(f, b) {
			continue
		}
		for i := 0; i < len(phi.Args); {
			if phi.Args[i].Op != ir.Const || len(b.Preds) == 1 {
				i++
				continue
			}
			threadEdge(b, i, int(1-phi.Args[i].Int))
			changed = true
			uses = nil
		}
	}
	return changed
}

// threadable is the phi that the block branches on, if the block holds nothing but phis and that
// branch.
func threadable(b *ir.Block) *ir.Value {
	t := b.Term()
	if t.Op != ir.Branch || b.Succs[0] == b || b.Succs[1] == b || b.Succs[0] == b.Succs[1] {
		return nil
	}
	c := t.Args[0]
	if c.Op != ir.Phi || c.Block != b || len(b.Phis()) != len(b.Instrs)-1 {
		return nil
	}
	for i, a := range c.Args {
		if a.Op == ir.Const && b.Preds[i] != b {
			return c
		}
	}
	return nil
}

// usedOnlyAround reports whether the phis of b are used only by its branch and by phis of its
// successors on edges from b.
func usedOnlyAround(b *ir.Block, uses [][]*ir.Value) bool {
	for _, phi := range b.Phis() {
		for _, u := range uses[phi.ID] {
			if u == b.Term() {
				continue
			}
			if u.Op != ir.Phi || u.Block == b {
				return false
			}
			for i, a := range u.Args {
				if a == phi && u.Block.Preds[i] != b {
					return false
				}
			}
		}
	}
	return true
}

// convergentBeforeJoin reports whether a convergent operation can run after b's branch and before
// its ways come together.
func convergentBeforeJoin(f *ir.Func, b *ir.Block) bool {
	join := f.PostDominators().Ipdom(b)
	seen := map[*ir.Block]bool{b: true}
	work := slices.Clone(b.Succs)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == join || seen[x] {
			continue
		}
		seen[x] = true
		for _, v := range x.Instrs {
			if v.Op.Convergent() {
				return true
			}
		}
		work = append(work, x.Succs...)
	}
	return false
}

// threadEdge makes the edge b.Preds[i] lead to b.Succs[way].
func threadEdge(b *ir.Block, i, way int) {
	to := b.Succs[way]
	at := b.PredIndex(way)
	p := b.Preds[i]
	succ := edgeIndex(p, b, i)
	var args []*ir.Value
	for _, phi := range to.Phis() {
		a := phi.Args[at]
		if a.Op == ir.Phi && a.Block == b {
			a = a.Args[i]
		}
		args = append(args, a)
	}
	p.RedirectEdge(succ, to, args)
}
