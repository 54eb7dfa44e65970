package gen

import (
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// atomicStmt updates memory atomically: an element of the slice that all threads share, by an
// operation that commutes and whose result nobody looks at, or one that the thread owns, where the
// result is certain.
func (g *gen) atomicStmt() {
	if v := g.cur.atomics; v != nil && g.chance(60) {
		g.sharedAtomic(v)
		return
	}
	if v := g.cur.pairs; v != nil && g.chance(40) {
		g.emit("%s(&%s[%d], %s)", g.helper("add128"), v.name, g.r.IntN(2), g.expr(tUint64x2, 1))
		return
	}
	var in abi.Intrinsic
	var t *typ
	var list []*variable
	for range 6 {
		in = pick(g, g.available(abi.Atomics)...)
		if t = predeclared[strings.TrimPrefix(in.Params()[0].Type, "*")]; in.Constraint() != "" {
			t = g.satisfying(in.Constraint())
		}
		if list = g.visible(func(v *variable) bool { return v.base != "" && !v.frozen && v.t.elem.reachesAligned(t) }); len(list) > 0 {
			break
		}
	}
	if len(list) == 0 {
		g.assignStmt()
		return
	}
	addr := "&" + g.walk(g.recent(list), t)
	call := g.intrinsicCall(in, func() string { return g.operand(t, 1) }, addr)
	if in.ResultType() == "" {
		g.emit("%s", call)
		return
	}
	name := g.name("v")
	g.emit("%s := %s", name, call)
	g.declare(name, t)
}

// ordering is the last argument of an atomic, with a comma before it: an order, a scope, both, or
// nothing.
func (g *gen) ordering(in abi.Intrinsic) string {
	if g.chance(60) {
		return ""
	}
	orders := []string{"", ", gpu.Relaxed", ", gpu.Acquire", ", gpu.Release", ", gpu.AcqRel"}
	switch in.Name {
	case "AtomicLoad":
		orders = orders[:3]
	case "AtomicStore":
		orders = []string{orders[0], orders[1], orders[3]}
	}
	return pick(g, orders...) + pick(g, "", ", gpu.BlockScope", ", gpu.DeviceScope", ", gpu.SystemScope")
}

// sharedAtomic keeps each element of the shared slice to one operation, so that the order of
// threads does not matter.
func (g *gen) sharedAtomic(v *variable) {
	t := v.t.elem
	ops := []string{"Add", "Min", "Max", "And", "Or", "Xor"}
	i := g.r.IntN(8)
	switch {
	case i < len(ops):
		g.emit("gpu.Atomic%s(&%s[%d], %s)", ops[i], v.name, i, g.operand(t, 2))
	case t == tUint32 && i == 6:
		g.emit("gpu.AtomicInc(&%s[6], 5)", v.name)
	case t == tUint32:
		g.emit("gpu.AtomicDec(&%s[7], 12)", v.name)
	default:
		g.emit("gpu.AtomicSub(&%s[0], %s)", v.name, g.operand(t, 1))
	}
}

// reachesAligned is reaches, except that a struct that must be aligned to its size is an element or
// part of an array, and no field of a struct.
func (t *typ) reachesAligned(want *typ) bool {
	if want.kind != kStruct {
		return t.reaches(want)
	}
	for t.kind == kArray {
		t = t.elem
	}
	return t.is(want)
}

// hasCAS128 reports whether the kernel's target has atomics of 16 bytes.
func (g *gen) hasCAS128() bool { return g.has(abi.FindIntrinsic("AtomicCAS128").Needs) }
