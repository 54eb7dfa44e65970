package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// complexPart is the representation of the two parts of a complex type. ok is false for other
// types.
func complexPart(t types.Type) (k kind, ok bool) {
	if b, isBasic := t.Underlying().(*types.Basic); isBasic {
		switch b.Kind() {
		case types.Complex64:
			return kinds[types.Float32], true
		case types.Complex128, types.UntypedComplex:
			return kinds[types.Float64], true
		}
	}
	return k, false
}

// A number is a complex number in two parts.
type number struct{ re, im *ir.Value }

func numberOf(v value) number { return number{v.leaves[0].v, v.leaves[1].v} }
func (n number) value() value { return value{leaves: []leaf{{v: n.re}, {v: n.im}}} }

// complexConst is a complex constant.
func (l *lowerer) complexConst(c constant.Value, k kind) value {
	return number{
		l.b.Const(k.typ, constBits(constant.Real(c), k)), l.b.Const(k.typ, constBits(constant.Imag(c), k)),
	}.value()
}

// complexOp is x op y.
func (f *frame) complexOp(in *ssa.BinOp, k kind) value {
	l := f.l
	x, y := numberOf(f.value(in.X)), numberOf(f.value(in.Y))
	switch in.Op {
	case token.ADD, token.SUB:
		op := floatOps[in.Op]
		return number{l.b.Emit(op, k.typ, x.re, y.re), l.b.Emit(op, k.typ, x.im, y.im)}.value()
	case token.EQL, token.NEQ:
		same := l.b.Emit(ir.And, ir.Bool, l.b.Cmp(ir.Eq, x.re, y.re), l.b.Cmp(ir.Eq, x.im, y.im))
		if in.Op == token.NEQ {
			same = l.b.Emit(ir.Not, ir.Bool, same)
		}
		return scalarValue(same)
	}
	// Go's compiler multiplies and divides numbers of either type in float64.
	x, y = l.convertComplex(x, ir.F64), l.convertComplex(y, ir.F64)
	var z number
	if in.Op == token.MUL {
		product := func(a, b *ir.Value) *ir.Value { return l.b.Emit(ir.FMul, ir.F64, a, b) }
		z.re = l.b.Emit(ir.FSub, ir.F64, product(x.re, y.re), product(x.im, y.im))
		z.im = l.b.Emit(ir.FAdd, ir.F64, product(x.re, y.im), product(x.im, y.re))
	} else {
		args := []value{scalarValue(x.re), scalarValue(x.im), scalarValue(y.re), scalarValue(y.im)}
		parts := l.inline(&closure{fn: l.prog.DivideComplex()}, args)
		z = number{parts[0].one(), parts[1].one()}
	}
	return l.convertComplex(z, k.typ).value()
}

// convertComplex rounds or widens both parts.
func (l *lowerer) convertComplex(n number, t ir.Type) number {
	if n.re.Type == t {
		return n
	}
	return number{l.b.Emit(ir.FToF, t, n.re), l.b.Emit(ir.FToF, t, n.im)}
}

// complexBuiltin is complex, real or imag.
func (f *frame) complexBuiltin(in *ssa.Call, name string) value {
	args := in.Call.Args
	switch name {
	case "complex":
		return number{f.value(args[0]).one(), f.value(args[1]).one()}.value()
	case "real":
		return scalarValue(numberOf(f.value(args[0])).re)
	}
	return scalarValue(numberOf(f.value(args[0])).im)
}
