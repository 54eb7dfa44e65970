package pass

import (
	"math"

	"github.com/gridstride/gridstride/internal/compile/ir"
)

// sameInSingle are the operations that give the same bits in float32 as in float64 rounded to
// float32, of numbers that float32 has. Rounding twice is harmless for the first five, as float64 has
// more than twice as many bits (S. A. Figueroa, When is double rounding innocuous?, 1995): a quotient
// or a root of two such numbers is no closer than that to the middle of two, and sums and products
// that are subnormal, or near, are exact. The others are exact.
var sameInSingle = map[ir.Op]bool{
	ir.FAdd: true, ir.FSub: true, ir.FMul: true, ir.FDiv: true, ir.FSqrt: true,
	ir.FFloor: true, ir.FCeil: true, ir.FTrunc: true, ir.FRoundEven: true,
	ir.FNeg: true, ir.FAbs: true, ir.FMin: true, ir.FMax: true,
}

// foldToSingle computes float32(math.Sqrt(float64(x))) and its like in float32.
func (r *rewriter) foldToSingle(v *ir.Value) *ir.Value {
	x := v.Args[0]
	if v.Type != ir.F32 || x.Type != ir.F64 {
		return v
	}
	if x.Op == ir.FToF {
		return x.Args[0]
	}
	if !sameInSingle[x.Op] {
		return v
	}
	var args []*ir.Value
	for _, a := range x.Args {
		if a = r.single(a); a == nil {
			return v
		}
		args = append(args, a)
	}
	return r.emit(x.Op, ir.F32, args...)
}

// single is the float32 that a float64 was made from, nil where it was not.
func (r *rewriter) single(x *ir.Value) *ir.Value {
	if x.Op == ir.FToF {
		return x.Args[0]
	}
	if bits, ok := x.IsConst(); ok {
		c := math.Float64frombits(bits)
		if s := float32(c); math.Float64bits(float64(s)) == bits {
			return r.constant(ir.F32, uint64(math.Float32bits(s)))
		}
	}
	return nil
}
