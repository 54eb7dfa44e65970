package gen

import (
	"fmt"
	"strings"
)

// switchStmt writes a switch over values or over conditions, with fallthrough, a default anywhere,
// several values a case.
func (g *gen) switchStmt() {
	g.cur.depth++
	t := &target{sw: true}
	tag := ""
	var tagType *typ
	if g.chance(65) {
		tagType = pick(g, integers...)
		tag = fmt.Sprintf("(%s & %d)", g.expr(tagType, 1), pick(g, 1, 3, 7))
		if g.chance(15) {
			name := g.name("v")
			tag = fmt.Sprintf("%s := %s; %s", name, tag, name)
		}
		tag += " "
	}
	g.emit("switch %s{", tag)
	g.within(t, func() { g.cases(tagType) })
	g.emit("}")
	g.cur.depth--
}

func (g *gen) cases(tag *typ) {
	n := 1 + g.r.IntN(5)
	deflt := g.r.IntN(n + 2) // beyond n: none
	values := g.r.Perm(8)
	for i := range n {
		if i == deflt {
			g.open("default:")
		} else if tag != nil {
			count := 1
			if len(values) > 2 && g.chance(25) {
				count = 2
			}
			var list []string
			for _, v := range values[:min(count, len(values))] {
				list = append(list, fmt.Sprint(v))
			}
			values = values[len(list):]
			g.open("case %s:", strings.Join(list, ", "))
		} else {
			g.open("case %s:", g.expr(tBool, 1+g.r.IntN(2)))
		}
		g.block()
		if i < n-1 && g.chance(15) {
			g.emit("fallthrough")
		}
		g.indent--
	}
}

// gotoStmt writes a block that can be left forwards to a label after it, or a loop made of gotos,
// or a loop with two entries.
func (g *gen) gotoStmt() {
	switch {
	case g.cur.cost+g.cur.trips*12 > maxCost || g.chance(60):
		g.forwardGoto()
	default:
		g.backwardGoto(g.chance(40))
	}
}

func (g *gen) forwardGoto() {
	t := &target{label: g.name("L")}
	g.within(t, func() { g.nested() })
	if !t.used && g.chance(60) {
		return
	}
	if !t.used {
		g.open("if %s {", g.expr(tBool, 1))
		g.emit("goto %s", t.label)
		g.close("}")
		g.nested()
	}
	g.emit("%s:", t.label)
	g.emit("{}")
}

// backwardGoto is a loop whose back edge is a goto. With a second entry it is irreducible: control
// enters at either label.
func (g *gen) backwardGoto(second bool) {
	trips := 1 + g.r.IntN(4)
	fuel, head, mid := g.name("fuel"), g.name("L"), g.name("L")
	g.open("{")
	g.emit("%s := %d", fuel, trips)
	g.push()
	g.counter(fuel, tInt, trips+1)
	outer := g.cur.trips
	g.cur.trips *= trips + 1
	if second {
		g.open("if %s {", g.expr(tBool, 1))
		g.emit("goto %s", mid)
		g.close("}")
	}
	g.emit("%s:", head)
	g.nested()
	if second {
		g.emit("%s:", mid)
		g.nested()
	}
	g.open("if %s > 0 && %s {", fuel, g.expr(tBool, 1))
	g.emit("%s--", fuel)
	g.emit("goto %s", head)
	g.close("}")
	g.cur.trips = outer
	g.pop()
	g.close("}")
}
