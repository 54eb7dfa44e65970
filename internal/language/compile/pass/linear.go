package pass

import "github.com/gridstride/gridstride/internal/language/compile/ir"

// expr is an integer expression of values that a loop does not change. It is computed before the
// loop if it is needed.
type expr struct {
	op   ir.Op // Const (v, or num where v is nil), Add, Mul, Neg
	typ  ir.Type
	v    *ir.Value
	num  int64
	x, y *expr
}

func constExpr(t ir.Type, c int64) *expr { return &expr{op: ir.Const, typ: t, num: c} }

// invariant is a value that the loop does not change.
func invariant(v *ir.Value) *expr {
	if c, ok := v.IntConst(); ok {
		return constExpr(v.Type, c)
	}
	return &expr{op: ir.Const, typ: v.Type, v: v}
}

func (e *expr) isConst(c int64) bool { return e.op == ir.Const && e.v == nil && e.num == c }

func (e *expr) number() (int64, bool) { return e.num, e.op == ir.Const && e.v == nil }

func sumExpr(x, y *expr) *expr {
	a, ok := x.number()
	b, ok2 := y.number()
	switch {
	case ok && ok2:
		return constExpr(x.typ, a+b)
	case ok && a == 0:
		return y
	case ok2 && b == 0:
		return x
	}
	return &expr{op: ir.Add, typ: x.typ, x: x, y: y}
}

func mulExpr(x, y *expr) *expr {
	a, ok := x.number()
	b, ok2 := y.number()
	switch {
	case ok && ok2:
		return constExpr(x.typ, a*b)
	case ok && a == 0, ok2 && b == 1:
		return x
	case ok2 && b == 0, ok && a == 1:
		return y
	}
	return &expr{op: ir.Mul, typ: x.typ, x: x, y: y}
}

func negExpr(x *expr) *expr {
	if a, ok := x.number(); ok {
		return constExpr(x.typ, -a)
	}
	return &expr{op: ir.Neg, typ: x.typ, x: x}
}

// same reports whether two expressions are written alike.
func (e *expr) same(o *expr) bool {
	if e == nil || o == nil {
		return e == o
	}
	return e.op == o.op && e.typ == o.typ && e.v == o.v && e.num == o.num && e.x.same(o.x) && e.y.same(o.y)
}

// interval is the range of an expression, wherever its values are defined. Sums and products that
// may wrap can have any value.
func (e *expr) interval(r *ranges) interval {
	if n, ok := e.number(); ok {
		return point(n)
	}
	if e.v != nil {
		if !r.known[e.v.ID] {
			return typeRange(e.typ)
		}
		return r.def[e.v.ID]
	}
	x, ok := interval{}, false
	switch e.op {
	case ir.Add:
		x, ok = e.x.interval(r).sumOf(e.y.interval(r))
	case ir.Mul:
		x, ok = e.x.interval(r).timesOf(e.y.interval(r))
	case ir.Neg:
		x, ok = e.x.interval(r).negated()
	}
	if !ok {
		return typeRange(e.typ)
	}
	return x
}

// linear is a*phi + b modulo 2^64, or b alone for a value that is no I64.
type linear struct{ a, b *expr }

// decomposer writes values of a loop as linear expressions of its counter.
type decomposer struct {
	loops *ir.Loops
	l     *ir.Loop
	phi   *ir.Value
}

// linear is v as a linear expression, nil if it is none.
func (d *decomposer) linear(v *ir.Value, depth int) *linear {
	if !v.Type.IsInt() {
		return nil
	}
	zero := constExpr(v.Type, 0)
	switch c, ok := v.IntConst(); {
	case ok:
		return &linear{zero, constExpr(v.Type, c)}
	case !d.loops.Contains(d.l, v.Block):
		return &linear{zero, invariant(v)}
	case v == d.phi:
		return &linear{constExpr(v.Type, 1), zero}
	case depth == 0 || v.Type != ir.I64:
		return nil
	}
	arg := func(i int) *linear { return d.linear(v.Args[i], depth-1) }
	switch v.Op {
	case ir.Add, ir.Subtract:
		x, y := arg(0), arg(1)
		if x == nil || y == nil {
			return nil
		}
		if v.Op == ir.Subtract {
			y = y.times(constExpr(ir.I64, -1))
		}
		return &linear{sumExpr(x.a, y.a), sumExpr(x.b, y.b)}
	case ir.Neg:
		if x := arg(0); x != nil {
			return x.times(constExpr(ir.I64, -1))
		}
	case ir.Mul:
		x, y := arg(0), arg(1)
		switch {
		case x == nil || y == nil:
		case y.a.isConst(0):
			return x.times(y.b)
		case x.a.isConst(0):
			return y.times(x.b)
		}
	case ir.Shl:
		if k, ok := v.Args[1].IntConst(); ok && k >= 0 && k < 63 {
			if x := arg(0); x != nil {
				return x.times(constExpr(ir.I64, 1<<k))
			}
		}
	}
	return nil
}

func (x *linear) times(c *expr) *linear { return &linear{mulExpr(x.a, c), mulExpr(x.b, c)} }

// exprEmitter computes expressions at the end of a block, before its terminator if it has one.
type exprEmitter struct {
	f      *ir.Func
	b      *ir.Block
	pos    ir.Pos
	before bool
}

func (e *exprEmitter) emit(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := e.f.NewValue(op, t, args...)
	v.Pos = e.pos
	if e.before {
		e.b.InsertBeforeTerm(v)
	} else {
		e.b.Append(v)
	}
	return v
}

func (e *exprEmitter) constant(t ir.Type, c int64) *ir.Value {
	v := e.emit(ir.Const, t)
	v.Int = wrap(t, c)
	return v
}

func (e *exprEmitter) value(x *expr) *ir.Value {
	switch {
	case x.v != nil:
		return x.v
	case x.op == ir.Const:
		return e.constant(x.typ, x.num)
	case x.op == ir.Neg:
		return e.emit(ir.Neg, x.typ, e.value(x.x))
	}
	return e.emit(x.op, x.typ, e.value(x.x), e.value(x.y))
}
