package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Limits of IfConvert: instructions that run for nothing, and selects they are run for.
const (
	maxSpeculated = 6
	maxSelects    = 4
)

// IfConvert replaces a branch around a few pure operations by those operations and selects. Both
// sides together cost less than the branch, and the threads stay together. Loads, checks, divisions
// and convergent operations never run in threads that did not run them before. (Allen, Kennedy,
// Porterfield and Warren, "Conversion of control dependence to data dependence", 1983.)
func IfConvert(f *ir.Func) {
	changed := false
	order := f.Dominators().Order
	for i := len(order) - 1; i >= 0; i-- { // inner branches first
		changed = convertIf(f, order[i]) || changed
	}
	if changed {
		ir.RemoveUnreachable(f)
		Fold(f)
		DeadCode(f)
		SimplifyCFG(f)
	}
}

// convertIf converts the branch at the end of b if its ways meet again after at most one small
// block each.
func convertIf(f *ir.Func, b *ir.Block) bool {
	if b.Term().Op != ir.Branch || b.Succs[0] == b.Succs[1] {
		return false
	}
	join, sides := meet(b)
	if join == nil || join == b || !worthConverting(join, b, sides) {
		return false
	}
	merged := selects(f, b, join, sides)
	for k, side := range sides {
		if !side {
			continue
		}
		s := b.Succs[k]
		for _, v := range s.Instrs[:len(s.Instrs)-1] {
			b.InsertBeforeTerm(v)
		}
		s.Instrs = s.Instrs[len(s.Instrs)-1:]
	}
	for i, x := range merged {
		if x.Args[1] == x.Args[2] {
			merged[i] = x.Args[1]
		} else {
			b.InsertBeforeTerm(x)
		}
	}
	b.RemoveEdge(1)
	b.RemoveEdge(0)
	makeJump(f, b)
	ir.AddEdge(b, join)
	for i, phi := range join.Phis() {
		phi.Args = append(phi.Args, merged[i])
	}
	return true
}

// meet is the block where the ways of b's branch come together, and which ways have a block of
// their own before it. The join is nil if a way has more than one.
func meet(b *ir.Block) (join *ir.Block, sides [2]bool) {
	yes, no := b.Succs[0], b.Succs[1]
	a, c := isSide(yes, b), isSide(no, b)
	switch {
	case a && c && yes.Succs[0] == no.Succs[0]:
		return yes.Succs[0], [2]bool{true, true}
	case a && yes.Succs[0] == no:
		return no, [2]bool{true, false}
	case c && no.Succs[0] == yes:
		return yes, [2]bool{false, true}
	}
	return nil, sides
}

// selects makes a select, in no block yet, for each phi of the join.
func selects(f *ir.Func, b, join *ir.Block, sides [2]bool) []*ir.Value {
	edge := func(k int) int { // of the join, on which way k arrives
		if sides[k] {
			return b.Succs[k].PredIndex(0)
		}
		return b.PredIndex(k)
	}
	yes, no := edge(0), edge(1)
	var out []*ir.Value
	for _, phi := range join.Phis() {
		x := f.NewValue(ir.Select, phi.Type, b.Term().Args[0], phi.Args[yes], phi.Args[no])
		x.Pos, x.Name, x.Space, x.Align = phi.Pos, phi.Name, phi.Space, phi.Align
		out = append(out, x)
	}
	return out
}

// isSide reports whether s is entered only from b and has one successor.
func isSide(s, b *ir.Block) bool {
	return len(s.Preds) == 1 && s.Preds[0] == b && len(s.Succs) == 1 && s.Succs[0] != s
}

// worthConverting reports whether the sides are small and pure, and the selects few.
func worthConverting(join, b *ir.Block, sides [2]bool) bool {
	size := 0
	for k, s := range b.Succs {
		if !sides[k] {
			continue
		}
		for _, v := range s.Instrs[:len(s.Instrs)-1] {
			if !v.Op.Pure() || v.Op.Costly() || v.Op == ir.Phi {
				return false
			}
			size++
		}
	}
	n := len(join.Phis())
	return n > 0 && size <= maxSpeculated && n <= maxSelects
}
