package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Fold computes constants, and replaces expressions by simpler equal ones: x+0, x&x, (p+4)+8,
// !(a<b), a select of one value. Floating-point rewrites are exact for every operand, except for
// the payload of a NaN. Constants move to the entry block, one of each.
// An operation on a choice of two constants is a choice of two results (fold_choice.go).
// An operation in float64 on float32 values whose result is rounded to float32 is done in float32
// (fold_single.go).
//
// It is the algebraic part of what every compiler does ("instruction combining"). Integers are
// rings modulo 2^32 and 2^64, so their sums may be reassociated. Sums of floats may not.
func Fold(f *ir.Func) {
	for range 4 { // a loop's phi can show more the second time; nothing needs a fixed point
		r := newRewriter(f)
		r.run(f.Dominators().Order, r.fold)
		if !r.changed {
			return
		}
	}
}

// fold returns what stands for v.
func (r *rewriter) fold(v *ir.Value) *ir.Value {
	switch {
	case v.Op == ir.Phi:
		return r.foldPhi(v)
	case v.Op == ir.Load && v.Lanes == 0:
		return r.foldLoad(v, v, 0)
	case v.Op == ir.Extract:
		return r.foldLoad(v, v.Args[0], int(v.Int))
	case !v.Op.Pure():
		return r.foldEffect(v)
	}
	if c := r.foldConst(v); c != nil {
		return c
	}
	if w := r.foldChoice(v); w != nil {
		return w
	}
	if v.Op.Commutes() && v.Args[0].Op == ir.Const && v.Args[1].Op != ir.Const {
		v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
	}
	w := v
	switch v.Op {
	case ir.Add, ir.Subtract, ir.Neg:
		w = r.foldSum(v)
	case ir.Mul:
		w = r.foldMul(v)
	case ir.DivS, ir.DivU, ir.RemS, ir.RemU:
		w = r.foldDiv(v)
	case ir.And, ir.Or, ir.Xor, ir.Not:
		w = r.foldLogic(v)
	case ir.Shl, ir.ShrS, ir.ShrU, ir.RotL:
		w = r.foldShift(v)
	case ir.MinS, ir.MinU, ir.MaxS, ir.MaxU:
		if v.Args[0] == v.Args[1] {
			w = v.Args[0]
		}
	case ir.Sext8, ir.Zext8, ir.Sext16, ir.Zext16, ir.Sext32, ir.Zext32, ir.Trunc, ir.Bitcast:
		w = r.foldWidth(v)
	case ir.SToF, ir.UToF:
		w = r.foldToFloat(v)
	case ir.FToS, ir.FToU:
		if x := single(v.Args[0]); x != nil && x.Op != ir.Const {
			w = r.emit(v.Op, v.Type, x)
		}
	case ir.FToF:
		w = r.foldSingle(v)
	case ir.F16ToF:
		w = r.foldHalfOperand(v)
	case ir.Prmt:
		w = r.foldPrmt(v)
	case ir.Cmp:
		w = r.foldCmp(v)
	case ir.Select:
		w = r.foldSelect(v)
	case ir.PtrAdd:
		w = r.foldPtrAdd(v)
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FNeg, ir.FAbs:
		w = r.foldFloat(v)
	}
	if w != v {
		r.changed = true
	}
	return w
}

// foldConst computes an operation whose arguments are all constants.
func (r *rewriter) foldConst(v *ir.Value) *ir.Value {
	if len(v.Args) == 0 {
		return nil
	}
	var bits [3]uint64
	for i, a := range v.Args {
		c, ok := a.IsConst()
		if !ok {
			return nil
		}
		bits[i] = c
	}
	if v.Type == ir.Ptr {
		return nil
	}
	x, ok := ir.Eval(v, bits[:len(v.Args)])
	if !ok {
		return nil
	}
	return r.constant(v.Type, x)
}

// foldPhi drops a phi of one value (and itself).
func (r *rewriter) foldPhi(v *ir.Value) *ir.Value {
	var one *ir.Value
	for _, a := range v.Args {
		if a = r.rep.Get(a); a == v || a == one {
			continue
		}
		if one != nil {
			return v
		}
		one = a
	}
	if one == nil {
		return v // only in a loop that nothing enters
	}
	return one
}

// foldEffect drops checks that hold and simplifies what effects take.
func (r *rewriter) foldEffect(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.Check:
		if holds, known := decideCheck(v); known && holds {
			return nil
		}
	case ir.Branch:
		if c := v.Args[0]; c.Op == ir.Not {
			v.Args[0] = c.Args[0]
			b := v.Block
			swapSuccs(b)
			r.changed = true
		}
	}
	return v
}

// swapSuccs exchanges the successors of a block that ends in a Branch. A double edge exchanges its
// phi arguments.
func swapSuccs(b *ir.Block) {
	if b.Succs[0] == b.Succs[1] {
		i, j := b.PredIndex(0), b.PredIndex(1)
		for _, phi := range b.Succs[0].Phis() {
			phi.Args[i], phi.Args[j] = phi.Args[j], phi.Args[i]
		}
	}
	b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
}

// foldSum simplifies x+y, x-y and -x. Constants gather on the right: x-5 is x+(-5), (x+5)+3 is x+8.
func (r *rewriter) foldSum(v *ir.Value) *ir.Value {
	x, t := v.Args[0], v.Type
	if v.Op == ir.Neg {
		switch x.Op {
		case ir.Neg:
			return x.Args[0]
		case ir.Subtract:
			return r.emit(ir.Subtract, t, x.Args[1], x.Args[0])
		}
		return v
	}
	y := v.Args[1]
	c, isConst := y.IntConst()
	if v.Op == ir.Subtract {
		switch {
		case x == y:
			return r.int(t, 0)
		case isConst:
			return r.foldAgain(r.emit(ir.Add, t, x, r.int(t, -c)))
		case isInt(x, 0):
			return r.emit(ir.Neg, t, y)
		case x.Op == ir.Add && x.Args[1] == y:
			return x.Args[0]
		case x.Op == ir.Add && x.Args[0] == y:
			return x.Args[1]
		case y.Op == ir.Neg:
			return r.emit(ir.Add, t, x, y.Args[0])
		}
		return v
	}
	switch {
	case isConst && c == 0:
		return x
	case isConst && x.Op == ir.Add && x.Args[1].Op == ir.Const:
		c1, _ := x.Args[1].IntConst()
		return r.foldAgain(r.emit(ir.Add, t, x.Args[0], r.int(t, c+c1)))
	case y.Op == ir.Neg:
		return r.emit(ir.Subtract, t, x, y.Args[0])
	case x.Op == ir.Neg:
		return r.emit(ir.Subtract, t, y, x.Args[0])
	case x.Op == ir.Subtract && x.Args[1] == y:
		return x.Args[0]
	case y.Op == ir.Subtract && y.Args[1] == x:
		return y.Args[0]
	}
	return v
}

// foldAgain folds the instruction just emitted.
func (r *rewriter) foldAgain(v *ir.Value) *ir.Value {
	w := r.fold(v)
	if w != v { // v is not needed then
		for i := len(r.out) - 1; i >= 0; i-- {
			if r.out[i] == v {
				r.out = append(r.out[:i], r.out[i+1:]...)
				break
			}
		}
	}
	return w
}

// foldMul simplifies x*y. A power of two becomes a shift.
func (r *rewriter) foldMul(v *ir.Value) *ir.Value {
	x, y, t := v.Args[0], v.Args[1], v.Type
	c, ok := y.IntConst()
	if !ok {
		return v
	}
	switch c {
	case 0:
		return y
	case 1:
		return x
	case -1:
		return r.emit(ir.Neg, t, x)
	}
	if k, ok := powerOfTwo(y); ok {
		return r.foldAgain(r.emit(ir.Shl, t, x, r.int(ir.I32, k)))
	}
	if x.Op == ir.Mul && x.Args[1].Op == ir.Const {
		c1, _ := x.Args[1].IntConst()
		return r.emit(ir.Mul, t, x.Args[0], r.int(t, c*c1))
	}
	return v
}

// foldDiv simplifies unsigned division by a power of two. Signed division waits until the ranges
// show that it is unsigned. Divide expands the rest.
func (r *rewriter) foldDiv(v *ir.Value) *ir.Value {
	x, y, t := v.Args[0], v.Args[1], v.Type
	if isInt(y, 1) {
		if v.Op == ir.DivS || v.Op == ir.DivU {
			return x
		}
		return r.int(t, 0)
	}
	k, ok := powerOfTwo(y)
	switch {
	case ok && v.Op == ir.DivU:
		return r.emit(ir.ShrU, t, x, r.int(ir.I32, k))
	case ok && v.Op == ir.RemU:
		return r.emit(ir.And, t, x, r.int(t, int64(1)<<k-1))
	}
	return v
}

// foldLogic simplifies and, or, xor and not, also of Bool.
func (r *rewriter) foldLogic(v *ir.Value) *ir.Value {
	x, t := v.Args[0], v.Type
	if v.Op == ir.Not {
		switch {
		case x.Op == ir.Not:
			return x.Args[0]
		case x.Op == ir.Cmp && x.Args[0].Type.IsFloat() && x.Sub != ir.Eq && x.Sub != ir.Ne:
			return v // !(a<b) is not a>=b where one is NaN
		case x.Op == ir.Cmp:
			return r.emitSub(ir.Cmp, negated(x.Sub), ir.Bool, x.Args[0], x.Args[1])
		}
		return v
	}
	y := v.Args[1]
	ones := int64(-1)
	if t == ir.Bool {
		ones = 1
	}
	is := func(c int64) bool { return isInt(y, c) || t == ir.Bool && isBool(y, c == 1) }
	switch {
	case x == y && v.Op == ir.Xor:
		return r.constant(t, 0)
	case x == y:
		return x
	case is(0) && v.Op == ir.And, is(ones) && v.Op == ir.Or:
		return y
	case is(0), is(ones) && v.Op == ir.And:
		return x
	case is(ones) && v.Op == ir.Xor:
		return r.foldAgain(r.emit(ir.Not, t, x))
	case y.Op == ir.Const && x.Op == v.Op && x.Args[1].Op == ir.Const:
		bits, _ := ir.Eval(v, []uint64{x.Args[1].Int, y.Int})
		return r.foldAgain(r.emit(v.Op, t, x.Args[0], r.constant(t, bits)))
	case v.Op == ir.And && isInt(y, 255) && (x.Op == ir.Zext8), v.Op == ir.And && isInt(y, 65535) &&
		(x.Op == ir.Zext16 || x.Op == ir.Zext8):
		return x
	}
	return v
}

// negated is the comparison that holds where sub does not, for integers.
func negated(sub ir.Sub) ir.Sub {
	switch sub {
	case ir.Eq:
		return ir.Ne
	case ir.Ne:
		return ir.Eq
	case ir.Lt:
		return ir.Ge
	case ir.Le:
		return ir.Gt
	case ir.Gt:
		return ir.Le
	case ir.Ge:
		return ir.Lt
	case ir.LtU:
		return ir.GeU
	case ir.LeU:
		return ir.GtU
	case ir.GtU:
		return ir.LeU
	}
	return ir.LtU
}

// mirrored is the comparison for exchanged operands.
func mirrored(sub ir.Sub) ir.Sub {
	switch sub {
	case ir.Lt:
		return ir.Gt
	case ir.Le:
		return ir.Ge
	case ir.Gt:
		return ir.Lt
	case ir.Ge:
		return ir.Le
	case ir.LtU:
		return ir.GtU
	case ir.LeU:
		return ir.GeU
	case ir.GtU:
		return ir.LtU
	case ir.GeU:
		return ir.LeU
	}
	return sub
}

// foldShift simplifies shifts by constants.
func (r *rewriter) foldShift(v *ir.Value) *ir.Value {
	x, t := v.Args[0], v.Type
	k, ok := v.Args[1].IntConst()
	if !ok {
		return v
	}
	width := int64(t.Bits())
	if k < 0 || k >= width {
		switch v.Op {
		case ir.Shl, ir.ShrU:
			return r.int(t, 0)
		case ir.ShrS:
			return r.emit(ir.ShrS, t, x, r.int(ir.I32, width-1))
		}
		k &= width - 1
	}
	if k == 0 {
		return x
	}
	if v.Op == ir.ShrU && t == ir.I32 && k == 16 {
		if w := r.foldLow(v); w != v {
			return w
		}
	}
	if x.Op == v.Op && v.Op != ir.RotL {
		if k1, ok := x.Args[1].IntConst(); ok && k1 >= 0 && k1 < width {
			return r.foldAgain(r.emit(v.Op, t, x.Args[0], r.int(ir.I32, k+k1)))
		}
	}
	return v
}
