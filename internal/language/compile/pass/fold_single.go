package pass

import (
	"math"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// foldSingle simplifies a conversion from float64 to float32. It is how Go code calls the functions
// of package math with float32 numbers: float32(math.Sqrt(float64(x))).
//
// The sum, difference, product, quotient or square root of float32 numbers, rounded to float64 and
// then to float32, is the same as rounded to float32 at once: 53 bits are at least twice 24 plus 2
// (Figueroa, "When is Double Rounding Innocuous?", SIGNUM Newsletter 30, 1995). That holds too
// where the result is subnormal and has fewer bits. A sum is exact then, and so is every product in
// float64. A quotient x/y that is not a number of at most 25 bits differs from each by more than
// 2^-50 of it, so float64 does not round it to one: to none that is halfway between two float32
// numbers. A root is never subnormal. TestSingle looks for an exception.
func (r *rewriter) foldSingle(v *ir.Value) *ir.Value {
	x := v.Args[0]
	if v.Type != ir.F32 || x.Type != ir.F64 {
		return v
	}
	if y := single(x); y != nil && y.Op != ir.Const {
		return y
	}
	switch x.Op {
	case ir.FNeg, ir.FAbs: // rounding to nearest even does not look at the sign
		return r.foldAgain(r.emit(x.Op, ir.F32, r.foldAgain(r.emit(ir.FToF, ir.F32, x.Args[0]))))
	case ir.SToF, ir.UToF:
		if x.Args[0].Type == ir.I32 { // which is exact in float64
			return r.emit(x.Op, ir.F32, x.Args[0])
		}
		return v
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FSqrt,
		ir.FMin, ir.FMax, ir.FFloor, ir.FCeil, ir.FTrunc, ir.FRoundEven, ir.FCopysign: // the latter are exact
	default:
		return v
	}
	var args []*ir.Value
	for _, a := range x.Args {
		y := single(a)
		if y == nil {
			return v
		}
		args = append(args, r.asSingle(y))
	}
	w := r.emit(x.Op, ir.F32, args...)
	w.Fast = x.Fast
	return r.foldAgain(w)
}

// single is the float32 value that a float64 was made from, or the float64 constant itself if it is
// one that float32 has; else nil.
func single(v *ir.Value) *ir.Value {
	switch {
	case v.Op == ir.FToF && v.Type == ir.F64:
		return v.Args[0]
	case v.Op == ir.Const && v.Type == ir.F64:
		if x := math.Float64frombits(v.Int); float64(float32(x)) == x {
			return v
		}
	}
	return nil
}

// asSingle is single's result, as a float32.
func (r *rewriter) asSingle(v *ir.Value) *ir.Value {
	if v.Type == ir.F32 {
		return v
	}
	return r.constant(ir.F32, uint64(math.Float32bits(float32(math.Float64frombits(v.Int)))))
}
