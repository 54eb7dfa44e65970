package lower

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

func (f *frame) binOp(in *ssa.BinOp) value {
	l := f.l
	if k, ok := complexPart(in.X.Type()); ok {
		return f.complexOp(in, k)
	}
	switch in.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return scalarValue(f.compare(in))
	}
	k, ok := kindOf(in.X.Type())
	switch {
	case isString(in.X.Type()):
		l.errorf(f.messagePos(in), "a kernel cannot join strings: there is no heap, write the bytes to an array")
		return l.undefined(in.Type())
	case !ok:
		f.unsupported(in)
		return l.undefined(in.Type())
	}
	x, y := f.value(in.X).one(), f.value(in.Y)
	if in.Op == token.SHL || in.Op == token.SHR {
		return scalarValue(f.shift(in, k, x, y.one()))
	}
	if k.float() {
		v := l.b.Emit(floatOps[in.Op], k.typ, x, y.one())
		v.Fast = v.Fast && !l.prog.Rounded(in.Pos())
		return scalarValue(v)
	}
	return scalarValue(l.intOp(in.Op, k, x, y.one()))
}

var floatOps = map[token.Token]ir.Op{token.ADD: ir.FAdd, token.SUB: ir.FSub, token.MUL: ir.FMul, token.QUO: ir.FDiv}

// intOp is x op y on integers and bools. The result is normalised to the width of k.
func (l *lowerer) intOp(op token.Token, k kind, x, y *ir.Value) *ir.Value {
	signed := func(s, u ir.Op) ir.Op {
		if k.signed {
			return s
		}
		return u
	}
	switch op {
	case token.ADD:
		return l.normalise(k, l.b.Emit(ir.Add, k.typ, x, y))
	case token.SUB:
		return l.normalise(k, l.b.Emit(ir.Subtract, k.typ, x, y))
	case token.MUL:
		return l.normalise(k, l.b.Emit(ir.Mul, k.typ, x, y))
	case token.QUO:
		l.checkDivisor(y)
		q := l.b.Emit(signed(ir.DivS, ir.DivU), k.typ, x, y)
		if k.signed { // -128 / -1
			q = l.normalise(k, q)
		}
		return q
	case token.REM:
		l.checkDivisor(y)
		return l.b.Emit(signed(ir.RemS, ir.RemU), k.typ, x, y)
	case token.AND:
		return l.b.Emit(ir.And, k.typ, x, y)
	case token.OR:
		return l.b.Emit(ir.Or, k.typ, x, y)
	case token.XOR:
		return l.b.Emit(ir.Xor, k.typ, x, y)
	case token.AND_NOT:
		return l.b.Emit(ir.And, k.typ, x, l.b.Emit(ir.Not, k.typ, y))
	}
	panic("BUG: integer operator " + op.String())
}

func (l *lowerer) checkDivisor(y *ir.Value) {
	if c, ok := y.IsConst(); ok && c != 0 {
		return
	}
	l.b.Check(ir.CheckDivide, y)
}

// normalise brings a 32-bit result into the range of a smaller integer type.
func (l *lowerer) normalise(k kind, v *ir.Value) *ir.Value {
	switch {
	case k.typ != ir.I32 || k.bits == 32:
		return v
	case k.bits == 8 && k.signed:
		return l.b.Emit(ir.Sext8, ir.I32, v)
	case k.bits == 8:
		return l.b.Emit(ir.Zext8, ir.I32, v)
	case k.signed:
		return l.b.Emit(ir.Sext16, ir.I32, v)
	}
	return l.b.Emit(ir.Zext16, ir.I32, v)
}

// shift is x << y and x >> y. Go's amounts are of any integer type. The IR's are 32 bits, unsigned.
func (f *frame) shift(in *ssa.BinOp, k kind, x, y *ir.Value) *ir.Value {
	l := f.l
	ky, _ := kindOf(in.Y.Type())
	if ky.signed && !nonNegative(y) {
		l.b.Check(ir.CheckShift, y)
	}
	if c, ok := y.IsConst(); ok {
		y = l.b.Int(ir.I32, int64(min(c, 64)))
	} else if ky.typ == ir.I64 {
		y = l.b.Emit(ir.Trunc, ir.I32, l.b.Emit(ir.MinU, ir.I64, y, l.b.Int(ir.I64, 64)))
	}
	switch {
	case in.Op == token.SHL:
		return l.normalise(k, l.b.Emit(ir.Shl, k.typ, x, y))
	case k.signed:
		return l.b.Emit(ir.ShrS, k.typ, x, y)
	}
	return l.b.Emit(ir.ShrU, k.typ, x, y)
}

// nonNegative reports whether an integer is plainly not negative.
func nonNegative(v *ir.Value) bool {
	switch v.Op {
	case ir.Const:
		c, _ := v.IntConst()
		return c >= 0
	case ir.Zext32, ir.Zext8, ir.Zext16:
		return true
	case ir.And:
		return v.Type != ir.Bool && (nonNegative(v.Args[0]) || nonNegative(v.Args[1]))
	case ir.RemS:
		return nonNegative(v.Args[0])
	}
	return false
}

func (f *frame) unOp(in *ssa.UnOp) value {
	l := f.l
	switch in.Op {
	case token.MUL:
		return f.loadFrom(in)
	case token.NOT:
		return scalarValue(l.b.Emit(ir.Not, ir.Bool, f.value(in.X).one()))
	case token.SUB, token.XOR:
		if k, ok := complexPart(in.X.Type()); ok {
			x := numberOf(f.value(in.X))
			return number{l.b.Emit(ir.FNeg, k.typ, x.re), l.b.Emit(ir.FNeg, k.typ, x.im)}.value()
		}
		k, ok := kindOf(in.X.Type())
		if !ok {
			break
		}
		x := f.value(in.X).one()
		switch {
		case in.Op == token.XOR:
			return scalarValue(l.normalise(k, l.b.Emit(ir.Not, k.typ, x)))
		case k.float():
			return scalarValue(l.b.Emit(ir.FNeg, k.typ, x))
		}
		return scalarValue(l.normalise(k, l.b.Emit(ir.Neg, k.typ, x)))
	}
	f.unsupported(in)
	return l.undefined(in.Type())
}
