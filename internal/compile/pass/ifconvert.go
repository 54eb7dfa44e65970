package pass

import "github.com/gridstride/gridstride/internal/compile/ir"

// Limits of IfConvert: instructions that run for nothing, and selects they are run for.
const (
	maxSpeculated = 6
	maxSelects    = 4
)

// IfConvert replaces a branch around a few pure operations by those operations and selects: both sides cost less than the branch, and threads do not
// part. Loads, checks, divisions and convergent operations are never run where they were not. (Allen, Kennedy, Porterfield and Warren,
// "Conversion of control dependence to data dependence", 1983.)
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

// convertIf converts the branch at the end of b if its ways meet again behind at most one small block each.
func convertIf(f *ir.Func, b *ir.Block) bool {
	if b.Term().Op != ir.Branch || b.Succs[0] == b.Succs[1] {
		return false
	}
	yes, no := b.Succs[0], b.Succs[1]
	sideYes, sideNo := isSide(yes, b), isSide(no, b)
	var join *ir.Block
	switch {
	case sideYes && sideNo && yes.Succs[0] == no.Succs[0]:
		join = yes.Succs[0]
	case sideYes && yes.Succs[0] == no:
		join, sideNo = no, false
	case sideNo && no.Succs[0] == yes:
		join, sideYes = yes, false
	default:
		return false
	}
	if join == b || !worthConverting(join, yes, no, sideYes, sideNo) {
		return false
	}
	// The edges into the join, from where each way comes.
	edge := func(k int, side bool) int {
		if side {
			return b.Succs[k].PredIndex(0)
		}
		return b.PredIndex(k)
	}
	fromYes, fromNo := edge(0, sideYes), edge(1, sideNo)
	cond := b.Term().Args[0]
	var merged []*ir.Value
	for _, phi := range join.Phis() {
		merged = append(merged, f.NewValue(ir.Select, phi.Type, cond, phi.Args[fromYes], phi.Args[fromNo]))
	}
	for i, phi := range join.Phis() {
		merged[i].Pos, merged[i].Name, merged[i].Space, merged[i].Align = phi.Pos, phi.Name, phi.Space, phi.Align
	}
	for k, side := range []bool{sideYes, sideNo} {
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

// isSide reports whether s is only entered from b and goes on to one place.
func isSide(s, b *ir.Block) bool {
	return len(s.Preds) == 1 && s.Preds[0] == b && len(s.Succs) == 1 && s.Succs[0] != s
}

// worthConverting reports whether the sides are small and pure, and the selects few.
func worthConverting(join, yes, no *ir.Block, sideYes, sideNo bool) bool {
	size := 0
	for k, s := range []*ir.Block{yes, no} {
		if k == 0 && !sideYes || k == 1 && !sideNo {
			continue
		}
		for _, v := range s.Instrs[:len(s.Instrs)-1] {
			if !v.Op.Pure() || v.Op.Costly() || v.Op == ir.Phi {
				return false
			}
			size++
		}
	}
	selects := len(join.Phis())
	return selects > 0 && size <= maxSpeculated && selects <= maxSelects
}
