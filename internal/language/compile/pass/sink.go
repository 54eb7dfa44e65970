package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Sink does after a branch what both of its ways do with different values, if they meet again after
// one block each: one operation on the value of the way that was taken, instead of one operation on
// each way. Loads are the gain: threads that went different ways wait for them together.
//
//	if x < node.Value { check node.Left < n; node = nodes[node.Left] }
//	else { check node.Right < n; node = nodes[node.Right] }
//
//	if x < node.Value { check node.Left < n } else { check node.Right < n }
//	node = nodes[node.Left or node.Right]
//
// It only sinks what differs in one argument, so it makes no more phis than it takes. It runs late:
// an address of a phi tells the passes before it less about the index.
func Sink(f *ir.Func) {
	counts := f.UseCounts()
	for _, b := range slices.Backward(f.Dominators().Order) {
		if join, sides := bothSides(b); join != nil {
			s := &sinking{f: f, counts: counts, b: b, join: join, sides: sides}
			for slices.ContainsFunc(slices.Clone(join.Phis()), s.phi) {
			}
		}
	}
}

// sinking is a branch, the blocks of its ways, and the block in which they meet.
type sinking struct {
	f      *ir.Func
	counts []int // by ID: how often a value is used
	b      *ir.Block
	join   *ir.Block
	sides  []*ir.Block
}

// phi replaces a phi of two like operations by one of them. It reports whether it did.
func (s *sinking) phi(phi *ir.Value) bool {
	v, w := phi.Args[0], phi.Args[1]
	if v == w || !alike(v, w) || !s.movable(phi, v, 0) || !s.movable(phi, w, 1) {
		return false
	}
	differ := -1
	for i := range v.Args {
		if v.Args[i] == w.Args[i] {
			continue
		}
		if differ >= 0 || v.Args[i].Type != w.Args[i].Type || v.Args[i].Type == ir.Bool || v.Op != ir.PtrAdd && (v.Args[i].Op == ir.Const || w.Args[i].Op == ir.Const) {
			return false
		}
		differ = i
	}
	if differ < 0 {
		return false // Common has moved it before the branch, if that may be
	}
	// The phi becomes the operation, so that what uses it stays as it is.
	of := s.f.NewValue(ir.Phi, v.Args[differ].Type, v.Args[differ], w.Args[differ])
	of.Pos, of.Space = phi.Pos, phiSpace(v.Args[differ], w.Args[differ])
	s.counts = append(s.counts, make([]int, of.ID+1-len(s.counts))...)
	s.counts[of.ID] = 1
	v.Block.Remove(v)
	w.Block.Remove(w)
	s.join.Remove(phi)
	args := slices.Clone(v.Args)
	args[differ] = of
	id, pos, name := phi.ID, positionOf(v, w, s.b), phi.Name
	*phi = *v
	phi.ID, phi.Pos, phi.Name, phi.Args = id, pos, name, args
	s.join.Insert(0, of)
	s.join.Insert(len(s.join.Phis()), phi)
	return true
}

// phiSpace is the space into which both pointers point.
func phiSpace(v, w *ir.Value) ir.Space {
	if v.Type == ir.Ptr && v.PointsTo() != w.PointsTo() {
		return ir.Generic
	}
	return v.Space
}

// movable reports whether v, which the phi takes on way i, is computed on that way for the phi alone,
// and can as well be computed where the ways meet.
func (s *sinking) movable(phi, v *ir.Value, i int) bool {
	side := s.join.Preds[i]
	if v.Block != side || s.counts[v.ID] != 1 || !computes(v) || v.Type == ir.Bool {
		return false
	}
	if v.Op != ir.Load {
		return true
	}
	after := side.Instrs[slices.Index(side.Instrs, v)+1:]
	return !slices.ContainsFunc(after, func(x *ir.Value) bool { return x.Op.Writes() || x.Op.Convergent() })
}
