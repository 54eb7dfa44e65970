package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Fuse makes x*y+z, x*y-z and z-x*y one instruction that rounds once, where both operations are fast,
// as Go's specification allows ("Floating-point operators") and nvcc's -fmad does. A sum of two
// products takes the one with fewer other uses, which is less likely to be computed besides, and of
// two alike the first. Each sum stays one instruction, whatever becomes of the product.
//
// A product outside of the sum's loop stays there: the sum costs no more without it.
func Fuse(f *ir.Func) {
	if !hasFast(f) {
		return
	}
	z := &fuser{rewriter: newRewriter(f), uses: f.UseCounts(), loops: f.Loops(f.Dominators())}
	n := newTally(f, loopFused)
	z.run(f.Dominators().Order, func(v *ir.Value) *ir.Value {
		w := z.fuse(v)
		if w != v {
			n.add(v)
		}
		return w
	})
	n.report()
}

type fuser struct {
	*rewriter
	uses  []int // by the ID of a product
	loops *ir.Loops
}

// fuse returns what stands for v.
func (z *fuser) fuse(v *ir.Value) *ir.Value {
	if !v.Fast || v.Op != ir.FAdd && v.Op != ir.FSub {
		return v
	}
	x, y := v.Args[0], v.Args[1]
	first, firstMinus := z.product(v, x)
	second, secondMinus := z.product(v, y)
	switch {
	case first == nil && second == nil:
		return v
	case second == nil, first != nil && z.uses[first.ID] <= z.uses[second.ID]:
		return z.fma(first, firstMinus, y, v.Op == ir.FSub)
	}
	return z.fma(second, secondMinus != (v.Op == ir.FSub), x, false)
}

// product is the product that an operand of v is, or the opposite of, if v may take it in.
func (z *fuser) product(v, x *ir.Value) (p *ir.Value, minus bool) {
	if x.Op == ir.FNeg {
		x, minus = x.Args[0], true
	}
	if x.Op != ir.FMul || !x.Fast || z.loops.Of(x.Block) != z.loops.Of(v.Block) {
		return nil, false
	}
	return x, minus
}

// fma is the product p plus z, with a minus before one or the other.
func (z *fuser) fma(p *ir.Value, minus bool, to *ir.Value, minusTo bool) *ir.Value {
	z.uses[p.ID]--
	x, y := p.Args[0], p.Args[1]
	if minus {
		if y.Op == ir.Const || y.Op == ir.FNeg {
			x, y = y, x
		}
		x = z.opposite(x)
	}
	if minusTo {
		to = z.opposite(to)
	}
	return z.emit(ir.FFma, p.Type, x, y, to)
}

// opposite is -x.
func (z *fuser) opposite(x *ir.Value) *ir.Value {
	switch x.Op {
	case ir.Const:
		return z.constant(x.Type, x.Int^1<<(x.Type.Bits()-1))
	case ir.FNeg:
		return x.Args[0]
	}
	return z.emit(ir.FNeg, x.Type, x)
}
