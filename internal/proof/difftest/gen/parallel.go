package gen

import (
	"fmt"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
)

// sharedMemory declares shared memory in which each thread has its own elements, and fills them.
func (g *gen) sharedMemory() {
	if g.cur.loop || !g.chance(20) {
		return
	}
	name, n := g.name("sh"), pick(g, 1, 2, 4)
	t := g.anyType()
	if t.param || t.leaves() > 12 {
		t = tFloat32
	}
	if g.hasCAS128() && g.chance(25) {
		t = tUint64x2
	}
	g.emit("%s := gpu.Shared[[%d]%s]()[:]", name, n*g.threads, t.name)
	for i := range n {
		g.emit("%s[lid*%d+%d] = %s", name, n, i, g.expr(t, 1))
	}
	v := g.declare(name, sliceOf(t))
	v.base, v.minLen = fmt.Sprintf("lid*%d", n), n
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

// barrier puts a block barrier where all threads that still run come by, and fences anywhere.
func (g *gen) barrier() {
	if g.cur.uniform || g.cur.depth == 0 && !g.cur.loop && !g.meet {
		g.emit("gpu.SyncThreads()")
		return
	}
	g.emit("%s", g.intrinsicCall(pick(g, intrinsics(abi.Fences)...), nil, ""))
}

// meeting reports whether statements in which threads meet can be here.
func (g *gen) meeting() bool { return g.meet && g.cur.kernel && g.cur.uniform }

// word is a type that shuffles take.
func (g *gen) word() *typ {
	return pick(g, tInt32, tUint32, tInt64, tUint64, tInt, tUint, tFloat32, tFloat64)
}

// meetStmt is something that all threads of a block do together: exchange values, vote, wait;
// alone, in a loop, or under a condition that is the same for all.
func (g *gen) meetStmt() {
	inGrid, inCluster, inProducts := 0, 0, 0
	if g.cur.whole {
		inGrid = 30
	}
	if g.cur.clustered {
		inCluster = 60
	}
	if g.target != "" {
		inProducts = 80
	}
	switch g.weighted(43, 12, 10, 18, 12, 8, 10, inGrid, inProducts, inProducts/2, inCluster) {
	case 0:
		g.warpCall()
	case 1:
		g.halves()
	case 2:
		t := g.word()
		name := g.name("v")
		g.emit("%s := %s(%s)", name, g.helper("warpSum"), g.expr(t, 2))
		g.declare(name, t)
	case 3:
		g.exchange()
	case 4:
		g.uniformLoop()
	case 5:
		g.uniformIf()
	case 6:
		g.blockCall()
	case 7:
		g.gridStmt()
	case 8:
		g.productStmt()
	case 9:
		g.fragmentStmt()
	case 10:
		g.clusterStmt()
	}
}

// gridStmt is something that all threads of the grid do together: they wait, hand values round
// through global memory, or look between two meetings at what all have added up.
func (g *gen) gridStmt() {
	hand, name := g.cur.hand, g.name("v")
	switch {
	case g.chance(20):
		g.emit("gpu.SyncGrid()")
		return
	case g.cur.atomics != nil && g.chance(30):
		g.emit("gpu.SyncGrid()")
		g.emit("%s := %s[%d]", name, g.cur.atomics.name, g.r.IntN(8))
		g.declare(name, g.cur.atomics.t.elem)
	default:
		g.emit("%s[tid] = %s", hand.name, g.expr(hand.t.elem, 2))
		g.emit("gpu.SyncGrid()")
		g.emit("%s := %s[(tid*%d+%d)%%%d]", name, hand.name, g.r.IntN(9), g.r.IntN(200), hand.minLen)
		g.declare(name, hand.t.elem)
	}
	g.emit("gpu.SyncGrid()")
}

// exchanged is a type whose values threads hand each other through memory.
func (g *gen) exchanged() *typ {
	if t := g.anyType(); !t.param && t.leaves() <= 12 {
		return t
	}
	return tInt32
}

// blockCall is a barrier that all threads of the block come to, with what it tells them.
func (g *gen) blockCall() {
	in := pick(g, intrinsics(abi.BlockBarrier, abi.NamedBarrier)...)
	if in.Group == abi.NamedBarrier {
		g.emit("gpu.%s(%d, %d)", in.Name, 1+g.r.IntN(abi.Barriers-1), (g.threads+abi.WarpSize-1)/abi.WarpSize*abi.WarpSize)
		return
	}
	call := g.intrinsicCall(in, nil, "")
	result := typeOf(in.ResultType(), nil)
	if result == nil {
		g.emit("%s", call)
		return
	}
	name := g.name("v")
	g.emit("%s := %s", name, call)
	g.declare(name, result)
}

// halves splits the warp in two that exchange values among themselves.
func (g *gen) halves() {
	t := g.word()
	name := g.name("v")
	g.emit("var %s %s", name, t.name)
	even := g.chance(50)
	cond, masks, xor := "gpu.LaneID() < 16", []string{"0x0000ffff", "0xffff0000"}, 1+g.r.IntN(15)
	if even {
		cond, masks, xor = "gpu.LaneID()&1 == 0", []string{"0x55555555", "0xaaaaaaaa"}, 2*(1+g.r.IntN(15))
	}
	g.open("if %s {", cond)
	g.cur.depth++
	g.block()
	g.emit("%s = gpu.ShflXorSync(%s, %s, %d)", name, masks[0], g.expr(t, 1), xor)
	g.close("} else {")
	g.indent++
	if g.chance(50) {
		g.block()
	}
	g.emit("%s = gpu.ShflXorSync(%s, %s, %d)", name, masks[1], g.expr(t, 1), xor)
	g.cur.depth--
	g.close("}")
	g.declare(name, t)
}

// exchange hands values round the block through shared memory.
func (g *gen) exchange() {
	t := g.exchanged()
	name, v := g.name("x"), g.name("v")
	g.emit("%s := gpu.Shared[[%d]%s]()", name, g.threads, t.name)
	g.emit("%s[lid] = %s", name, g.expr(t, 1))
	g.emit("gpu.SyncThreads()")
	g.emit("%s := %s[%s]", v, name, pick(g, fmt.Sprintf("(lid*%d+%d)%%%d", g.r.IntN(9), g.r.IntN(32), g.threads), g.safeIndex(g.threads)))
	g.declare(v, t)
	g.emit("gpu.SyncThreads()")
}

// uniformLoop is a loop that all threads run equally often.
func (g *gen) uniformLoop() {
	trips := 1 + g.r.IntN(4)
	if g.cur.depth >= 3 || g.cur.cost+g.cur.trips*trips*8 > maxCost {
		g.warpCall()
		return
	}
	i := g.name("i")
	g.push()
	if g.chance(50) {
		g.open("for %s := range %d {", i, trips)
	} else {
		g.open("for %s := 0; %s < %d; %s++ {", i, i, trips, i)
	}
	g.counter(i, tInt, trips)
	g.cur.trips *= trips
	g.cur.depth++
	g.push()
	g.meetStmt()
	g.statements(1 + g.r.IntN(4))
	g.pop()
	g.cur.depth--
	g.cur.trips /= trips
	g.useAll()
	g.close("}")
	g.cur.scopes = g.cur.scopes[:len(g.cur.scopes)-1]
}

// uniformIf is a condition that is the same for all threads of a block.
func (g *gen) uniformIf() {
	if g.cur.depth >= 3 {
		g.warpCall()
		return
	}
	cond := pick(g, "gpu.BlockIdx.X == 0", "gpu.BlockIdx.X+gpu.BlockIdx.Y+gpu.BlockIdx.Z > 0", "gpu.GridDim.X > 1", "gpu.BlockDim.X != 64")
	whole, clustered, byBlock := g.cur.whole, g.cur.clustered, strings.Contains(cond, "BlockIdx")
	g.cur.whole, g.cur.clustered = whole && !byBlock, clustered && !byBlock
	g.open("if %s {", cond)
	g.cur.depth++
	g.push()
	g.meetStmt()
	g.statements(1 + g.r.IntN(3))
	g.pop()
	if g.chance(40) {
		g.close("} else {")
		g.indent++
		g.push()
		g.meetStmt()
		g.pop()
	}
	g.cur.whole, g.cur.clustered = whole, clustered
	g.cur.depth--
	g.close("}")
}
