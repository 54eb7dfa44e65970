package sim

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// stuckBlocks is how many blocks a Stuck error lists.
const stuckBlocks = 4

// stuck deals with a block whose threads wait for each other, and with its cluster.
func (wk *worker) stuck(c *cta) {
	err := &event.Stuck{Kernel: wk.launch.entry.Name, Cause: event.ErrDeadlock}
	for _, peer := range c.cluster.ctas {
		if peer == nil {
			continue
		}
		if len(err.Blocks) < stuckBlocks {
			err.Blocks = append(err.Blocks, peer.whereabouts())
		} else {
			err.More++
		}
	}
	if !wk.keepGoing {
		wk.launch.fail(err)
		return
	}
	wk.obs.Observe(err)
	if wk.first == nil {
		wk.first = err
	}
	for i := len(wk.ctas) - 1; i >= 0; i-- {
		if wk.ctas[i].cluster == c.cluster {
			wk.drop(i)
		}
	}
}

// whereabouts is the error of a launch that was ended from outside, with where its threads were.
func (r *launch) whereabouts(cause error) error {
	s := &event.Stuck{Kernel: r.entry.Name, Cause: cause}
	if errors.Is(cause, event.ErrTimeLimit) {
		s.Total = int(r.total)
	}
	for _, wk := range r.workers {
		s.Ended += wk.blocks
		for _, c := range wk.ctas {
			if len(s.Blocks) < stuckBlocks {
				s.Blocks = append(s.Blocks, c.whereabouts())
			} else {
				s.More++
			}
		}
	}
	return s
}

// whereabouts lists where the threads of the block are, those that do the same at one instruction
// together.
func (c *cta) whereabouts() event.StuckBlock {
	type key struct {
		state    event.WaitState
		site     *event.Site
		detail   string
		mbarrier uint64
	}
	var keys []key
	threads := map[key][]int{}
	note := func(k key, w *warp, lanes uint32) {
		if _, ok := threads[k]; !ok {
			keys = append(keys, k)
		}
		for m := lanes; m != 0; m &= m - 1 {
			threads[k] = append(threads[k], w.index*abi.WarpSize+bits.TrailingZeros32(m))
		}
	}
	for _, w := range c.warps {
		for i := range w.groups {
			g := &w.groups[i]
			k := key{site: g.at.firstSite()}
			k.state, k.detail = w.stateOf(g)
			rest := g.mask
			for m := rest; m != 0 && g.state == ready; m &= m - 1 {
				if t := w.waitsFor(firstLane(m)); t != nil {
					note(key{state: event.AtMbarrier, site: t.site, detail: t.detail(), mbarrier: t.offset()}, w, m&-m)
					rest &^= m & -m
				}
			}
			if rest != 0 {
				note(k, w, rest)
			}
		}
		for lane := range abi.WarpSize {
			if (w.exist&^w.live)>>lane&1 != 0 {
				note(key{state: event.HaveFinished, site: w.endOf(lane)}, w, 1<<lane)
			}
		}
	}
	b := event.StuckBlock{Block: c.Index}
	for _, k := range keys {
		list := threads[k]
		slices.Sort(list)
		b.Threads = append(b.Threads, event.StuckThreads{
			State: k.state, Site: k.site, Ranges: event.Ranges(list), Count: len(list), Detail: k.detail, Mbarrier: k.mbarrier,
		})
	}
	return b
}

// stateOf says what a group does, and if it waits, for whom.
func (w *warp) stateOf(g *group) (state event.WaitState, detail string) {
	switch g.state {
	case atBarrier:
		switch detail = w.cta.barrierDetail(int(g.barrier)); g.barrier {
		case abi.BarrierOfGrid:
			return event.AtGrid, detail
		case event.ClusterBarrier:
			return event.AtCluster, detail
		}
		return event.AtBarrier, detail
	case atSync:
		return event.AtWarpSync, w.syncDetail(g)
	case atRegisters:
		return event.AtRegisters, w.lackOfRegisters(g)
	case atProducts:
		return event.AtProducts, w.productDetail()
	}
	return event.Running, ""
}

func (c *cta) barrierDetail(id int) string {
	bar := &c.barriers[id]
	switch id {
	case abi.BarrierOfGrid:
		return c.gridDetail()
	case event.ClusterBarrier:
		return c.cluster.clusterDetail()
	}
	if bar.expected != 0 {
		return fmt.Sprintf("barrier %d has %d of %d threads", id, c.arrivals(bar), bar.expected)
	}
	n := 0
	for _, a := range bar.arrived {
		n += popcount(a)
	}
	return fmt.Sprintf("barrier %d has %d of the %d threads that have not finished", id, n, c.live)
}

func (w *warp) syncDetail(g *group) string {
	op := g.at.sync
	member := uint32(g.fr.get(code.Slot{Off: op.mask, Bits: 32}, bits.TrailingZeros32(g.mask)))
	var missing []int
	for m := member & w.live &^ g.mask; m != 0; m &= m - 1 {
		missing = append(missing, bits.TrailingZeros32(m))
	}
	return fmt.Sprintf("mask %#08x, lanes %s are not there", member, event.RangesText(event.Ranges(missing)))
}
