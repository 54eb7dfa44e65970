package gen

import (
	"fmt"
	"strings"
)

// functions writes the program's functions and methods, each free to call the ones before.
func (g *gen) functions() {
	for range g.weighted(20, 25, 25, 20, 10) {
		if g.chance(10) {
			g.funcs = append(g.funcs, g.maker())
			continue
		}
		f := g.signature()
		g.writeFunction(f)
		g.funcs = append(g.funcs, f)
	}
}

// signature makes up a function: its parameters decide whether it is pure.
func (g *gen) signature() *function {
	g.cur = &body{}
	f := &function{name: g.name("f"), pure: true}
	if g.chance(25) {
		f.name += "ø"
		f.generic = pick(g, integers, integers, floats)
	}
	g.cur.tparam = f.typeParam()
	if f.generic == nil && g.chance(35) {
		g.receiver(f)
	} else if f.generic == nil {
		f.name += "ø"
	}
	for i := range 1 + g.weighted(25, 35, 25, 15) {
		f.params = append(f.params, g.parameter(f, i))
	}
	if g.chance(12) {
		f.params = append(f.params, &variable{name: "fn0", t: funcOf(g.funcScalar(), g.funcScalar()), param: true})
	}
	if g.chance(10) {
		f.params = append(f.params, &variable{name: "rest0", t: sliceOf(g.scalarType()), param: true, frozen: true, variadic: true})
	}
	f.named = g.chance(20)
	for range 1 + g.weighted(60, 25, 15) {
		f.results = append(f.results, g.anyType())
	}
	if f.generic != nil && g.chance(80) {
		f.results = f.results[:1]
		f.results[0] = g.cur.tparam
	}
	return f
}

// funcScalar is a type for the parameter or result of a function that is passed to another.
func (g *gen) funcScalar() *typ { return pick(g, tInt32, tInt, tUint8, tFloat32, tInt64) }

func (f *function) typeParam() *typ {
	if f.generic == nil {
		return nil
	}
	t := &typ{kind: f.generic[0].kind, bits: 8, name: "T", param: true}
	if t.kind == kUint {
		t.kind = kInt
	}
	if t.kind == kFloat {
		t.bits = 32
	}
	t.base = t
	return t
}

// receiver makes f a method of one of the program's named types.
func (g *gen) receiver(f *function) {
	var list []*typ
	for _, t := range append(g.scalars[:len(g.scalars):len(g.scalars)], g.composites...) {
		if strings.HasSuffix(t.name, "ø") && !strings.HasPrefix(t.name, "[") {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		f.name += "ø"
		return
	}
	t := pick(g, list...)
	f.method = true
	if g.chance(40) {
		t, f.pure = pointerTo(t), false
	}
	f.params = append(f.params, &variable{name: "r", t: t, param: true})
}

func (g *gen) parameter(f *function, i int) *variable {
	p := &variable{name: fmt.Sprintf("p%d", i), param: true}
	switch g.weighted(70, 12, 8, 10) {
	case 0:
		p.t = g.scalarType()
	case 1:
		p.t = g.anyType()
	case 2:
		p.t, f.pure = pointerTo(g.anyType()), false
	case 3:
		p.t, p.frozen = sliceOf(g.scalarType()), true
		if g.chance(30) {
			p.frozen, f.pure = false, false
		}
	}
	if g.view != nil && g.chance(12) && f.generic == nil {
		p.t, p.frozen, f.pure = g.view, false, false
	}
	if i == 0 {
		p.t, p.frozen = g.ofKind(func(t *typ) bool { return t.kind != kBool }), false
	}
	return p
}

func (g *gen) writeFunction(f *function) {
	g.cur = &body{fn: f, pure: f.pure, tparam: f.typeParam(), trips: 1, budget: 2 + g.r.IntN(7)}
	g.emit("")
	g.open("func %s {", g.header(f))
	g.push()
	for _, p := range f.params {
		v := *p
		g.cur.scopes[0] = append(g.cur.scopes[0], &v)
		if p.t.kind == kFunc {
			param := &variable{name: "x", t: p.t.params[0]}
			g.cur.funcs = append(g.cur.funcs, &function{name: p.name, params: []*variable{param}, results: []*typ{p.t.elem}, pure: true, cost: 20, size: 2})
		}
	}
	for i, r := range f.results {
		if f.named {
			g.declare(resultName(i), r).param = true
		}
	}
	g.block()
	g.returnStmt()
	g.pop()
	g.close("}")
	f.cost += g.cur.cost
	f.size += 2
	g.cur = nil
}

// maker writes a function that returns one: a closure of its parameters.
func (g *gen) maker() *function {
	f := &function{name: g.name("mk") + "ø", pure: true, maker: true, size: 3, cost: 2}
	for i := range 1 + g.r.IntN(2) {
		f.params = append(f.params, &variable{name: fmt.Sprintf("p%d", i), t: pick(g, integers...), param: true})
	}
	x := &variable{name: g.name("q"), t: g.funcScalar(), param: true}
	result := g.funcScalar()
	f.results = []*typ{funcOf(x.t, result)}
	g.cur = &body{fn: f, pure: true, trips: 1, budget: 2}
	g.emit("")
	g.open("func %s {", g.header(f))
	g.push()
	for _, p := range f.params {
		v := *p
		g.cur.scopes[0] = append(g.cur.scopes[0], &v)
	}
	g.push()
	g.declStmt()
	g.useAll()
	g.push()
	g.open("return func(%s %s) %s {", x.name, x.t.name, result.name)
	w := *x
	g.cur.scopes[2] = append(g.cur.scopes[2], &w)
	g.cur.fn = &function{results: []*typ{result}}
	g.returnStmt()
	f.fails = f.fails || g.cur.fn.fails
	g.close("}")
	g.close("}")
	f.cost += g.cur.cost
	g.cur = nil
	return f
}

// makeStmt makes a function and gives it a name.
func (g *gen) makeStmt() {
	for _, f := range g.funcs {
		if !f.maker || !g.fits(f) || g.chance(40) {
			continue
		}
		name := g.name("fn")
		t := f.results[0]
		call := g.call(f, nil, 1)
		g.emit("%s := %s", name, call)
		g.declare(name, t)
		x := &variable{name: "x", t: t.params[0]}
		g.cur.funcs = append(g.cur.funcs, &function{name: name, params: []*variable{x}, results: []*typ{t.elem}, pure: true, fails: f.fails, cost: f.cost, size: 2})
		return
	}
	g.declStmt()
}

// header is the declaration of f without func and body.
func (g *gen) header(f *function) string {
	var b strings.Builder
	params := f.params
	if f.method {
		fmt.Fprintf(&b, "(r %s) ", params[0].t.name)
		params = params[1:]
	}
	b.WriteString(f.name)
	if f.generic != nil {
		var types []string
		for _, t := range f.generic {
			types = append(types, t.name)
		}
		fmt.Fprintf(&b, "[T %s]", strings.Join(types, " | "))
	}
	results := f.results
	if f.named {
		results = make([]*typ, len(f.results))
		for i, r := range f.results {
			results[i] = &typ{name: resultName(i) + " " + r.name}
		}
	}
	s := signature(params, results)
	if f.named && len(results) == 1 {
		s = strings.TrimSuffix(s, results[0].name) + "(" + results[0].name + ")"
	}
	b.WriteString(s)
	return b.String()
}

func resultName(i int) string { return fmt.Sprintf("res%d", i) }

// signature prints parameters and results.
func signature(params []*variable, results []*typ) string {
	var ps, rs []string
	for _, p := range params {
		t := p.t.name
		if p.variadic {
			t = "..." + p.t.elem.name
		}
		ps = append(ps, p.name+" "+t)
	}
	for _, r := range results {
		rs = append(rs, r.name)
	}
	switch len(rs) {
	case 0:
		return fmt.Sprintf("(%s)", strings.Join(ps, ", "))
	case 1:
		return fmt.Sprintf("(%s) %s", strings.Join(ps, ", "), rs[0])
	}
	return fmt.Sprintf("(%s) (%s)", strings.Join(ps, ", "), strings.Join(rs, ", "))
}

func (g *gen) returnStmt() {
	if g.cur.kernel {
		g.emit("%s", pick(g, "return", g.leaveKernel()))
		return
	}
	if g.cur.fn.named && g.chance(40) {
		g.emit("return")
		return
	}
	var list []string
	for _, t := range g.cur.fn.results {
		list = append(list, g.expr(t, 2))
	}
	g.emit("return %s", strings.Join(list, ", "))
}

// leaveKernel ends the work of this thread, or of this element where the kernel's body is a
// grid-stride loop.
func (g *gen) leaveKernel() string {
	if g.cur.loop {
		return "continue gridø"
	}
	return "return"
}

// closure writes a function literal, assigned to a variable, that may read and change what is in
// scope.
func (g *gen) closure() {
	outer := g.cur
	f := &function{name: g.name("fn"), pure: g.chance(50), size: 2}
	for i := range g.r.IntN(3) {
		f.params = append(f.params, &variable{name: g.name("q"), t: g.scalarType(), param: true})
		_ = i
	}
	for range 1 + g.weighted(80, 20) {
		f.results = append(f.results, g.scalarType())
	}
	v := g.declare(f.name, &typ{kind: kFunc, name: "func"})
	v.line++
	g.open("%s := func%s {", f.name, signature(f.params, f.results))
	inner := *outer
	inner.fn = f
	inner.scopes = append(outer.scopes[:len(outer.scopes):len(outer.scopes)], nil)
	inner.frozen = len(outer.scopes)
	inner.pure = f.pure || outer.pure
	inner.targets, inner.cost, inner.trips = nil, 0, 1
	inner.budget, inner.kernel, inner.loop, inner.uniform = 1+g.r.IntN(4), false, false, false
	inner.depth = max(outer.depth, 2)
	g.cur = &inner
	for _, p := range f.params {
		w := *p
		inner.scopes[inner.frozen] = append(inner.scopes[inner.frozen], &w)
	}
	g.block()
	g.returnStmt()
	g.pop()
	f.cost += inner.cost
	g.cur = outer
	outer.fn.size += f.size
	outer.fn.instrs += f.instrs
	outer.fn.fails = outer.fn.fails || f.fails
	g.close("}")
	outer.funcs = append(outer.funcs, f)
}
