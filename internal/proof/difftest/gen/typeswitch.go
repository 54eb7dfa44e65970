package gen

// typeStmt asks for the type of a value: of a type parameter, or of a type that is known.
func (g *gen) typeStmt() {
	t := g.cur.tparam
	list := integers
	switch {
	case t == nil || g.chance(15):
		t = pick(g, append(floats[:2:2], integers...)...)
		list = append(floats[:2:2], pick(g, integers...))
	case t.float():
		list = floats
	}
	x, val := g.expr(t, 1), g.name("v")
	if g.chance(30) {
		ok, want := g.name("v"), pick(g, list...)
		g.emit("%s, %s := any(%s).(%s)", val, ok, x, want.name)
		g.declare(val, want)
		g.declare(ok, tBool)
		return
	}
	result := g.scalarType()
	g.emit("var %s %s", val, result.name)
	g.declare(val, result)
	q := g.name("q")
	g.cur.depth++
	g.emit("switch %s := any(%s).(type) {", q, x)
	for i, c := range g.r.Perm(len(list)) {
		if i > 2 {
			break
		}
		if g.chance(20) {
			g.open("case %s, *%[1]s:", list[c].name)
			g.emit("_ = %s", q)
			g.block()
			g.indent--
			continue
		}
		g.open("case %s:", list[c].name)
		g.push()
		g.declare(q, list[c])
		g.emit("%s = %s", val, g.convert(result, list[c], func(*typ) string { return q }))
		g.block()
		g.pop()
		g.indent--
	}
	if g.chance(50) {
		g.open("default:")
		g.emit("_ = %s", q)
		g.block()
		g.indent--
	}
	g.emit("}")
	g.cur.depth--
}

// newSlice makes a slice of constant length, which is a local array.
func (g *gen) newSlice() {
	t := sliceOf(g.part())
	n := g.arrayLen()
	name := g.name("s")
	if more := g.r.IntN(4); more > 0 && g.chance(40) {
		g.emit("%s := make(%s, %d, %d)", name, t.name, n, n+more)
	} else {
		g.emit("%s := make(%s, %d)", name, t.name, n)
	}
	v := g.declare(name, t)
	v.minLen = n
	if g.chance(50) {
		g.emit("%s[%s] = %s", name, g.safeIndex(n), g.operand(t.elem, 1))
	}
	if g.chance(30) {
		p := g.name("ptr")
		g.emit("%s := new(%s)", p, t.elem.name)
		g.declare(p, pointerTo(t.elem))
	}
}
