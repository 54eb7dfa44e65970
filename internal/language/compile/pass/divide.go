package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// Divide turns signed division and remainder by a power of two into shifts. It runs after Ranges,
// which makes division of what is never negative unsigned, and that is one shift.
//
// Signed division rounds to zero, so a negative dividend is first biased by 2^k-1 (Warren, Hacker's
// Delight, 10-1).
func Divide(f *ir.Func) {
	r := newRewriter(f)
	r.run(f.Dominators().Order, func(v *ir.Value) *ir.Value {
		if v.Op != ir.DivS && v.Op != ir.RemS {
			return v
		}
		x, t := v.Args[0], v.Type
		k, ok := powerOfTwo(v.Args[1])
		if !ok || k == 0 {
			return v
		}
		shift := func(op ir.Op, x *ir.Value, k int64) *ir.Value { return r.emit(op, t, x, r.int(ir.I32, k)) }
		width := int64(t.Bits())
		bias := shift(ir.ShrU, shift(ir.ShrS, x, width-1), width-k)
		biased := r.emit(ir.Add, t, x, bias)
		if v.Op == ir.DivS {
			return shift(ir.ShrS, biased, k)
		}
		return r.emit(ir.Subtract, t, r.emit(ir.And, t, biased, r.int(t, int64(1)<<k-1)), bias)
	})
}
