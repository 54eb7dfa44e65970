package gen

import (
	"fmt"
	"strings"
)

// packageVariables declares variables that nothing changes. All functions index them. The kernel
// slices them too, and takes the addresses of their elements: in a function that no kernel calls
// the compiler would have to think that something is written there.
func (g *gen) packageVariables() {
	g.cur = &body{}
	for range g.weighted(40, 30, 20, 10) {
		name := g.name("t") + "ø"
		v := &variable{name: name, frozen: true, param: true}
		switch g.weighted(20, 35, 20, 25) {
		case 0:
			v.t = g.anyType()
			g.emit("")
			g.emit("var %s %s = %s", name, v.t.name, g.constant(v.t))
		case 1:
			v.t = arrayOf(pick(g, g.arrayLen(), 16, 33), g.part())
			g.emit("")
			g.emit("var %s = %s", name, g.constant(v.t))
		case 2:
			v.t = sliceOf(g.part())
			v.minLen = g.arrayLen()
			g.emit("")
			var parts []string
			for range v.minLen {
				parts = append(parts, g.constant(v.t.elem))
			}
			g.emit("var %s = %s{%s}", name, v.t.name, strings.Join(parts, ", "))
		case 3:
			v.t = arrayOf(pick(g, 8, 16, 32), pick(g, integers...))
			g.computedVariable(v)
		}
		g.globals = append(g.globals, v)
	}
	g.cur = nil
}

// constant is a literal of a type. All its parts are constants, or computed from constants. Some
// may be missing.
func (g *gen) constant(t *typ) string {
	var parts []string
	switch t.kind {
	case kArray:
		keyed := g.chance(25)
		for i := range t.n {
			if keyed && g.chance(50) {
				continue
			}
			e := g.constant(t.elem)
			if keyed {
				e = fmt.Sprintf("%d: %s", i, e)
			}
			parts = append(parts, e)
		}
	case kStruct:
		for _, f := range t.fields {
			if !g.chance(30) {
				parts = append(parts, f.name+": "+g.constant(f.t))
			}
		}
	case kHalf:
		if g.chance(50) {
			return fmt.Sprintf("%sFromBits(%s)", t.name, g.literal(t.bitsType()))
		}
		return fmt.Sprintf("%sOf(float32(%s))", t.name, g.literal(tFloat32))
	case kComplex:
		return fmt.Sprintf("complex(%s, %s)", g.literal(t.half()), g.literal(t.half()))
	default:
		return g.literal(t)
	}
	return fmt.Sprintf("%s{%s}", t.name, strings.Join(parts, ", "))
}

// computedVariable declares an array of integers whose initial value is computed.
func (g *gen) computedVariable(v *variable) {
	x, i, k := g.name("x"), g.name("i"), g.name("k")
	elem := v.t.elem.name
	g.emit("")
	g.open("var %s = func() (%s %s) {", v.name, x, v.t.name)
	g.open("for %s := range %s {", i, x)
	g.emit("%s[%s] = %s(%s)*%s + %s", x, i, elem, i, g.literal(v.t.elem), g.literal(v.t.elem))
	if g.chance(60) {
		g.open("for %s := range %d {", k, 1+g.r.IntN(6))
		g.open("if %s[%s]&%d != 0 {", x, i, 1+g.r.IntN(4))
		g.emit("%s[%s] = %[1]s[%[2]s]>>%d ^ %[4]s(%[2]s+%[5]s)", x, i, 1+g.r.IntN(3), elem, k)
		g.close("}")
		g.close("}")
	}
	g.close("}")
	g.emit("return %s", x)
	g.close("}()")
}

// tableStmt declares a local array of constants that is only read, and reads it.
func (g *gen) tableStmt() {
	t := arrayOf(pick(g, g.arrayLen(), 9, 16), g.part())
	name, val := g.name("t"), g.name("v")
	g.emit("%s := %s", name, g.constant(t))
	g.declare(name, t).frozen = true
	g.emit("%s := %s[%s]", val, name, g.index(t.n))
	g.declare(val, t.elem)
}

// texts are constant strings, with runes of every length and bytes that are none.
var texts = []string{`"0123456789abcdef"`, `"añ世\U0001F600"`, `"\xff\xe4\xb8\xc0\x80z"`, `"b"`, `"abc"`, `"abd"`, `"añ"`}

// textStmt does something with constant strings.
func (g *gen) textStmt() {
	a, val := g.name("s"), g.name("v")
	g.emit("%s := %s", a, pick(g, texts...))
	if g.chance(60) {
		g.open("if %s {", g.expr(tBool, 1))
		g.emit("%s = %s", a, pick(g, texts...))
		g.close("}")
	}
	part := a
	if g.chance(40) {
		part = fmt.Sprintf("%s[%s:]", a, pick(g, "1", fmt.Sprintf("len(%s)/2", a), fmt.Sprintf("min(int(%s), len(%s))", g.safeIndex(4), a)))
	}
	g.cur.cost += g.cur.trips * 60
	switch g.weighted(30, 25, 20, 15, 10) {
	case 0:
		i, r := g.name("i"), g.name("r")
		g.emit("%s := int64(len(%s))", val, a)
		g.open("for %s, %s := range %s {", i, r, part)
		g.emit("%s = %[1]s*31 + int64(%s)<<8 + int64(%s)", val, r, i)
		g.close("}")
		g.declare(val, tInt64)
	case 1:
		index := fmt.Sprintf("%s %% uint8(len(%s))", g.shallow(tUint8), a)
		if g.mayFail(10) {
			index = g.wildIndex()
		}
		g.emit("%s := %s[%s]", val, a, index)
		g.declare(val, tUint8)
	case 2:
		g.emit("%s := %s %s %s", val, part, pick(g, "==", "!=", "<", "<=", ">", ">="), pick(g, texts...))
		g.declare(val, tBool)
	case 3:
		g.emit("%s := uint64(len(max(%s, %s)))", val, part, pick(g, texts...))
		g.declare(val, tUint64)
	case 4:
		b := g.name("b")
		g.emit("%s := []byte(%s)", b, pick(g, texts[:2]...))
		g.emit("%s[%d] += %s", b, g.r.IntN(4), g.shallow(tUint8))
		g.emit("%s := %s[%s] ^ %[2]s[3] ^ %[4]s[0]", val, b, g.safeIndex(4), a)
		g.declare(val, tUint8)
	}
}
