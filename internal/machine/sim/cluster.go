package sim

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// cluster is blocks that run together, on one worker, and see each other's shared memory. In a
// launch without clusters each block is its own cluster.
type cluster struct {
	ctas    []*cta                  // by rank; nil for a block that has ended
	live    int                     // blocks that have not ended
	awaited map[*lanes.Mbarrier]int // arrivals of agents still to become visible, by mbarrier
}

// checkCluster fills in the clusters of a launch and refuses those that a device would refuse.
func (m *Machine) checkCluster(e *Entry, l *Launch) error {
	lim := &m.cfg.Limits
	asked := l.Cluster != [3]int{}
	if !asked {
		l.Cluster = e.ReqCluster
	}
	if l.Cluster == ([3]int{}) {
		l.Cluster = [3]int{1, 1, 1}
	}
	for i, axis := range []string{"x", "y", "z"} {
		if want := e.ReqCluster[i]; want > 0 && l.Cluster[i] != want {
			return &LimitError{Kernel: e.Name, What: "cluster " + axis + " dimension", Got: int64(l.Cluster[i]), Limit: int64(want), Exact: true}
		}
		if l.Cluster[i] < 1 {
			return &LimitError{Kernel: e.Name, What: "cluster " + axis + " dimension", Got: int64(l.Cluster[i]), Limit: int64(lim.Cluster)}
		}
		if l.Grid[i]%l.Cluster[i] != 0 {
			return &LimitError{Kernel: e.Name, What: "grid " + axis + " dimension, which is whole clusters,", Got: int64(l.Grid[i]),
				Limit: int64(l.Grid[i] / l.Cluster[i] * l.Cluster[i])}
		}
	}
	if n := l.Cluster[0] * l.Cluster[1] * l.Cluster[2]; n > lim.Cluster {
		return &LimitError{Kernel: e.Name, What: "blocks of a cluster", Got: int64(n), Limit: int64(lim.Cluster)}
	}
	return nil
}

// member is the linear index of the block with a rank of the n-th cluster of the grid.
func (r *launch) member(n, rank int) int {
	var clusters [3]int
	for i := range clusters {
		clusters[i] = r.Grid[i] / r.Cluster[i]
	}
	at, in := event.Unflatten(n, clusters), event.Unflatten(rank, r.Cluster)
	for i := range at {
		at[i] = at[i]*r.Cluster[i] + in[i]
	}
	return at[0] + r.Grid[0]*(at[1]+r.Grid[1]*at[2])
}

// ranks lists the blocks of a cluster in the order in which they start.
func (wk *worker) ranks() []int {
	n := wk.launch.clusterSize()
	list := make([]int, n)
	for i := range list {
		list[i] = i
		if wk.order == Descending {
			list[i] = n - 1 - i
		}
	}
	if wk.order == Random {
		wk.random.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list
}

// at is the block of the cluster whose shared memory has an address, generic or not. It is nil if
// there is no such block, or if it has ended.
func (c *cta) at(addr uint64) *cta {
	if !memory.IsPeer(addr) || len(c.cluster.ctas) == 1 {
		return c
	}
	if rank := memory.RankOf(addr); rank < len(c.cluster.ctas) {
		return c.cluster.ctas[rank]
	}
	return nil
}

// reach is the same for an access, which may be of the own block's shared memory only.
func (w *warp) reach(op *memOp, addr uint64) *cta {
	c := w.cta.at(addr)
	if op.space == ptx.SharedSpace && !op.cluster && c != w.cta {
		return nil
	}
	return c
}

// home is the block whose shared memory an access reaches, or the own block if it reaches none.
func (w *warp) home(op *memOp, addr uint64) *event.Block {
	if c := w.reach(op, addr); c != nil {
		return &c.Block
	}
	return &w.cta.Block
}

// peer is the shared memory that has an address, for addresses with a rank. It is nil if the access
// cannot reach that memory. Window is 1 for generic addresses.
func (w *warp) peer(op *memOp, addr uint64, window int) *memory.Segment {
	if c := w.reach(op, addr); c != nil {
		return c.mapped[window]
	}
	return nil
}

// noPeer says what is wrong with an address in the shared memory of a block that is not there.
func (c *cta) noPeer(addr uint64) string {
	rank := memory.RankOf(addr)
	if n := c.ClusterSize(); rank >= n {
		return fmt.Sprintf("the address is in block %d of a cluster of %d", rank, n)
	}
	return fmt.Sprintf("the block with rank %d of the cluster has ended, and its shared memory with it", rank)
}

// place makes the addresses those at which the other blocks of the cluster see the block's shared
// memory.
func (c *cta) place() {
	rank := c.Rank()
	for i, of := range [2]*memory.Segment{c.shared, c.window} {
		c.mapped[i] = &memory.Segment{Base: memory.PeerAddress(of.Base, rank), Size: of.Size, P: of.P, Mem: of.Mem, Name: of.Name}
	}
}

// mapShared gives for each lane the address in another block of the cluster, by its rank, that
// corresponds to an address of the own shared memory, generic or not.
func mapShared(w *warp, in *inst) {
	ranks := reg[uint32](w, in.B)
	own := uint32(w.cta.Rank())
	at := func(addr uint64, rank uint32) uint64 {
		if rank == own {
			return memory.OwnAddress(addr)
		}
		return memory.PeerAddress(addr, int(min(rank, memory.Ranks-1)))
	}
	if in.wide {
		d, a := reg[uint64](w, in.D), reg[uint64](w, in.A)
		for m := w.Exec; m != 0; m &= m - 1 {
			i := firstLane(m)
			d[i] = at(a[i], ranks[i])
		}
		return
	}
	d, a := reg[uint32](w, in.D), reg[uint32](w, in.A)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		d[i] = uint32(at(uint64(a[i]), ranks[i]))
	}
}

// rankOfShared gives for each lane the rank of the block whose shared memory has an address.
func rankOfShared(w *warp, in *inst) {
	d, own := reg[uint32](w, in.D), uint32(w.cta.Rank())
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		addr := uint64(reg[uint32](w, in.A)[i])
		if in.wide {
			addr = reg[uint64](w, in.A)[i]
		}
		d[i] = own
		if memory.IsPeer(addr) {
			d[i] = uint32(memory.RankOf(addr))
		}
	}
}
