package pass

import (
	"math"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Narrow computes in 32 bits what Go computes in 64, if the ranges show that nothing is lost. Go's
// int is 64 bits wide. A GPU's registers and units are 32 bits wide. The value is extended for uses
// of 64 bits. An address computation extends it for nothing (mad.wide).
//
// Sums, products and the like need only a result that fits, because the low halves of the operands
// determine the low half of the result. Division, right shifts and minima need operands that fit. So
// does a product that does not fit: of two extended numbers of 32 bits it is one instruction, mul.wide.
func Narrow(f *ir.Func) {
	n := &narrower{small: map[*ir.Value]bool{}, wide: map[*ir.Value]bool{}, half: map[*ir.Value]*ir.Value{},
		compares: map[*ir.Value]bool{}}
	info := analyse(f, n.visit)
	n.keepScales(f)
	n.settle()
	n.demand(f, info.dom.Order)
	n.settleCompares()
	if len(n.small) == 0 && len(n.wide) == 0 && len(n.compares) == 0 {
		return
	}
	n.rewriter = newRewriter(f)
	n.phis(info.dom.Order)
	n.run(info.dom.Order, n.rewrite)
	n.fillPhis()
}

type narrower struct {
	*rewriter
	small map[*ir.Value]bool      // the values to be computed in 32 bits
	list  []*ir.Value             // the same in the order of the text
	wide  map[*ir.Value]bool      // the products of numbers of 32 bits that are not
	half  map[*ir.Value]*ir.Value // their narrow values
	old   []*ir.Value             // the phis among them

	compares map[*ir.Value]bool // the comparisons of numbers that fit into 32 bits
}

var int32Range = typeRange(ir.I32)

// visit collects what can be narrowed. It asks whether operands fit at the operation, where checks
// and branches before it count.
func (n *narrower) visit(r *ranges, v *ir.Value) {
	if v.Type != ir.I64 && (v.Op != ir.Cmp || v.Args[0].Type != ir.I64) {
		return
	}
	fit := func(nonNegative bool) bool {
		for _, a := range v.Args {
			x := r.rangeOf(a)
			if !int32Range.contains(x) || nonNegative && x.lo < 0 {
				return false
			}
		}
		return true
	}
	ok := false
	switch v.Op {
	case ir.Cmp:
		if fit(v.Sub >= ir.LtU) {
			n.compares[v] = true
		}
	case ir.Phi:
		ok = int32Range.contains(r.rangeOf(v))
	case ir.Add, ir.Subtract, ir.Mul, ir.Neg, ir.And, ir.Or, ir.Xor, ir.Not, ir.Shl, ir.Select:
		x, _ := transfer(v, func(i int) interval { return r.rangeOf(v.Args[i]) })
		if v.Op == ir.Subtract && r.proveLE(v.Args[1], v.Args[0], 0) {
			x, _ = r.difference(v, x, false)
		}
		ok = int32Range.contains(x)
	case ir.DivS, ir.RemS, ir.ShrS, ir.MinS, ir.MaxS:
		ok = fit(false) && !(v.Op == ir.DivS && r.rangeOf(v.Args[0]).lo == math.MinInt32)
	case ir.DivU, ir.RemU, ir.ShrU, ir.MinU, ir.MaxU:
		ok = fit(true)
	}
	if !ok && (v.Op == ir.Mul || v.Op == ir.Shl && v.Args[1].Op == ir.Const) && fit(false) {
		n.wide[v] = true
	}
	if ok && !n.small[v] {
		n.small[v] = true
		n.list = append(n.list, v)
	}
}

// keepScales keeps the product of an index and a constant wide, where only addresses use it:
// extension, product and addition are one instruction, mad.wide. Addresses in shared memory have 32
// bits themselves.
func (n *narrower) keepScales(f *ir.Func) {
	uses := f.Uses()
	for _, v := range n.list {
		if v.Op != ir.Shl && v.Op != ir.Mul || v.Args[1].Op != ir.Const {
			continue
		}
		keep := len(uses[v.ID]) > 0
		for _, u := range uses[v.ID] {
			keep = keep && u.Op == ir.PtrAdd && u.Args[1] == v && u.Space != ir.Shared
		}
		if keep {
			delete(n.small, v)
			n.wide[v] = true
		}
	}
}

// settle drops values that would only be cut and extended again: a phi or a sum of values that stay
// wide.
func (n *narrower) settle() {
	for again := true; again; {
		again = false
		for _, v := range n.list {
			if n.small[v] && !n.worth(v) {
				delete(n.small, v)
				again = true
			}
		}
	}
}

func (n *narrower) worth(v *ir.Value) bool {
	switch v.Op {
	case ir.DivS, ir.DivU, ir.RemS, ir.RemU, ir.Mul, ir.MinS, ir.MaxS, ir.MinU, ir.MaxU:
		return true
	case ir.And:
		if v.Args[1].Op == ir.Const {
			return true
		}
	}
	args := v.Args
	if v.Op == ir.Select {
		args = args[1:]
	}
	for _, a := range args {
		if a.Type == ir.I64 && !n.cheap(a) && (v.Op == ir.Phi || a.Op != ir.ParamVal) {
			return false
		}
	}
	return true
}

// demand adds sums, products and the like whose uses all take the low half: they need no range. It
// leaves those whose operands all have 64 bits, as cutting each is not less than cutting the result,
// unless a constant is the other operand: neighbours of x, such as x-1 and x+1, share the half of x.
func (n *narrower) demand(f *ir.Func, order []*ir.Block) {
	uses, fits := f.Uses(), map[*ir.Value]bool{}
	for _, v := range n.list {
		fits[v] = len(v.Args) == 2 && v.Args[1].Op == ir.Const
	}
	for _, b := range slices.Backward(order) {
		for _, v := range slices.Backward(b.Instrs) {
			if v.Type != ir.I64 || n.small[v] || !lowFromLow(v) || len(uses[v.ID]) == 0 || !fits[v] && !slices.ContainsFunc(v.Args, n.narrowable) {
				continue
			}
			if !slices.ContainsFunc(uses[v.ID], func(u *ir.Value) bool { return u.Op != ir.Trunc && !n.small[u] }) {
				n.small[v] = true
				delete(n.wide, v)
			}
		}
	}
}

// narrowable reports whether v is a number of 32 bits, or a product that may become one.
func (n *narrower) narrowable(v *ir.Value) bool {
	return n.small[v] || n.wide[v] || v.Op == ir.Sext32 || v.Op == ir.Zext32
}

// lowFromLow reports whether the low halves of v's arguments determine v's low half.
func lowFromLow(v *ir.Value) bool {
	switch v.Op {
	case ir.Add, ir.Subtract, ir.Mul, ir.Neg, ir.And, ir.Or, ir.Xor, ir.Not:
		return true
	case ir.Shl:
		c, ok := v.Args[1].IntConst()
		return ok && 0 <= c && c < 32
	}
	return false
}

// settleCompares drops comparisons that need no number of 32 bits: cutting both costs more than it
// saves.
func (n *narrower) settleCompares() {
	for v := range n.compares {
		x, y := v.Args[0], v.Args[1]
		if !(n.small[x] || x.Op == ir.Sext32) && !(n.small[y] || y.Op == ir.Sext32) {
			delete(n.compares, v)
		}
	}
}

// cheap reports whether the low half of v costs nothing. A parameter's costs nothing either, but must
// be taken in a block, which phis have none for.
func (n *narrower) cheap(v *ir.Value) bool {
	return n.small[v] || v.Op == ir.Const || v.Op == ir.Sext32 || v.Op == ir.Zext32
}

// phis makes the 32-bit phis first: others refer to them before their blocks are visited.
func (n *narrower) phis(order []*ir.Block) {
	for _, b := range order {
		for _, v := range b.Phis() {
			if !n.small[v] {
				continue
			}
			h := n.rewriter.f.NewValue(ir.Phi, ir.I32)
			h.Pos, h.Name, h.Block = v.Pos, v.Name, b
			n.half[v] = h
			n.old = append(n.old, v)
		}
	}
}

// rewrite makes the 32-bit form of v before it. v becomes its extension.
func (n *narrower) rewrite(v *ir.Value) *ir.Value {
	switch {
	case n.wide[v]:
		for i, a := range v.Args {
			if a.Type == ir.I64 && a.Op != ir.Sext32 && a.Op != ir.Const {
				v.Args[i] = n.emit(ir.Sext32, ir.I64, n.low(a))
			}
		}
		return v
	case n.compares[v]:
		v.Args = []*ir.Value{n.low(v.Args[0]), n.low(v.Args[1])}
		return v
	case !n.small[v]:
		return v
	case v.Op == ir.Phi:
		n.out = append(n.out, n.half[v])
		return v // extended when all phis of the block are done
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = n.low(a)
	}
	h := n.emit(v.Op, ir.I32, args...)
	h.Name = v.Name
	n.half[v] = h
	v.Op, v.Args = ir.Sext32, []*ir.Value{h}
	return v
}

// low is the low half of a. Other types stay as they are.
func (n *narrower) low(a *ir.Value) *ir.Value {
	if a.Type != ir.I64 {
		return a
	}
	if h := n.half[a]; h != nil {
		return h
	}
	switch a.Op {
	case ir.Const:
		return n.constant(ir.I32, a.Int)
	case ir.Sext32, ir.Zext32:
		return a.Args[0]
	}
	return n.emit(ir.Trunc, ir.I32, a)
}

// fillPhis gives the new phis their arguments, and turns the old ones into extensions after the
// phis of their blocks.
func (n *narrower) fillPhis() {
	for _, v := range n.old {
		for _, a := range v.Args {
			n.half[v].Args = append(n.half[v].Args, n.low(a))
		}
	}
	n.rewriter.finish() // constants that the phis brought
	for _, v := range n.old {
		b := v.Block
		b.Remove(v)
		v.Op, v.Args = ir.Sext32, []*ir.Value{n.half[v]}
		b.Insert(len(b.Phis()), v)
	}
}
