package gen

import (
	"fmt"
	"strings"
)

// expr is an expression of type t, nested at most d deep, printed with parentheses round every
// operation. It is never a constant expression: Go evaluates those exactly and refuses overflow in
// them.
func (g *gen) expr(t *typ, d int) string {
	if d <= 0 {
		return g.leaf(t)
	}
	switch {
	case t.kind == kBool:
		return g.boolExpr(t, d)
	case t.integer():
		return g.intExpr(t, d)
	case t.float():
		return g.floatExpr(t, d)
	}
	return g.compositeExpr(t, d)
}

// shallow is a small expression.
func (g *gen) shallow(t *typ) string { return g.expr(t, g.weighted(60, 40)) }

// operand is an expression or a constant. Then the other operand must be an expression.
func (g *gen) operand(t *typ, d int) string {
	if t.scalar() && g.chance(25) {
		return g.literal(t)
	}
	return g.expr(t, d)
}

// leaf is an expression without operations where the scope has one of that type.
func (g *gen) leaf(t *typ) string {
	if s, ok := g.read(t); ok {
		return s
	}
	switch {
	case t.kind == kBool:
		src := g.anyScalar()
		return fmt.Sprintf("%s(%s != %s)", boolConv(t), g.must(src), g.literal(src))
	case t.scalar():
		return g.convert(t, g.anyScalar(), g.must)
	case t.kind == kHalf:
		if !g.spend(convertInstrs) {
			return fmt.Sprintf("%sFromBits(%s)", t.name, g.leaf(t.bitsType()))
		}
		return fmt.Sprintf("%sOf(%s)", t.name, g.must(g.anyScalar()))
	}
	return g.compositeLit(t, 0)
}

// anyScalar is the type of some scalar in scope. Every function has one.
func (g *gen) anyScalar() *typ {
	var list []*typ
	for _, v := range g.visible(func(v *variable) bool { return v.t.scalar() && v.t.kind != kBool }) {
		list = append(list, v.t)
	}
	return pick(g, list...)
}

func (g *gen) must(t *typ) string {
	s, ok := g.read(t)
	if !ok {
		panic("BUG: nothing of type " + t.name + " in scope")
	}
	return s
}

func (g *gen) intExpr(t *typ, d int) string {
	if g.shorts != nil && g.chance(5) {
		return g.halfAs(t, d)
	}
	switch g.weighted(14, 30, 14, 12, 10, 8, 22, 8, 5, 8, 4) {
	case 1:
		return g.binary(t, d, "+", "-", "*")
	case 2:
		return g.binary(t, d, "&", "|", "^", "&^")
	case 3:
		return g.shift(t, d)
	case 4:
		return g.divide(t, d)
	case 5:
		return fmt.Sprintf("(%s%s)", pick(g, "-", "^", "+"), g.expr(t, d-1))
	case 6:
		return g.convert(t, g.scalarType(), func(s *typ) string { return g.expr(s, d-1) })
	case 7:
		return g.callOr(t, d)
	case 8:
		return g.minmax(t, d)
	case 9:
		return g.bitsCall(t, d)
	case 10:
		return g.length(t)
	}
	return g.leaf(t)
}

func (g *gen) floatExpr(t *typ, d int) string {
	if g.shorts != nil && g.chance(12) {
		return g.halfAs(t, d)
	}
	switch g.weighted(14, 40, 10, 8, 16, 8, 5, 14, 5) {
	case 8:
		return g.partOfComplex(t, d)
	case 1:
		return g.binary(t, d, "+", "-", "*")
	case 2:
		return fmt.Sprintf("(%s / %s)", g.expr(t, d-1), g.nonzero(t, d))
	case 3:
		return fmt.Sprintf("(%s%s)", pick(g, "-", "-", "+"), g.expr(t, d-1))
	case 4:
		return g.convert(t, g.scalarType(), func(s *typ) string { return g.expr(s, d-1) })
	case 5:
		return g.callOr(t, d)
	case 6:
		return g.minmax(t, d)
	case 7:
		return g.mathCall(t, d)
	}
	return g.leaf(t)
}

// binary is x op y, the constant, if any, on either side. On machines whose Go may fuse x*y + z the
// product is rounded explicitly, as the language asks for.
func (g *gen) binary(t *typ, d int, ops ...string) string {
	op := pick(g, ops...)
	x, y := g.expr(t, d-1), g.operand(t, d-1)
	if g.chance(50) {
		x, y = y, x
	}
	if op == "*" && t.float() && g.chance(20) {
		return fmt.Sprintf("%s(%s * %s)", t.name, x, y)
	}
	return fmt.Sprintf("(%s %s %s)", x, op, y)
}

// shift has an amount of any integer type. A signed one fails if negative.
func (g *gen) shift(t *typ, d int) string {
	op := pick(g, "<<", ">>")
	x := g.expr(t, d-1)
	if g.chance(15) {
		x = g.typed(t)
	} else if g.chance(35) {
		return fmt.Sprintf("(%s %s %d)", x, op, pick(g, g.r.IntN(t.bits), g.r.IntN(130)))
	}
	amount := g.integer()
	n := g.expr(amount, d-1)
	switch {
	case amount.kind == kUint && g.chance(25):
		return fmt.Sprintf("(%s %s %s)", x, op, n)
	case amount.kind == kInt && g.mayFail(5):
		return fmt.Sprintf("(%s %s (%s %% 40))", x, op, n)
	case amount.param && amount.kind == kInt:
		return fmt.Sprintf("(%s %s (%s & 31))", x, op, n)
	}
	return fmt.Sprintf("(%s %s (%s & %d))", x, op, n, pick(g, 7, 31, 63, 127))
}

func (g *gen) divide(t *typ, d int) string {
	op := pick(g, "/", "%")
	x := g.operand(t, d-1)
	if t.kind == kInt && g.chance(10) { // the one quotient that overflows
		x = g.leastInt(t)
	}
	switch {
	case g.mayFail(4):
		return fmt.Sprintf("(%s %s %s)", x, op, g.expr(t, d-1))
	case g.chance(40):
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d-1), op, g.nonzeroLiteral(t))
	}
	return fmt.Sprintf("(%s %s (%s | 1))", x, op, g.expr(t, d-1))
}

func (g *gen) leastInt(t *typ) string {
	if t.param {
		return g.literal(t)
	}
	return fmt.Sprintf("(%d)", int64(-1)<<(t.bits-1))
}

func (g *gen) nonzeroLiteral(t *typ) string {
	for {
		if s := g.literal(t); s != "0" {
			return s
		}
	}
}

func (g *gen) nonzero(t *typ, d int) string {
	if g.chance(25) {
		return g.nonzeroLiteral(t)
	}
	return g.expr(t, d-1)
}

func (g *gen) boolExpr(t *typ, d int) string {
	if g.shorts != nil && g.chance(10) {
		return g.halfAs(t, d)
	}
	switch g.weighted(12, 40, 18, 8, 8, 6, 4, 4) {
	case 1:
		s := g.scalarType()
		if s.kind != kBool && !s.param && g.chance(8) {
			return as(t, tBool, fmt.Sprintf("cmp.Less(%s, %s)", g.expr(s, d-1), g.expr(s, d-1)))
		}
		if s.kind == kBool {
			return fmt.Sprintf("%s(%s %s %s)", boolConv(t), g.expr(s, d-1), pick(g, "==", "!="), g.expr(s, d-1))
		}
		x, y := g.expr(s, d-1), g.operand(s, d-1)
		if g.chance(30) {
			x, y = y, x
		}
		return fmt.Sprintf("%s(%s %s %s)", boolConv(t), x, pick(g, "==", "!=", "<", "<=", ">", ">="), y)
	case 2:
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d-1), pick(g, "&&", "||"), g.expr(t, d-1))
	case 3:
		return fmt.Sprintf("(!%s)", g.expr(t, d-1))
	case 4:
		return g.callOr(t, d)
	case 5:
		if f := g.floatType(); !f.param {
			return g.classify(t, f, d)
		}
	case 6:
		if c := g.comparable(); c != nil {
			return fmt.Sprintf("%s(%s %s %s)", boolConv(t), g.expr(c, d-1), pick(g, "==", "!="), g.wrapLit(g.expr(c, d-1)))
		}
	}
	return g.leaf(t)
}

// boolConv converts the untyped or bool result of a comparison to a named bool type.
func boolConv(t *typ) string {
	if t.is(tBool) {
		return ""
	}
	return t.name
}

// wrapLit parenthesises a composite literal, which would end the header of an if.
func (g *gen) wrapLit(s string) string {
	if strings.HasSuffix(s, "}") {
		return "(" + s + ")"
	}
	return s
}

// compositeExpr is a value of an array, struct or pointer type.
func (g *gen) compositeExpr(t *typ, d int) string {
	switch {
	case t.kind == kPointer:
		return g.leaf(t)
	case t.kind == kComplex:
		return g.complexExpr(t, d)
	case t.kind == kHalf:
		return g.halfExpr(t, d)
	case t.lane() != nil && g.chance(45):
		return g.lanesExpr(t, d)
	case g.chance(15):
		return g.callOr(t, d)
	case g.chance(40):
		return g.compositeLit(t, d-1)
	}
	return g.leaf(t)
}

// compositeLit is a literal of an array or struct, parts of it left zero at times.
func (g *gen) compositeLit(t *typ, d int) string {
	var parts []string
	switch t.kind {
	case kArray:
		keyed := g.chance(25)
		for i := range t.n {
			if keyed && g.chance(50) {
				continue
			}
			e := g.operand(t.elem, min(d, 1))
			if keyed {
				e = fmt.Sprintf("%d: %s", i, e)
			}
			parts = append(parts, e)
		}
	case kStruct:
		keyed := g.chance(50)
		for _, f := range t.fields {
			if keyed && g.chance(30) {
				continue
			}
			e := g.operand(f.t, min(d, 1))
			if keyed {
				e = f.name + ": " + e
			}
			parts = append(parts, e)
		}
	case kComplex:
		return fmt.Sprintf("complex(%s, %s)", g.expr(t.half(), d), g.expr(t.half(), d))
	default:
		panic("BUG: literal of " + t.name)
	}
	return fmt.Sprintf("(%s{%s})", t.name, strings.Join(parts, ", "))
}
