package gen

import "fmt"

// boundsStmt indexes a slice or an array the way programs do whose checks a compiler can prove
// needless, and with the mistakes after which it must not: one off, no test of the sign, sums that
// overflow.
func (g *gen) boundsStmt() {
	list := g.visible(func(v *variable) bool {
		return (v.t.kind == kSlice && v.base == "" || v.t.kind == kArray) && v.t.elem.scalar()
	})
	if len(list) == 0 || g.cur.trips > 8 {
		g.declStmt()
		return
	}
	v := g.recent(list)
	acc := g.name("v")
	g.emit("var %s %s", acc, v.t.elem.name)
	g.declare(acc, v.t.elem)
	switch g.weighted(25, 12, 30, 15, 18) {
	case 0:
		g.indexLoop(v, acc)
	case 1:
		g.wrapLoop(v, acc)
	case 2:
		g.guarded(v, acc)
	case 3:
		g.oneCheck(v, acc)
	case 4:
		g.derivedIndex(v, acc)
	}
}

// use folds the element of v at index i into acc. The index may be out of range.
func (g *gen) use(v *variable, acc, i string) {
	e := fmt.Sprintf("%s[%s]", v.name, i)
	g.fails++
	if v.t.elem.kind == kBool {
		g.emit("%s = %s != %s", acc, acc, e)
		return
	}
	g.emit("%s += %s", acc, e)
}

func off(x string, d int) string {
	switch {
	case d > 0:
		return fmt.Sprintf("%s+%d", x, d)
	case d < 0:
		return fmt.Sprintf("%s-%d", x, -d)
	}
	return x
}

// small is mostly 0.
func (g *gen) small() int { return pick(g, 0, 0, 0, 0, 1, -1, 2, -2) }

// indexLoop runs over the elements upwards or downwards, from and to about the ends, in steps.
func (g *gen) indexLoop(v *variable, acc string) {
	i := g.name("i")
	n := fmt.Sprintf("len(%s)", v.name)
	step := pick(g, 1, 1, 1, 2, 3)
	from, to := off("0", pick(g, 0, 0, 0, 1, 2, -1)), off(n, pick(g, 0, 0, 0, -1, -1, -2, 1))
	switch g.r.IntN(4) {
	case 0:
		g.open("for %s := %s; %s >= %s; %s -= %d {", i, off(n, pick(g, -1, -1, -1, 0, -2)), i, from, i, step)
	case 1:
		g.open("for %s := range %s {", i, to)
	case 2:
		g.open("for %s := %s; %s <= %s; %s += %d {", i, from, i, off(n, pick(g, -1, -1, -2, 0)), i, step)
	default:
		g.open("for %s := %s; %s < %s; %s += %d {", i, from, i, to, i, step)
	}
	g.cur.cost += g.cur.trips * 200
	g.use(v, acc, pick(g, i, i, off(i, g.small()), off(i, g.small()), i+"/2", fmt.Sprintf("%s-1-%s", n, i)))
	if g.chance(30) {
		g.use(v, acc, off(i, g.small()))
	}
	g.close("}")
}

// wrapLoop counts in a type that wraps round: down through zero, or up through its end.
func (g *gen) wrapLoop(v *variable, acc string) {
	i := g.name("i")
	g.cur.cost += g.cur.trips * 200
	if g.chance(50) {
		t := pick(g, "uint", "uint64", "uint32", "uint8")
		g.open("for %s := %s(len(%s)) - 1; %s < %s(len(%s)); %s-- {", i, t, v.name, i, t, v.name, i)
		g.use(v, acc, pick(g, i, i, i+"/2", i+"+1"))
	} else {
		t := pick(g, "uint8", "int8")
		end := map[string]string{"uint8": "250", "int8": "120"}[t]
		g.open("for %s := %s(%s); %s != 3; %s++ {", i, t, end, i, i)
		if t == "int8" {
			g.open("if %s < 0 {", i)
			g.emit("%s = 0", i)
			g.close("}")
		}
		g.use(v, acc, fmt.Sprintf("%s %% %d", i, max(1, v.minLen)))
	}
	g.close("}")
}

// position declares an int that is near the ends of a slice, or anything.
func (g *gen) position() string {
	x := g.name("v")
	switch g.r.IntN(4) {
	case 0:
		g.emit("%s := %s", x, g.shallow(tInt))
	case 1:
		g.emit("%s := int(%s)", x, g.shallow(tInt8))
	default:
		t := pick(g, tInt, tInt32, tInt16)
		g.emit("%s := %s", x, as(tInt, t, fmt.Sprintf("(%s & %d)", g.shallow(t), pick(g, 3, 7, 15, 31))))
		if g.chance(50) {
			g.emit("%s -= %d", x, g.r.IntN(5))
		}
	}
	g.declare(x, tInt)
	return x
}

// guarded tests an index before it is used. Some of the tests leave a hole.
func (g *gen) guarded(v *variable, acc string) {
	x, n, d := g.position(), fmt.Sprintf("len(%s)", v.name), g.small()
	index := off(x, d)
	tests := []string{
		fmt.Sprintf("%s >= 0 && %s < %s", index, index, n),
		fmt.Sprintf("%s < %s && %s >= 0", index, n, index),
		fmt.Sprintf("uint(%s) < uint(%s)", index, n),
		fmt.Sprintf("%s > -1 && %s <= %s-1", index, index, n),
		fmt.Sprintf("!(%s < 0 || %s >= %s)", index, index, n),
		fmt.Sprintf("%s >= 0 && %s < %s", x, index, n),
		fmt.Sprintf("%s >= 0 && %s < %s", index, x, n),
		fmt.Sprintf("%s < %s", index, n),
		fmt.Sprintf("%s <= %s && %s > 0", index, n, x),
		fmt.Sprintf("%s > 0 && %s-%s >= %d", x, n, x, d),
		fmt.Sprintf("%s >= 0 && 2*%s < %s", x, x, n),
		fmt.Sprintf("%s != %s && %s >= 0 && %s <= %s", x, n, x, x, n),
		fmt.Sprintf("uint32(%s) < uint32(%s)", index, n),
		fmt.Sprintf("uint8(%s) < uint8(%s)", index, n),
	}
	g.open("if %s {", pick(g, tests...))
	g.use(v, acc, pick(g, index, index, index, x))
	if g.chance(25) {
		g.close("} else if %s {", pick(g, tests...))
		g.indent++
		g.use(v, acc, index)
	}
	g.close("}")
}

// oneCheck tests the length once, by an index or a re-slice, for several constant or counted
// indices.
func (g *gen) oneCheck(v *variable, acc string) {
	if v.t.kind == kArray {
		g.derivedIndex(v, acc)
		return
	}
	k := g.r.IntN(6)
	part := g.name("s")
	switch g.r.IntN(4) {
	case 0:
		g.fails++
		g.emit("_ = %s[%d]", v.name, k)
		g.use(v, acc, fmt.Sprint(g.r.IntN(k+1)))
		g.use(v, acc, fmt.Sprint(pick(g, k, k, k+1)))
	case 1:
		g.open("if len(%s) %s %d {", v.name, pick(g, ">", ">", ">=", "=="), k)
		g.use(v, acc, fmt.Sprint(k))
		g.use(v, acc, fmt.Sprint(g.r.IntN(k+1)))
		g.close("}")
	case 2:
		g.emit("%s := %s[:min(%d, len(%s))]", part, v.name, k+1, v.name)
		i := g.name("i")
		g.open("for %s := range %s {", i, pick(g, part, fmt.Sprintf("min(%d, len(%s))", k+1, v.name)))
		w := &variable{name: part, t: v.t}
		g.use(w, acc, i)
		g.use(v, acc, i)
		g.close("}")
	case 3:
		lo := g.position()
		g.fails++
		g.emit("%s := %s[%s:]", part, v.name, lo)
		g.open("if len(%s) > %d {", part, k)
		w := &variable{name: part, t: v.t}
		g.use(w, acc, fmt.Sprint(pick(g, 0, k)))
		g.use(v, acc, off(lo, pick(g, 0, k)))
		g.close("}")
	}
}

// derivedIndex computes an index that is in range if the slice is not empty, or nearly always.
func (g *gen) derivedIndex(v *variable, acc string) {
	x, n := g.position(), fmt.Sprintf("len(%s)", v.name)
	if v.t.kind == kSlice && v.minLen == 0 {
		g.open("if len(%s) > 0 {", v.name)
		defer g.close("}")
	}
	g.use(v, acc, pick(g,
		fmt.Sprintf("min(max(%s, 0), %s-1)", x, n),
		fmt.Sprintf("max(0, min(%s-1, %s))", n, x),
		fmt.Sprintf("%s %% %s", x, n),
		fmt.Sprintf("uint(%s) %% uint(%s)", x, n),
		fmt.Sprintf("%s & (%s-1)", x, n),
		fmt.Sprintf("uint8(%s) %% uint8(%s)", x, n),
		fmt.Sprintf("(%s - 1) / %d", n, 1+g.r.IntN(3)),
		fmt.Sprintf("uint(%s) >> %d", x, 56+g.r.IntN(8)),
		fmt.Sprintf("%s - 1 - (%s & 1)", n, x),
		fmt.Sprintf("int(uint32(%s) * uint32(%s) >> 5) %% %s", x, n, n),
	))
}
