package gen

import (
	"fmt"
	"slices"
	"strings"
)

// target is a place that a statement can jump to: a loop by break and continue, a label by goto.
type target struct {
	label string
	used  bool
	isFor bool // a loop: break and continue
	sw    bool // a switch: break without a label
}

// jumpTarget is a break, continue, goto or return that is legal here, "" if there is none.
func (g *gen) jumpTarget() string {
	list := []string{"return"}
	if g.meet && g.cur.kernel {
		list = nil
	}
	for i, t := range g.cur.targets {
		last := i == len(g.cur.targets)-1
		switch {
		case t.sw:
			if last {
				list = append(list, "break")
			}
		case t.isFor:
			if last {
				list = append(list, "break", "continue", "continue")
			}
			list = append(list, "break "+t.label, "continue "+t.label)
		default:
			list = append(list, "goto "+t.label)
		}
	}
	if len(list) > 1 && g.chance(80) {
		list = list[1:]
	}
	if len(list) == 0 {
		return ""
	}
	s := pick(g, list...)
	for _, t := range g.cur.targets {
		if strings.HasSuffix(s, " "+t.label) {
			t.used = true
		}
	}
	return s
}

// within writes body with the jump target t in force.
func (g *gen) within(t *target, body func()) {
	g.cur.targets = append(g.cur.targets, t)
	body()
	g.cur.targets = g.cur.targets[:len(g.cur.targets)-1]
}

// loop writes a for statement of any form with a bounded number of trips.
func (g *gen) loop() {
	trips := 1 + g.r.IntN(7)
	if g.chance(10) {
		trips = 17
	}
	for g.cur.cost+g.cur.trips*trips*4 > maxCost && trips > 1 {
		trips /= 2
	}
	t := &target{label: g.name("L"), isFor: true}
	start := len(g.lines)
	outer := g.cur.trips
	g.push()
	start += g.loopHeader(trips)
	g.cur.trips *= trips
	g.cur.depth++
	g.within(t, func() {
		g.block()
	})
	g.cur.depth--
	g.cur.trips = outer
	g.useAll()
	g.close("}")
	g.cur.scopes = g.cur.scopes[:len(g.cur.scopes)-1]
	if t.used {
		g.lines = slices.Insert(g.lines, start, strings.Repeat("\t", g.indent)+t.label+":")
	}
}

// loopHeader opens a loop of at most trips trips, and returns the number of lines before the for.
func (g *gen) loopHeader(trips int) (before int) {
	switch g.weighted(30, 12, 10, 14, 16, 10, 8) {
	case 1:
		i := g.name("i")
		g.open("for %s := %d; %s >= 0; %s-- {", i, trips-1, i, i)
		g.counter(i, tInt, trips)
		return 0
	case 2:
		g.whileLoop(trips)
		return 1
	case 3:
		g.rangeInt(trips)
		return 0
	case 6:
		i := g.name("i")
		g.open("for %s := range %s(%d) {", i, g.helper("seq"), trips)
		g.counter(i, tInt, trips)
		return 0
	case 4:
		if g.rangeArray() {
			return 0
		}
	case 5:
		if g.rangeSlice() {
			return 0
		}
	}
	g.countLoop(trips)
	return 0
}

// counter declares the counter of a loop, below bound, which the body only reads.
func (g *gen) counter(name string, t *typ, bound int) {
	v := g.declare(name, t)
	v.frozen, v.bound = true, bound
}

// countLoop counts up, to a constant or to a value known only at run time, by any integer type.
func (g *gen) countLoop(trips int) {
	i := g.name("i")
	t := tInt
	if g.chance(35) {
		t = g.plainInteger()
	}
	decl := fmt.Sprintf("%s := %s(0)", i, t.name)
	if t == tInt {
		decl = i + " := 0"
	}
	if g.chance(55) {
		step := 1
		if g.chance(15) {
			step = 2
		}
		next := i + "++"
		if step == 2 {
			next = i + " += 2"
		}
		g.open("for %s; %s < %d; %s {", decl, i, trips, next)
		g.counter(i, t, trips)
		return
	}
	n := g.name("n")
	mask := 1
	for mask*2+1 <= trips {
		mask = mask*2 + 1
	}
	g.open("for %s, %s := %s(0), (%s & %d); %s < %s; %s++ {", i, n, t.name, g.expr(t, 1), mask, i, n, i)
	g.counter(i, t, mask+1)
}

// whileLoop has its own condition in addition to the fuel that ends it.
func (g *gen) whileLoop(trips int) {
	fuel := g.name("fuel")
	g.emit("%s := %d", fuel, trips)
	g.counter(fuel, tInt, trips+1)
	if g.chance(30) {
		g.open("for {")
		g.open("if %s == 0 {", fuel)
		g.emit("break")
		g.close("}")
	} else {
		g.open("for %s > 0 && %s {", fuel, g.expr(tBool, 2))
	}
	g.emit("%s--", fuel)
}

func (g *gen) rangeInt(trips int) {
	i := g.name("i")
	if g.chance(40) {
		g.open("for %s := range %d {", i, trips)
		g.counter(i, tInt, trips)
		return
	}
	t := g.plainInteger()
	mask := 1
	for mask*2+1 <= trips {
		mask = mask*2 + 1
	}
	g.open("for %s := range (%s & %d) {", i, g.expr(t, 1), mask)
	g.counter(i, t, mask+1)
}

// rangeArray ranges over an array, whose copy the loop reads, or over a pointer to it, which reads
// the changes of the body.
func (g *gen) rangeArray() bool {
	var list []*typ
	for _, t := range g.composites {
		if t.kind == kArray && t.n <= 8 {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return false
	}
	t := pick(g, list...)
	s, ok := g.read(t)
	if p, found := g.place(t, true); found && g.chance(25) {
		s, ok = "&"+p, true
	}
	if !ok {
		return false
	}
	g.rangeOver(s, t.elem, t.n)
	return true
}

// rangeOver opens a range loop with an index, an element or both.
func (g *gen) rangeOver(s string, elem *typ, n int) {
	i, x := g.name("i"), g.name("x")
	form := g.r.IntN(3)
	switch form {
	case 0:
		g.open("for %s := range %s {", i, s)
	case 1:
		g.open("for _, %s := range %s {", x, s)
	case 2:
		g.open("for %s, %s := range %s {", i, x, s)
	}
	if form != 1 {
		g.counter(i, tInt, n)
	}
	if form != 0 {
		g.declare(x, elem)
	}
}

// rangeSlice ranges over a part of a slice.
func (g *gen) rangeSlice() bool {
	list := g.visible(func(v *variable) bool { return v.t.kind == kSlice && v.minLen > 0 })
	if len(list) == 0 {
		return false
	}
	v := pick(g, list...)
	n := min(v.minLen, 1+g.r.IntN(6))
	lo, hi := fmt.Sprint(v.minLen-n), fmt.Sprint(v.minLen)
	if v.base != "" {
		lo, hi = v.base+"+"+lo, v.base+"+"+hi
	}
	g.rangeOver(fmt.Sprintf("%s[%s:%s]", v.name, lo, hi), v.t.elem, n)
	return true
}
