package gen

import "fmt"

// The floating-point numbers of 8 and 16 bits, the pairs and the eights of package gpu. A number
// has no operators: it is made from others, and by methods, which the numbers of 8 bits lack. All
// its bits are defined, also for NaN.
var (
	tFloat16    = half(16, "gpu.Float16")
	tBFloat16   = half(16, "gpu.BFloat16")
	tE4M3       = half(8, "gpu.E4M3")
	tE5M2       = half(8, "gpu.E5M2")
	tFloat16x2  = vector("gpu.Float16x2", tFloat16, 2)
	tBFloat16x2 = vector("gpu.BFloat16x2", tBFloat16, 2)
	tFloat16x8  = vector("gpu.Float16x8", tFloat16x2, 4)
	tBFloat16x8 = vector("gpu.BFloat16x8", tBFloat16x2, 4)
	halfTypes   = []*typ{
		tFloat16, tFloat16, tBFloat16, tBFloat16, tFloat16x2, tFloat16x2, tBFloat16x2, tBFloat16x2, tFloat16x8, tBFloat16x8, tE4M3, tE5M2,
	}
)

func half(bits int, name string) *typ {
	t := &typ{kind: kHalf, bits: bits, name: name}
	t.base = t
	return t
}

// lane is the type of the numbers in a pair or an eight, nil for other types.
func (t *typ) lane() *typ {
	switch t.name {
	case tFloat16x2.name, tFloat16x8.name:
		return tFloat16
	case tBFloat16x2.name, tBFloat16x8.name:
		return tBFloat16
	}
	return nil
}

// eight reports whether t is one.
func (t *typ) eight() bool { return t.lane() != nil && len(t.fields) == 4 }

// chooseShorts gives a program some of these types.
func (g *gen) chooseShorts() {
	g.shorts = []*typ{}
	for range 1 + g.r.IntN(4) {
		t := pick(g, halfTypes...)
		g.composites = append(g.composites, t)
		g.shorts = append(g.shorts, t)
		if t.lane() != nil {
			t = t.lane()
		}
		g.shorts = append(g.shorts, t)
	}
}

// bitsType is the type of the bits of a number of 8 or 16.
func (t *typ) bitsType() *typ {
	if t.bits == 8 {
		return tUint8
	}
	return tUint16
}

// halfType is a number of 8 or 16 bits that the program has.
func (g *gen) halfType() *typ {
	for {
		if t := pick(g, g.shorts...); t.kind == kHalf {
			return t
		}
	}
}

// halfExpr is a number of 8 or 16 bits.
func (g *gen) halfExpr(t *typ, d int) string {
	if !g.spend(halfInstrs) {
		return g.leaf(t)
	}
	if t.bits == 8 {
		return g.byteExpr(t, d)
	}
	x := func() string { return g.expr(t, d-1) }
	switch g.weighted(20, 30, 10, 12, 16, 6, 6, 10, 8, 6) {
	case 1:
		return fmt.Sprintf("%s.%s(%s)", x(), pick(g, "Add", "Add", "Sub", "Mul", "Mul", "Div", "Min", "Max"), x())
	case 2:
		return fmt.Sprintf("%s.FMA(%s, %s)", x(), x(), x())
	case 3:
		return fmt.Sprintf("%s.%s()", x(), pick(g, "Neg", "Abs", "Sqrt"))
	case 4:
		if g.spend(convertInstrs) {
			return g.toHalf(t, d)
		}
	case 5:
		return fmt.Sprintf("%sFromBits(%s)", t.name, g.expr(tUint16, d-1))
	case 6:
		if g.spend(convertInstrs) {
			return g.otherHalf(t, d)
		}
	case 7:
		if lanes := g.lanesOf(t); lanes != nil {
			return g.laneOf(lanes, d)
		}
	case 8:
		return g.callOr(t, d)
	case 9:
		return fmt.Sprintf("%s(%s, %s)", g.helper("fused"), x(), x())
	}
	return g.leaf(t)
}

// byteExpr is a number of 8 bits.
func (g *gen) byteExpr(t *typ, d int) string {
	switch g.weighted(20, 50, 20, 10) {
	case 1:
		s := g.ofKind(func(t *typ) bool { return t.kind != kBool })
		return fmt.Sprintf("%sOf(%s)", t.name, g.expr(s, d-1))
	case 2:
		return fmt.Sprintf("%sFromBits(%s)", t.name, g.expr(tUint8, d-1))
	case 3:
		return g.callOr(t, d)
	}
	return g.leaf(t)
}

// toHalf rounds a number of another type to t, at times not to nearest.
func (g *gen) toHalf(t *typ, d int) string {
	s := g.ofKind(func(t *typ) bool { return t.kind != kBool })
	e := g.expr(s, d-1)
	if g.chance(10) {
		e = g.typed(s)
	}
	if g.chance(50) {
		return fmt.Sprintf("%sOf(%s)", t.name, e)
	}
	mode := "gpu." + pick(g, "ToNearestEven", "ToZero", "ToNegativeInf", "ToPositiveInf")
	if g.chance(20) {
		mode = fmt.Sprintf("gpu.Rounding(%s & 3)", g.expr(tUint8, d-1))
	}
	return fmt.Sprintf("gpu.Round%s(%s, %s)", t.name[len("gpu."):], e, mode)
}

// otherHalf converts by the functions for all floating-point types.
func (g *gen) otherHalf(t *typ, d int) string {
	width := pick(g, "32", "64")
	from := pick(g, tFloat16, tBFloat16, tFloat32, tFloat64)
	return fmt.Sprintf("gpu.FromFloat%[1]s[%[2]s](gpu.ToFloat%[1]s(%[3]s))", width, t.name, g.expr(from, d-1))
}

// lanesOf is a pair or an eight of the program whose lanes are t, nil if it has none.
func (g *gen) lanesOf(t *typ) *typ {
	for _, u := range g.shorts {
		if u.lane() != nil && u.lane().is(t) {
			return u
		}
	}
	return nil
}

func (g *gen) laneOf(t *typ, d int) string {
	if !g.spend(eightInstrs) {
		return g.leaf(t.lane())
	}
	x := g.expr(t, d-1)
	n := 2
	if t.eight() {
		n = 8
	}
	if g.chance(30) {
		return x + ".Sum()"
	}
	return fmt.Sprintf("%s.Lane(int(%s))", x, g.safeIndex(n))
}

// lanesExpr is a pair or an eight that is computed.
func (g *gen) lanesExpr(t *typ, d int) string {
	if !g.spend(eightInstrs) {
		return g.leaf(t)
	}
	x := func() string { return g.expr(t, d-1) }
	switch g.weighted(40, 20, 15, 15) {
	case 0:
		if !t.eight() {
			return fmt.Sprintf("%s.%s(%s)", x(), pick(g, "Add", "Sub", "Mul", "Min", "Max"), x())
		}
	case 1:
		if !t.eight() {
			return fmt.Sprintf("%s.%s()", x(), pick(g, "Neg", "Abs"))
		}
	case 2:
		if !t.eight() {
			return fmt.Sprintf("(gpu.Float32x2{%s, %s}).%s()", g.expr(tFloat32, d-1), g.expr(tFloat32, d-1), t.name[len("gpu."):])
		}
	}
	return fmt.Sprintf("%s.FMA(%s, %s)", x(), x(), x())
}

// halfAs is a float, an integer or a bool that a number of 8 or 16 bits gives, as type t.
func (g *gen) halfAs(t *typ, d int) string {
	h := g.halfType()
	x, y := g.expr(h, d-1), g.expr(h, d-1)
	switch {
	case h.is(tE5M2) && t.kind == kBool && g.chance(50):
		return as(t, tBool, fmt.Sprintf("%s.IsInf(%d)", x, g.r.IntN(3)-1))
	case h.bits == 8 && t.kind == kBool:
		return as(t, tBool, x+".IsNaN()")
	case h.bits == 8 && t.float():
		return as(t, tFloat32, x+".Float32()")
	case h.bits == 8:
		return as(t, tUint8, x+".Bits()")
	case t.kind == kBool && g.chance(40):
		return as(t, tBool, fmt.Sprintf("%s.%s", x, pick(g, "IsNaN()", "IsInf(0)", "IsInf(-1)", "Signbit()")))
	case t.kind == kBool:
		return as(t, tBool, fmt.Sprintf("%s.%s(%s)", x, pick(g, "Less", "LessEqual", "Equal"), y))
	case t.float() && g.chance(50):
		return as(t, tFloat32, x+".Float32()")
	case t.float():
		return as(t, tFloat64, pick(g, x+".Float64()", fmt.Sprintf("gpu.ToFloat64(%s)", x)))
	case g.chance(30):
		return as(t, tInt, fmt.Sprintf("%s.Compare(%s)", x, y))
	}
	return as(t, tUint16, x+".Bits()")
}
