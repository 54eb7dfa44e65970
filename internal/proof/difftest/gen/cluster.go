package gen

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/abi"
)

// clusterStmt is something that all threads of a cluster do together: they wait, or hand each other
// values through the shared memory of their blocks. Or it asks where in the cluster the block is.
func (g *gen) clusterStmt() {
	switch g.weighted(15, 20, 35, 30) {
	case 0:
		g.syncCluster()
	case 1:
		name := g.name("v")
		g.emit("%s := %s", name, pick(g, "gpu.BlockRank()", "gpu.ClusterSize()", "gpu.ClusterIdx.X", "gpu.ClusterDim.X", "gpu.BlockIdxInCluster.X"))
		g.declare(name, tInt)
	case 2:
		g.readOther()
	case 3:
		g.writeOther()
	}
}

// syncCluster is the cluster's barrier: one call, or two with a statement of the thread's own
// between them.
func (g *gen) syncCluster() {
	if g.chance(60) {
		g.emit("gpu.SyncCluster()")
		return
	}
	g.emit("gpu.ArriveCluster()")
	uniform := g.cur.uniform
	g.cur.uniform = false
	g.statements(g.r.IntN(2))
	g.cur.uniform = uniform
	g.emit("gpu.WaitCluster()")
}

// otherRank is the rank of a block of the cluster, another for each block.
func (g *gen) otherRank() string {
	return fmt.Sprintf("(gpu.BlockRank()+%d)%%gpu.ClusterSize()", g.r.IntN(4))
}

// readOther reads what a thread of another block has left.
func (g *gen) readOther() {
	t := g.exchanged()
	x, v := g.name("x"), g.name("v")
	g.emit("%s := gpu.Shared[[%d]%s]()", x, g.threads, t.name)
	g.emit("%s[lid] = %s", x, g.expr(t, 1))
	g.syncCluster()
	i := fmt.Sprintf("(lid*%d+%d)%%%d", g.r.IntN(9), g.r.IntN(32), g.threads)
	if g.chance(50) {
		g.emit("%s := *gpu.MapSharedRank(&%s[%s], %s)", v, x, i, g.otherRank())
	} else {
		g.emit("%s := gpu.MapSharedRank(%s, %s)[%s]", v, x, g.otherRank(), i)
	}
	g.declare(v, t)
	g.syncCluster()
}

// writeOther leaves a value with a thread of another block, or changes by an atomic what is there.
func (g *gen) writeOther() {
	t, atomic := g.exchanged(), g.chance(40)
	if atomic {
		t = pick(g, integers...)
	}
	x, v := g.name("x"), g.name("v")
	g.emit("%s := gpu.Shared[[%d]%s]()", x, g.threads, t.name)
	g.emit("%s[lid] = %s", x, g.expr(t, 1))
	g.syncCluster()
	other := fmt.Sprintf("gpu.MapSharedRank(%s, %s)[lid]", x, g.otherRank())
	if atomic {
		g.emit("gpu.Atomic%s(&%s, %s)", pick(g, "Add", "Sub", "Min", "Max", "Xor"), other, g.expr(t, 1))
	} else {
		g.emit("%s = %s", other, g.expr(t, 1))
	}
	g.syncCluster()
	g.emit("%s := %s[%s]", v, x, g.safeIndex(g.threads))
	g.declare(v, t)
	g.emit("gpu.SyncThreads()")
}

// mayCluster reports whether the kernel may have clusters.
func (g *gen) mayCluster() bool { return g.meet && !g.grid && g.has(abi.ClusterTarget) }
