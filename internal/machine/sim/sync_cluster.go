package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// The barrier of a cluster is a barrier of each of its blocks, with the number ClusterBarrier, that
// completes for all of them at once: when every thread of the cluster that has not ended has
// arrived. A thread arrives, goes on, and waits for that later.

// arriveCluster is the end of a block that is barrier.cluster.arrive. A relaxed one hands nothing
// over.
func arriveCluster(relaxed bool) exec {
	return func(w *warp, in *inst) { w.arriveCluster(in, relaxed) }
}

func (w *warp) arriveCluster(in *inst, relaxed bool) {
	if twice := w.mask & w.owed; twice != 0 {
		w.wk.raise(w.fault(in, firstLane(twice), event.BadBarrier,
			"it arrives at the barrier of the cluster again, and has not waited for it since it arrived last"))
	}
	bar := &w.cta.barriers[event.ClusterBarrier]
	if !slices.Contains(bar.sites, in.site) {
		bar.sites = append(bar.sites, in.site)
	}
	bar.arrived[w.index] |= w.mask
	w.owed |= w.mask
	if w.wk.obs != nil {
		w.sendStepMask(in.site)
		w.wk.obs.Observe(&event.BarrierArrive{Warp: w.event(in.site, w.mask), ID: event.ClusterBarrier, Kind: event.BarrierNoWait, Relaxed: relaxed})
	}
	w.at = w.at.next
	w.advance()
	g := &w.groups[w.cur]
	g.mask, g.at, g.fr = w.mask, w.at, w.fr
	w.cta.cluster.tryComplete()
}

// waitCluster is the end of a block that is barrier.cluster.wait.
func waitCluster(w *warp, in *inst) {
	if stray := w.mask &^ w.owed; stray != 0 {
		w.wk.raise(w.fault(in, firstLane(stray), event.BadBarrier, "it waits for the barrier of the cluster, and has not arrived at it"))
		w.at = w.at.next
		return
	}
	if w.wk.obs != nil {
		w.sendStepMask(in.site)
	}
	waiting := w.mask & w.cta.barriers[event.ClusterBarrier].arrived[w.index]
	passing := w.mask &^ waiting
	if waiting == 0 {
		w.passCluster(in.site, passing)
		w.at = w.at.next
		return
	}
	if passing != 0 {
		w.passCluster(in.site, passing)
		w.split(passing, w.at.next)
	}
	g := &w.groups[w.cur]
	g.mask, g.at, g.fr = w.mask, w.at, w.fr
	g.state, g.barrier = atBarrier, event.ClusterBarrier
}

// passCluster lets lanes go on that have waited for the barrier.
func (w *warp) passCluster(at *event.Site, lanes uint32) {
	w.owed &^= lanes
	if w.wk.obs != nil {
		w.wk.obs.Observe(&event.ClusterPass{Warp: w.event(at, lanes)})
	}
}

// tryComplete completes the barrier when every thread has arrived that has not ended.
func (cl *cluster) tryComplete() {
	someone := false
	for _, c := range cl.ctas {
		if c == nil {
			continue
		}
		bar := &c.barriers[event.ClusterBarrier]
		someone = someone || len(bar.sites) > 0
		for i, w := range c.warps {
			if w.live&^bar.arrived[i] != 0 {
				return
			}
		}
	}
	if someone {
		cl.complete()
	}
}

// complete lets the threads go on that wait.
func (cl *cluster) complete() {
	var first *cta
	for _, c := range cl.ctas {
		if c == nil {
			continue
		}
		if bar := &c.barriers[event.ClusterBarrier]; c.wk.obs != nil && len(bar.sites) > 0 {
			c.sendComplete(event.ClusterBarrier, bar)
		}
		if first == nil {
			first = c
		}
	}
	if first.wk.obs != nil {
		first.wk.obs.Observe(&event.ClusterComplete{Blocks: cl.blocks()})
	}
	for _, c := range cl.ctas {
		if c != nil {
			c.forgetArrivals(&c.barriers[event.ClusterBarrier])
			c.blocked = false
			for _, w := range c.warps {
				w.releaseCluster()
			}
		}
	}
	first.wk.completed = true
}

// blocks are the blocks of the cluster that have not ended.
func (cl *cluster) blocks() (list []*event.Block) {
	for _, c := range cl.ctas {
		if c != nil {
			list = append(list, &c.Block)
		}
	}
	return list
}

// releaseCluster lets the groups of a warp go on that wait for the barrier.
func (w *warp) releaseCluster() {
	for i := range w.groups {
		g := &w.groups[i]
		if g.state != atBarrier || g.barrier != event.ClusterBarrier {
			continue
		}
		in := g.at.op
		w.passCluster(in.site, g.mask)
		g.state, g.at = ready, g.at.next
	}
}

// atCluster says whether threads of the block wait for its cluster.
func (c *cta) atCluster() bool {
	for _, w := range c.warps {
		for i := range w.groups {
			if g := &w.groups[i]; g.state == atBarrier && g.barrier == event.ClusterBarrier {
				return true
			}
		}
	}
	return false
}

// dead reports whether no block of the cluster can go on any more: the blocks that have not ended
// wait for the cluster, for the grid, or for threads of the block that never come.
func (cl *cluster) dead() bool {
	for _, c := range cl.ctas {
		if c != nil && !c.blocked && !c.atGrid {
			return false
		}
	}
	return true
}

// clusterDetail says who is at the barrier of the cluster, and which blocks lack threads.
func (cl *cluster) clusterDetail() string {
	here, all := 0, 0
	var missing []string
	for _, c := range cl.ctas {
		if c == nil {
			continue
		}
		n := 0
		for i, w := range c.warps {
			n += bits.OnesCount32(c.barriers[event.ClusterBarrier].arrived[i] & w.live)
		}
		if n < c.live {
			missing = append(missing, fmt.Sprintf("%d of block %s", c.live-n, event.Dims(c.Index)))
		}
		here += n
		all += c.live
	}
	return fmt.Sprintf("the barrier of the cluster has %d of the %d threads that have not finished, and lacks %s",
		here, all, strings.Join(missing, ", "))
}
