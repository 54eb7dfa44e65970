package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// convert lowers a conversion between numbers.
func (f *frame) convert(in *ssa.Convert) value {
	from, ok := kindOf(in.X.Type())
	to, ok2 := kindOf(in.Type())
	if isString(in.X.Type()) || isString(in.Type()) {
		return f.convertString(in)
	}
	if k, ok := complexPart(in.Type()); ok {
		return f.l.convertComplex(numberOf(f.value(in.X)), k.typ).value()
	}
	if !ok || !ok2 {
		f.unsupported(in)
		return f.l.undefined(in.Type())
	}
	return scalarValue(f.l.convertNumber(f.value(in.X).one(), from, to))
}

func (l *lowerer) convertNumber(x *ir.Value, from, to kind) *ir.Value {
	switch {
	case from.float() && to.float():
		if from.typ == to.typ {
			return x
		}
		return l.b.Emit(ir.FToF, to.typ, x)
	case from.float():
		return l.floatToInt(x, to)
	case to.float() && from.signed:
		return l.b.Emit(ir.SToF, to.typ, x)
	case to.float():
		return l.b.Emit(ir.UToF, to.typ, x)
	}
	switch {
	case to.typ == ir.I64 && from.typ == ir.I32 && from.signed:
		return l.b.Emit(ir.Sext32, ir.I64, x)
	case to.typ == ir.I64 && from.typ == ir.I32:
		return l.b.Emit(ir.Zext32, ir.I64, x)
	case to.typ == ir.I64:
		return x
	case from.typ == ir.I64:
		return l.normalise(to, l.b.Emit(ir.Trunc, ir.I32, x))
	case from.bits < to.bits && (to.signed || !from.signed), from.bits == to.bits && from.signed == to.signed:
		return x // in range as it is
	}
	return l.normalise(to, x)
}

// floatToInt truncates. Go leaves open what becomes of numbers out of range: here they become the
// nearest integer of the type, and NaN becomes 0.
func (l *lowerer) floatToInt(x *ir.Value, to kind) *ir.Value {
	if to.signed {
		v := l.b.Emit(ir.FToS, to.typ, x)
		if to.bits < 32 {
			v = l.b.Emit(ir.MinS, ir.I32, v, l.b.Int(ir.I32, 1<<(to.bits-1)-1))
			v = l.b.Emit(ir.MaxS, ir.I32, v, l.b.Int(ir.I32, -1<<(to.bits-1)))
		}
		return v
	}
	v := l.b.Emit(ir.FToU, to.typ, x)
	if to.bits < 32 {
		v = l.b.Emit(ir.MinU, ir.I32, v, l.b.Int(ir.I32, 1<<to.bits-1))
	}
	return v
}

// toI64 widens an integer of a Go type to I64, as an index or a length.
func (l *lowerer) toI64(v *ir.Value, t types.Type) *ir.Value {
	k, _ := kindOf(t)
	return l.convertNumber(v, k, kinds[types.Int64])
}
