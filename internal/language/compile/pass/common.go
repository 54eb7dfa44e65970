package pass

import (
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Common does once what both ways of a branch do, if they meet again after one block each: it moves
// equal computations and loads before the branch, and stores to one address after it.
//
//	if t >= d { to[t] = from[t] + from[t-d] } else { to[t] = from[t] }
//
//	x := from[t]; if t >= d { x += from[t-d] }; to[t] = x
//
// Each thread makes the same accesses in the same order as before. So a warp whose threads go both
// ways waits for the memory once. (Code hoisting, and sinking, its mirror image: Muchnick 13.5.) An
// access of two lines gets the position of the branch, as it is of neither.
func Common(f *ir.Func) {
	c := &commons{f: f, rep: ir.NewReplacer(f)}
	order := f.Dominators().Order
	for _, b := range slices.Backward(order) { // inner branches first
		if join, sides := bothSides(b); join != nil {
			c.hoist(b, sides)
			for c.sink(b, join, sides) {
			}
		}
	}
	c.rep.Apply()
}

// bothSides is the block where the ways of b's branch meet, and the blocks between, if both ways have
// one and no other ways lead there. The block is nil otherwise.
func bothSides(b *ir.Block) (*ir.Block, []*ir.Block) {
	if b.Term().Op != ir.Branch || b.Succs[0] == b.Succs[1] {
		return nil, nil
	}
	join, sides := meet(b)
	if join == nil || join == b || !sides[0] || !sides[1] || len(join.Preds) != 2 {
		return nil, nil
	}
	return join, b.Succs
}

// commons is a function and what is replaced in it.
type commons struct {
	f   *ir.Func
	rep *ir.Replacer
}

// hoist moves before the branch of b what both sides compute and load before they do anything else.
func (c *commons) hoist(b *ir.Block, sides []*ir.Block) {
	for _, v := range slices.Clone(sides[0].Instrs) {
		if !computes(v) {
			return
		}
		if w := c.twin(v, sides[1]); w != nil && c.before(v, sides[0]) {
			sides[0].Remove(v)
			b.InsertBeforeTerm(v)
			v.Pos = positionOf(v, w, b)
			c.rep.Replace(w, v)
		}
	}
}

// computes reports whether v computes or loads a value, and does nothing else.
func computes(v *ir.Value) bool {
	return v.Op == ir.Load && v.Lanes == 0 || v.Op.Pure() && v.Op != ir.Phi
}

// before reports whether v needs nothing that is computed in its block.
func (c *commons) before(v *ir.Value, b *ir.Block) bool {
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return c.rep.Get(a).Block == b })
}

// twin finds what is equal to v at the start of a block.
func (c *commons) twin(v *ir.Value, b *ir.Block) *ir.Value {
	for _, w := range b.Instrs {
		if !computes(w) {
			return nil
		}
		if c.rep.Get(w) == w && alike(v, w) && c.same(v, w) {
			return w
		}
	}
	return nil
}

// same reports whether two operations have the same arguments.
func (c *commons) same(v, w *ir.Value) bool {
	return slices.EqualFunc(v.Args, w.Args, func(a, b *ir.Value) bool { return c.rep.Get(a) == c.rep.Get(b) })
}

// alike reports whether two values are the same operation, perhaps of other arguments.
func alike(v, w *ir.Value) bool {
	return v.Op == w.Op && v.Type == w.Type && v.Int == w.Int && v.Mem == w.Mem && v.Lanes == w.Lanes && v.Align == w.Align &&
		v.Space == w.Space && v.Sub == w.Sub && v.Var == w.Var && v.Size == w.Size && v.Fast == w.Fast && len(v.Args) == len(w.Args)
}

// positionOf is the position of an instruction that does what v and w did after the branch of b.
func positionOf(v, w *ir.Value, b *ir.Block) ir.Pos {
	if v.Pos == w.Pos {
		return v.Pos
	}
	return b.Term().Pos
}

// sink moves the last stores of both sides after the branch of b, if they write to one address. It
// reports whether it did.
func (c *commons) sink(b, join *ir.Block, sides []*ir.Block) bool {
	v, w := lastStore(sides[0]), lastStore(sides[1])
	if v == nil || w == nil || !alike(v, w) || c.rep.Get(v.Args[0]) != c.rep.Get(w.Args[0]) || slices.Contains(sides, c.rep.Get(v.Args[0]).Block) {
		return false
	}
	x := v.Args[1]
	if c.rep.Get(x) != c.rep.Get(w.Args[1]) {
		x = c.f.NewValue(ir.Phi, v.Args[1].Type)
		x.Pos = positionOf(v, w, b)
		x.Args = []*ir.Value{v.Args[1], w.Args[1]}
		if join.Preds[0] == sides[1] {
			slices.Reverse(x.Args)
		}
		join.Insert(0, x)
	}
	sides[1].Remove(w)
	sides[0].Remove(v)
	v.Pos, v.Args[1] = positionOf(v, w, b), x
	join.Insert(len(join.Phis()), v)
	return true
}

// lastStore is the store of one value after which a block only computes, or nil.
func lastStore(b *ir.Block) *ir.Value {
	for _, v := range slices.Backward(b.Instrs[:len(b.Instrs)-1]) {
		if v.Op == ir.Store && len(v.Args) == 2 {
			return v
		}
		if !v.Op.Pure() {
			return nil
		}
	}
	return nil
}
