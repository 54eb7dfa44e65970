package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
	"github.com/gridstride/gridstride/internal/math/half"
)

// An atomic on a number of 16 bits, or on a pair of them, is one on its bits. What it computes has
// the bits of the number's method.

// halves reports whether a type is a number of 16 bits, or a pair of them, and notes which.
func (a *atomic) halves(t types.Type) bool {
	a.kind = kinds[types.Uint16]
	if a.pair = frontend.IsHalfPair(t); a.pair {
		t, a.kind = t.Underlying().(*types.Struct).Field(0).Type(), kinds[types.Uint32]
	} else if !frontend.IsHalf(t) {
		return false
	}
	a.format = ir.BF16
	if types.Unalias(t).(*types.Named).Obj().Name() == "Float16" {
		a.format = ir.F16
	}
	return true
}

// updateHalf is the operation's result of x and y, which are numbers of 16 bits or pairs.
func (a *atomic) updateHalf(x, y *ir.Value) *ir.Value {
	op := map[ir.Sub]ir.Op{ir.AtomAdd: ir.HAdd, ir.AtomMinU: ir.HMin, ir.AtomMaxU: ir.HMax}[a.sub]
	switch {
	case a.format == ir.F16 && op == ir.HAdd || a.target.Has(abi.Target{SM: 80}):
		return a.b.EmitSub(op, a.format, ir.I32, x, y)
	case a.pair:
		low := a.updateSingle(op, a.halfOf(x, 0), a.halfOf(y, 0))
		return a.prmt(low, a.updateSingle(op, a.halfOf(x, 1), a.halfOf(y, 1)), ir.LowHalves)
	}
	return a.updateSingle(op, x, y)
}

// updateSingle computes in float32, as package half does: that is wide enough for a second rounding
// to change nothing.
func (a *atomic) updateSingle(op ir.Op, x, y *ir.Value) *ir.Value {
	b := a.b
	op = map[ir.Op]ir.Op{ir.HAdd: ir.FAdd, ir.HMin: ir.FMin, ir.HMax: ir.FMax}[op]
	if a.format == ir.F16 {
		single := func(x *ir.Value) *ir.Value { return b.Emit(ir.F16ToF, ir.F32, x) }
		return b.EmitSub(ir.FToH, ir.F16Nearest, ir.I32, b.Emit(op, ir.F32, single(x), single(y)))
	}
	sixteen := b.Int(ir.I32, 16)
	single := func(x *ir.Value) *ir.Value { return b.Emit(ir.Bitcast, ir.F32, b.Emit(ir.Shl, ir.I32, x, sixteen)) }
	result := b.Emit(op, ir.F32, single(x), single(y))
	bits := b.Emit(ir.Bitcast, ir.I32, result)
	if op == ir.FAdd {
		even := b.Emit(ir.And, ir.I32, b.Emit(ir.ShrU, ir.I32, bits, sixteen), b.Int(ir.I32, 1))
		bits = b.Emit(ir.Add, ir.I32, bits, b.Emit(ir.Add, ir.I32, even, b.Int(ir.I32, 0x7fff)))
	}
	return b.Select(b.Cmp(ir.Ne, result, result), b.Int(ir.I32, half.NaN), b.Emit(ir.ShrU, ir.I32, bits, sixteen))
}

// negate lowers device.Negate, of numbers of any size and of pairs of 16 bits.
func (f *frame) negate(in *ssa.Call) value {
	b, x, t := f.l.b, f.value(in.Call.Args[0]).one(), in.Type()
	k, ok := kindOf(t)
	switch {
	case !ok:
		signs := int64(1 << 15)
		if frontend.IsHalfPair(t) {
			signs |= signs << 16
		}
		return scalarValue(b.Emit(ir.Xor, ir.I32, x, b.Int(ir.I32, signs)))
	case k.float():
		return scalarValue(b.Emit(ir.FNeg, k.typ, x))
	}
	return scalarValue(f.l.normalise(k, b.Emit(ir.Neg, k.typ, x)))
}
