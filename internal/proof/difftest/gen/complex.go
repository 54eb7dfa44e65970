package gen

import "fmt"

// half is the type of the parts of a complex type.
func (t *typ) half() *typ {
	if t.bits == 64 {
		return tFloat32
	}
	return tFloat64
}

// complexExpr is an expression of a complex type.
func (g *gen) complexExpr(t *typ, d int) string {
	switch g.weighted(20, 45, 10, 10, 15) {
	case 1:
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d-1), pick(g, "+", "-", "*", "*", "/"), g.expr(t, d-1))
	case 2:
		return fmt.Sprintf("(-%s)", g.expr(t, d-1))
	case 3:
		other := tComplex64
		if t.is(other) {
			other = tComplex128
		}
		return fmt.Sprintf("%s(%s)", t.name, g.expr(other, d-1))
	case 4:
		return g.compositeLit(t, d-1)
	}
	return g.leaf(t)
}

// partOfComplex is the real or imaginary part of a complex number.
func (g *gen) partOfComplex(t *typ, d int) string {
	c := tComplex64
	if t.base.is(tFloat64) {
		c = tComplex128
	}
	if t.param {
		return g.leaf(t)
	}
	return as(t, c.half(), fmt.Sprintf("%s(%s)", pick(g, "real", "imag"), g.expr(c, d-1)))
}
