package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// preheader makes sure that the loop is entered from one block that leads nowhere else, and returns
// that block. It adds a new block to ls. If made is true, the dominator tree is out of date.
func preheader(f *ir.Func, ls *ir.Loops, l *ir.Loop) (pre *ir.Block, made bool) {
	if pre = ls.Preheader(l); pre != nil {
		return pre, false
	}
	h := l.Header
	pre = f.NewBlock()
	jump := f.NewValue(ir.Jump, ir.Void)
	jump.Pos = h.Term().Pos
	phis := slices.Clone(h.Phis())
	merged := make([]*ir.Value, len(phis))
	for i, phi := range phis {
		merged[i] = f.NewValue(ir.Phi, phi.Type)
		merged[i].Pos, merged[i].Name, merged[i].Space, merged[i].Align = phi.Pos, phi.Name, phi.Space, phi.Align
		pre.Append(merged[i])
	}
	pre.Append(jump)
	for k := 0; k < len(h.Preds); {
		p := h.Preds[k]
		if ls.Contains(l, p) {
			k++
			continue
		}
		args := make([]*ir.Value, len(phis))
		for i, phi := range phis {
			args[i] = phi.Args[k]
		}
		p.RedirectEdge(edgeIndex(p, h, k), pre, args)
	}
	ir.AddEdge(pre, h)
	for i, phi := range phis {
		phi.Args = append(phi.Args, merged[i])
	}
	at := slices.Index(f.Blocks, h)
	f.Blocks = slices.Insert(f.Blocks[:len(f.Blocks)-1], at, pre)
	ls.Add(pre, l.Parent)
	return pre, true
}

// edgeIndex is the successor of p that is the edge to.Preds[k].
func edgeIndex(p, to *ir.Block, k int) int {
	nth := 0
	for _, q := range to.Preds[:k] {
		if q == p {
			nth++
		}
	}
	for i, s := range p.Succs {
		if s == to {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	panic("BUG: an edge has no counterpart")
}
