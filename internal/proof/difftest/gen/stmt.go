package gen

import (
	"fmt"
	"strings"
)

// block writes statements in their own scope until the budget is used or something ends the block
// early.
func (g *gen) block() {
	uniform := g.cur.uniform
	g.cur.uniform = false
	g.push()
	g.statements(1 + g.r.IntN(6))
	g.pop()
	g.cur.uniform = uniform
}

// statements writes at most n statements into the current scope.
func (g *gen) statements(n int) {
	closures := len(g.cur.funcs)
	for range n {
		if g.cur.budget <= 0 {
			break
		}
		g.cur.budget--
		g.cur.fn.size++
		g.cur.cost += g.cur.trips
		if g.statement() {
			break
		}
	}
	g.cur.funcs = g.cur.funcs[:closures]
}

// form is a kind of statement, with its frequency and the places that allow it.
type form struct {
	weight int
	where  func(*gen) bool // nil: anywhere
	write  func(*gen)
}

// forms are the kinds of statements, save the one that may end its block.
var forms []form

func init() { // the writers write statements themselves
	forms = []form{
		{20, nil, (*gen).declStmt},
		{24, nil, (*gen).assignStmt},
		{14, nil, (*gen).compoundStmt},
		{4, nil, (*gen).incDec},
		{6, nil, (*gen).tupleAssign},
		{14, (*gen).mayNest, (*gen).ifStmt},
		{14, (*gen).mayNest, (*gen).loop},
		{7, (*gen).mayNest, (*gen).switchStmt},
		{3, (*gen).mayNest, (*gen).gotoStmt},
		{3, (*gen).mayNest, (*gen).nested},
		{3, (*gen).mayNest, (*gen).closure},
		{8, nil, (*gen).callStmt},
		{2, nil, (*gen).makeStmt},
		{2, nil, (*gen).blankStmt},
		{5, (*gen).impure, (*gen).pointerStmt},
		{4, (*gen).impure, (*gen).viewStmt},
		{3, nil, (*gen).sliceStmt},
		{2, nil, (*gen).copyStmt},
		{4, nil, (*gen).tableStmt},
		{3, nil, (*gen).textStmt},
		{3, (*gen).mayNest, (*gen).typeStmt},
		{10, func(g *gen) bool { return g.cur.tparam != nil && g.mayNest() }, (*gen).typeStmt},
		{3, (*gen).impure, (*gen).newSlice},
		{1, (*gen).fallible, (*gen).failStmt},
		{5, func(g *gen) bool { return g.fallible() && g.mayNest() }, (*gen).boundsStmt},
		{4, (*gen).inKernel, (*gen).atomicStmt},
		{1, (*gen).inKernel, (*gen).barrier},
		{120, (*gen).meeting, (*gen).meetStmt},
	}
}

func (g *gen) mayNest() bool  { return g.cur.depth < 3 && g.cur.budget >= 2 }
func (g *gen) impure() bool   { return !g.cur.pure }
func (g *gen) fallible() bool { return !g.noFail }
func (g *gen) inKernel() bool { return g.cur.kernel }

// statement writes one. It reports whether what follows cannot be reached.
func (g *gen) statement() (ended bool) {
	weights := make([]int, len(forms), len(forms)+1)
	for i, f := range forms {
		if f.where == nil || f.where(g) {
			weights[i] = f.weight
		}
	}
	i := g.weighted(append(weights, 3)...)
	if i == len(forms) {
		return g.jump()
	}
	forms[i].write(g)
	return false
}

func (g *gen) blankStmt() { g.emit("_ = %s", g.expr(g.anyType(), 2)) }

// depth is how deep expressions of a statement go.
func (g *gen) depth() int { return g.weighted(10, 30, 35, 20, 5) }

func (g *gen) declStmt() {
	t := g.anyType()
	name := g.name("v")
	switch {
	case g.chance(15):
		g.emit("var %s %s", name, t.name)
	case t.scalar() && g.chance(15):
		g.emit("var %s %s = %s", name, t.name, g.literal(t))
	case t.scalar() && !t.param && g.chance(10):
		g.emit("const %s %s = %s", name, t.name, g.literal(t))
		g.declare(name, t).frozen = true
		g.emit("_ = %s", name)
		g.dropConst()
		return
	default:
		g.emit("%s := %s", name, g.expr(t, g.depth()))
	}
	g.declare(name, t)
}

// dropConst turns the constant just declared into a variable: a constant in scope would make
// constant expressions.
func (g *gen) dropConst() {
	top := len(g.cur.scopes) - 1
	scope := g.cur.scopes[top]
	c := scope[len(scope)-1]
	g.cur.scopes[top] = scope[:len(scope)-1]
	name := g.name("v")
	g.emit("%s := %s", name, c.name)
	g.declare(name, c.t)
}

// assignable is a place to assign to and its type.
func (g *gen) assignable() (place string, t *typ, ok bool) {
	for range 4 {
		t = g.anyType()
		if place, ok = g.place(t, false); ok {
			return place, t, true
		}
	}
	return "", nil, false
}

func (g *gen) assignStmt() {
	place, t, ok := g.assignable()
	if !ok {
		g.declStmt()
		return
	}
	g.emit("%s = %s", place, g.operand(t, g.depth()))
}

func (g *gen) compoundStmt() {
	place, t, ok := g.assignable()
	if !ok || !t.scalar() || t.kind == kBool {
		if ok {
			g.emit("%s = %s", place, g.expr(t, g.depth()))
			return
		}
		g.declStmt()
		return
	}
	d := g.depth()
	op := pick(g, "+", "-", "*", "+", "/")
	if t.integer() {
		op = pick(g, "+", "-", "*", "&", "|", "^", "&^", "<<", ">>", "/", "%")
	}
	switch {
	case op == "<<" || op == ">>":
		amount := g.integer()
		mask := pick(g, 7, 31, 63, 127)
		if amount.param {
			mask = 31
		}
		g.emit("%s %s= (%s & %d)", place, op, g.expr(amount, d), mask)
	case t.integer() && (op == "/" || op == "%"):
		if g.mayFail(8) {
			g.emit("%s %s= %s", place, op, g.expr(t, d))
		} else if g.chance(50) {
			g.emit("%s %s= %s", place, op, g.nonzeroLiteral(t))
		} else {
			g.emit("%s %s= (%s | 1)", place, op, g.expr(t, d))
		}
	case op == "/":
		g.emit("%s %s= %s", place, op, g.expr(t, d))
	default:
		g.emit("%s %s= %s", place, op, g.operand(t, d))
	}
}

func (g *gen) incDec() {
	t := g.ofKind(func(t *typ) bool { return t.kind != kBool })
	place, ok := g.place(t, false)
	if !ok {
		g.declStmt()
		return
	}
	g.emit("%s%s", place, pick(g, "++", "--"))
}

// tupleAssign writes a, b = x, y. No operand may fail: which assignments are done by then is a
// point on which Go's own compilers differ.
func (g *gen) tupleAssign() {
	old := g.noFail
	g.noFail = true
	defer func() { g.noFail = old }()
	var left, right []string
	for range 2 + g.weighted(80, 20) {
		place, t, ok := g.assignable()
		if !ok {
			continue
		}
		left = append(left, place)
		if other, ok := g.place(t, false); ok && !g.cur.pure && g.chance(40) {
			right = append(right, other) // exchange
			continue
		}
		right = append(right, g.expr(t, 1))
	}
	if len(left) < 2 || g.fails > 0 {
		g.fails = 0
		g.declStmt()
		return
	}
	g.emit("%s = %s", strings.Join(left, ", "), strings.Join(right, ", "))
}

func (g *gen) ifStmt() {
	init := ""
	g.push()
	cond := g.expr(tBool, 1+g.r.IntN(3))
	if g.chance(15) {
		t := g.scalarType()
		name := g.name("v")
		init = fmt.Sprintf("%s := %s; ", name, g.expr(t, 1))
		cond = fmt.Sprintf("%s == %s || %s", name, g.literal(t), cond)
		g.declare(name, t).line++
	}
	g.cur.depth++
	g.open("if %s%s {", init, cond)
	g.block()
	for g.chance(20) && g.cur.budget > 0 {
		g.close("} else if %s {", g.expr(tBool, 1+g.r.IntN(2)))
		g.indent++
		g.block()
	}
	if g.chance(50) && g.cur.budget > 0 {
		g.close("} else {")
		g.indent++
		g.block()
	}
	g.close("}")
	g.cur.depth--
	g.pop()
}

func (g *gen) nested() {
	g.open("{")
	g.cur.depth++
	g.block()
	g.cur.depth--
	g.close("}")
}

// callStmt calls a function with effects, or one with several results, into new variables.
func (g *gen) callStmt() {
	if g.chance(12) {
		call, first, second := pick(g, g.bitsPair, g.floatingPointPair)()
		x, y := g.name("v"), g.name("v")
		g.emit("%s, %s := %s", x, y, call)
		g.declare(x, first)
		g.declare(y, second)
		return
	}
	var list []*function
	for _, f := range g.callable() {
		if !f.maker && (f.pure || !g.cur.pure) && g.fits(f) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		g.assignStmt()
		return
	}
	f := pick(g, list...)
	var arg *typ
	if f.generic != nil {
		arg = g.instance(f)
	}
	if !g.canPass(f, arg) {
		g.assignStmt()
		return
	}
	call := g.call(f, arg, 1)
	if g.chance(15) {
		g.emit("%s", call)
		return
	}
	var names []string
	for range f.results {
		names = append(names, g.name("v"))
	}
	g.emit("%s := %s", strings.Join(names, ", "), call)
	for i, r := range f.results {
		g.declare(names[i], r.subst(arg))
	}
}

// failStmt panics or asserts under a condition that is rarely true.
func (g *gen) failStmt() {
	t := pick(g, tUint8, tInt16, tUint32)
	g.fails = 0
	leaf := g.safeLeaf(t)
	cond := fmt.Sprintf("(%s & 31) == %d", leaf, g.r.IntN(32))
	g.fails = 1
	if g.chance(50) {
		g.emit("gpu.Assert(!(%s), %s)", cond, pick(g, `""`, `"x"`, `"the sum is even"`, `"%d is %#v", 1, `+leaf))
		return
	}
	g.open("if %s {", cond)
	g.fails++
	g.emit("panic(\"%s\")", pick(g, "unreachable", "no such thing"))
	g.close("}")
}

// safeLeaf is a leaf that cannot fail.
func (g *gen) safeLeaf(t *typ) string {
	old := g.noFail
	g.noFail = true
	defer func() { g.noFail = old }()
	return g.leaf(t)
}

// jump leaves a loop, a block or the function, under a condition or not.
func (g *gen) jump() (ended bool) {
	s := g.jumpTarget()
	if s == "" {
		return false
	}
	if g.cur.depth == 0 || g.chance(80) {
		g.open("if %s {", g.expr(tBool, 2))
		if s == "return" {
			g.returnStmt()
		} else {
			g.emit("%s", s)
		}
		g.close("}")
		return false
	}
	if s == "return" {
		g.returnStmt()
	} else {
		g.emit("%s", s)
	}
	return true
}
