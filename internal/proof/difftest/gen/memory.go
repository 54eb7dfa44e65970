package gen

import "fmt"

// pointerStmt makes a pointer to a variable or a part of one, at times one of two, at times none.
func (g *gen) pointerStmt() {
	var t *typ
	var place string
	for range 4 {
		t = g.anyType()
		if len(g.places(t, true)) > 0 {
			place, _ = g.place(t, true)
			break
		}
	}
	if place == "" {
		g.declStmt()
		return
	}
	name := g.name("ptr")
	if g.chance(12) && !g.noFail {
		g.nilPointer(name, place, t)
		return
	}
	frozen := g.inputPointer(name, place, t)
	if other, ok := g.place(t, true); ok && g.chance(45) {
		g.fails = 0
		g.open("if %s {", g.expr(tBool, 1))
		g.emit("%s = &%s", name, other)
		g.close("}")
	}
	g.declare(name, pointerTo(t)).frozen = frozen
}

// inputPointer declares the pointer to place, or instead one to an input of the same type, which
// must not be written through.
func (g *gen) inputPointer(name, place string, t *typ) (frozen bool) {
	inputs := g.visible(func(v *variable) bool {
		return v.frozen && v.t.kind == kSlice && v.base == "" && v.minLen > 0 && v.t.elem.reaches(t)
	})
	if len(inputs) == 0 || g.chance(60) {
		g.emit("%s := &%s", name, place)
		return false
	}
	g.fails = 0 // place is not evaluated
	v := pick(g, inputs...)
	g.emit("%s := &%s", name, g.walk(v, t))
	return true
}

// nilPointer is a pointer that stays nil for some threads, and fails there if it is followed.
func (g *gen) nilPointer(name, place string, t *typ) {
	g.fails = 0
	g.emit("var %s *%s", name, t.name)
	g.noFail = true
	g.open("if %s {", g.expr(tBool, 1))
	g.noFail = false
	g.emit("%s = &%s", name, place)
	g.close("}")
	if g.chance(60) {
		g.open("if %s != nil {", name)
		g.emit("*%s = %s", name, g.operand(t, 1))
		g.close("}")
		return
	}
	g.fails = 1
	val := g.name("v")
	g.emit("%s := *%s", val, name)
	g.declare(val, t)
	g.declare(name, pointerTo(t))
}

// sliceStmt makes a slice of an array, of a parameter or of a slice, or reads one as an array.
func (g *gen) sliceStmt() {
	_ = g.scalarType() // drawn so that the seeds of recorded campaigns give the same programs
	var arrays []*variable
	if !g.cur.pure {
		arrays = g.visible(func(v *variable) bool { return v.t.kind == kArray && !v.frozen && v.t.n > 1 })
	}
	name := g.name("s")
	if len(arrays) > 0 && g.chance(50) {
		a := g.recent(arrays)
		lo, hi := g.bounds(a.t.n)
		g.emit("%s := %s[%s:%s]", name, a.name, lo, hi)
		v := g.declare(name, sliceOf(a.t.elem))
		v.minLen = constSpan(lo, hi, a.t.n)
		return
	}
	list := g.visible(func(v *variable) bool { return v.t.kind == kSlice })
	if len(list) == 0 {
		g.declStmt()
		return
	}
	src := g.recent(list)
	if src.base == "" && src.minLen >= 2 && g.chance(20) {
		g.sliceToArray(src)
		return
	}
	s, n := g.slicePart(src)
	g.emit("%s := %s", name, s)
	v := g.declare(name, src.t)
	v.minLen, v.frozen, v.wide = n, src.frozen, src.wide || src.base != ""
	if g.cur.pure {
		v.frozen = true
	}
}

// sliceToArray converts a slice to an array, which fails if it is too short.
func (g *gen) sliceToArray(src *variable) {
	n := 1 + g.r.IntN(min(src.minLen, 6))
	if g.mayFail(10) {
		n = src.minLen + 1
	}
	name := g.name("v")
	t := arrayOf(n, src.t.elem)
	if g.chance(30) {
		g.emit("%s := *(*%s)(%s)", name, t.name, src.name)
	} else {
		g.emit("%s := %s(%s)", name, t.name, src.name)
	}
	g.declare(name, t)
}

// bounds are constant or computed bounds within n, printed; "" stands for an omitted one.
func (g *gen) bounds(n int) (lo, hi string) {
	a, b := g.r.IntN(n+1), g.r.IntN(n+1)
	a, b = min(a, b), max(a, b)
	if g.mayFail(6) {
		return g.maskedIndex(8), fmt.Sprintf("(%s & %d)", g.shallow(g.plainInteger()), pick(g, 3, 7, 15))
	}
	if a > 0 || g.chance(50) {
		lo = fmt.Sprint(a)
	}
	if b < n || g.chance(50) {
		hi = fmt.Sprint(b)
	}
	return lo, hi
}

// constSpan is the length that constant bounds leave, 0 if they are not constant.
func constSpan(lo, hi string, n int) int {
	a, b := 0, n
	if lo != "" {
		if _, err := fmt.Sscanf(lo, "%d", &a); err != nil {
			return 0
		}
	}
	if hi != "" {
		if _, err := fmt.Sscanf(hi, "%d", &b); err != nil {
			return 0
		}
	}
	return b - a
}

// slicePart is a re-slice of v and the length it certainly has.
func (g *gen) slicePart(v *variable) (string, int) {
	if v.base != "" {
		n := v.minLen
		if g.chance(30) {
			n = 1 + g.r.IntN(n)
		}
		max := ""
		if g.chance(30) {
			max = fmt.Sprintf(":%s+%d", v.base, v.minLen)
		}
		return fmt.Sprintf("%s[%s:%s+%d%s]", v.name, v.base, v.base, n, max), n
	}
	if v.minLen == 0 {
		if g.mayFail(40) {
			return fmt.Sprintf("%s[%d:]", v.name, 1+g.r.IntN(3)), 0
		}
		return v.name + "[:]", 0
	}
	old := g.noFail
	g.noFail = old || v.wide
	lo, hi := g.bounds(v.minLen)
	g.noFail = old
	if hi == "" {
		n := constSpan(lo, "", v.minLen)
		return fmt.Sprintf("%s[%s:]", v.name, lo), n
	}
	if g.chance(15) && hi != "" && lo != "" && constSpan(lo, hi, 0) >= 0 {
		return fmt.Sprintf("%s[%s:%s:%s]", v.name, lo, hi, hi), constSpan(lo, hi, v.minLen)
	}
	return fmt.Sprintf("%s[%s:%s]", v.name, lo, hi), constSpan(lo, hi, v.minLen)
}

// slices are the variables that can be passed for a parameter of slice type t.
func (g *gen) slices(t *typ, write bool) []*variable {
	list := g.visible(func(v *variable) bool { return v.t.is(t) && !(write && v.frozen) })
	if write && g.cur.pure {
		list = g.mine(list)
	}
	return list
}

// sliceExpr is an argument of slice type t. A thread passes only the elements that it owns.
func (g *gen) sliceExpr(t *typ, write bool) string {
	v := pick(g, g.slices(t, write)...)
	if v.base != "" || g.chance(30) && v.minLen > 0 {
		s, _ := g.slicePart(v)
		return s
	}
	return v.name
}

// viewStmt makes a struct that holds a slice and a pointer, or copies one, at times under a
// condition.
func (g *gen) viewStmt() {
	if g.view == nil || g.noFail {
		g.sliceStmt()
		return
	}
	known := g.visible(func(v *variable) bool { return v.t.is(g.view) })
	if len(known) > 0 && g.chance(40) {
		i := g.r.IntN(len(known)) // what from points to must live as long as to
		to, from := pick(g, known[i:]...), known[i]
		g.open("if %s {", g.expr(tBool, 1))
		g.emit("%s = %s", to.name, from.name)
		g.close("}")
		return
	}
	s, p := g.view.fields[0].t, g.view.fields[1].t
	if len(g.slices(s, true)) == 0 || len(g.places(p.elem, true)) == 0 {
		g.sliceStmt()
		return
	}
	place, _ := g.place(p.elem, true)
	name := g.name("v")
	g.emit("%s := %s{%s, &%s, %s}", name, g.view.name, g.sliceExpr(s, true), place, g.expr(tInt, 1))
	g.declare(name, g.view)
}
