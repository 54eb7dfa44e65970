package gen

import "fmt"

// atomicStmt updates memory atomically: an element of the slice that all threads share, by an operation that commutes and whose
// result nobody looks at, or one that the thread owns, where the result is certain.
func (g *gen) atomicStmt() {
	if v := g.cur.atomics; v != nil && g.chance(60) {
		g.sharedAtomic(v)
		return
	}
	t := pick(g, tInt32, tUint32, tInt64, tUint64, tInt, tUint)
	list := g.visible(func(v *variable) bool { return v.base != "" && !v.frozen && v.t.elem.reaches(t) })
	if len(list) == 0 {
		g.assignStmt()
		return
	}
	addr := "&" + g.walk(g.recent(list), t)
	name := g.name("v")
	op := pick(g, "Add", "Sub", "Min", "Max", "And", "Or", "Xor", "Exch", "CAS", "Inc", "Dec")
	switch {
	case (op == "Inc" || op == "Dec") && t == tUint32:
		g.emit("%s := gpu.Atomic%s(%s, %s)", name, op, addr, g.operand(t, 1))
	case op == "CAS" || op == "Inc" || op == "Dec":
		g.emit("%s := gpu.AtomicCAS(%s, %s, %s)", name, addr, g.operand(t, 1), g.operand(t, 1))
	default:
		g.emit("%s := gpu.Atomic%s(%s, %s)", name, op, addr, g.operand(t, 1))
	}
	g.declare(name, t)
}

// sharedAtomic keeps each element of the shared slice to one operation, so that the order of threads does not matter.
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

// sharedMemory declares shared memory in which each thread has elements of its own, and fills them.
func (g *gen) sharedMemory(block int) {
	if g.cur.loop || !g.chance(20) {
		return
	}
	name, n := g.name("sh"), pick(g, 1, 2, 4)
	t := g.anyType()
	if t.param || t.leaves() > 12 {
		t = tFloat32
	}
	g.emit("%s := gpu.Shared[[%d]%s]()[:]", name, n*block, t.name)
	for i := range n {
		g.emit("%s[gpu.ThreadIdx.X*%d+%d] = %s", name, n, i, g.expr(t, 1))
	}
	v := g.declare(name, sliceOf(t))
	v.base, v.minLen = fmt.Sprintf("gpu.ThreadIdx.X*%d", n), n
}

// copyStmt copies between slices, which may overlap, or clears one.
func (g *gen) copyStmt() {
	list := g.visible(func(v *variable) bool { return v.t.kind == kSlice && !v.frozen })
	if g.cur.pure {
		list = g.mine(list)
	}
	if len(list) == 0 {
		g.declStmt()
		return
	}
	dst := g.recent(list)
	to, _ := g.slicePart(dst)
	if g.chance(25) {
		g.emit("clear(%s)", to)
		return
	}
	from := g.sliceExpr(dst.t, false)
	if g.chance(50) {
		g.emit("copy(%s, %s)", to, from)
		return
	}
	name := g.name("v")
	g.emit("%s := copy(%s, %s)", name, to, from)
	g.declare(name, tInt)
}
