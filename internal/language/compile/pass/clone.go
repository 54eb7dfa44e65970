package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// template is a loop as it was before any edge of it changed, to be copied.
type template struct {
	blocks []*ir.Block
	header *ir.Block
	succs  [][]*ir.Block // by position in blocks
	preds  [][]*ir.Block
	args   [][][]*ir.Value // for an edge that leaves the loop, what phis take on it
}

func newTemplate(l *ir.Loop) *template {
	t := &template{blocks: l.Blocks, header: l.Header}
	in := map[*ir.Block]bool{}
	for _, b := range l.Blocks {
		in[b] = true
	}
	for _, b := range l.Blocks {
		t.succs = append(t.succs, slices.Clone(b.Succs))
		t.preds = append(t.preds, slices.Clone(b.Preds))
		args := make([][]*ir.Value, len(b.Succs))
		for k, s := range b.Succs {
			if !in[s] {
				for _, phi := range s.Phis() {
					args[k] = append(args[k], phi.Args[b.PredIndex(k)])
				}
			}
		}
		t.args = append(t.args, args)
	}
	return t
}

// copy copies the loop. values says what the phis of the header are in the copy, which has no phis
// there. copy adds all other values to it. Edges that leave the loop leave the copy too. The header
// of the copy has no predecessors yet, and the caller fills in the back edge.
func (t *template) copy(f *ir.Func, values map[*ir.Value]*ir.Value) map[*ir.Block]*ir.Block {
	made := map[*ir.Block]*ir.Block{}
	for _, b := range t.blocks {
		n := f.NewBlock()
		n.From = b.From
		made[b] = n
		for _, v := range b.Instrs {
			if v.Op == ir.Phi && b == t.header {
				continue
			}
			w := f.NewValue(v.Op, v.Type)
			id := w.ID
			*w = *v
			w.ID = id
			w.Args = slices.Clone(v.Args)
			n.Append(w)
			values[v] = w
		}
	}
	for i, b := range t.blocks {
		n := made[b]
		for _, v := range n.Instrs {
			for k, a := range v.Args {
				v.Args[k] = get(values, a)
			}
		}
		if b != t.header {
			for _, p := range t.preds[i] {
				n.Preds = append(n.Preds, made[p])
			}
		}
		for k, s := range t.succs[i] {
			switch {
			case s == t.header:
				n.Succs = append(n.Succs, nil)
			case made[s] != nil:
				n.Succs = append(n.Succs, made[s])
			default:
				ir.AddEdge(n, s)
				for j, phi := range s.Phis() {
					phi.Args = append(phi.Args, get(values, t.args[i][k][j]))
				}
			}
		}
	}
	return made
}

// get is v's value in m, or v.
func get(m map[*ir.Value]*ir.Value, v *ir.Value) *ir.Value {
	if w := m[v]; w != nil {
		return w
	}
	return v
}
