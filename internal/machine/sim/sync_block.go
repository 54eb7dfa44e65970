package sim

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
)

// barrier is a named barrier of a block. It completes when as many threads have arrived as the
// instructions name. If they name no number, it completes when all threads of the block that have
// not exited have arrived: the GPU does not wait for exited threads either.
type barrier struct {
	expected int           // thread count of the first arrival; 0 for the whole block
	arrived  []uint32      // lanes of each warp
	again    int           // lanes that arrived a second time (bar.arrive)
	sites    []*event.Site // where, each once; empty when nobody has arrived
	popc     uint32        // reductions over the lanes
	and, or  bool
}

// barrierOp is a bar or barrier instruction.
type barrierOp struct {
	kind     event.BarrierKind
	id       uint32 // slot of the barrier's number
	count    uint32 // slot of the thread count
	hasCount bool
	own      bool          // abi.SyncGrid, which has a separate barrier
	red      code.Function // "" without a reduction
	pred     uint32        // slot of the predicate that is reduced
	// plain says that it is a bar.sync of the whole block at barrier number, which is a constant.
	plain  bool
	number uint8
}

// arriveWhole is run and next, in a shorter way, for a whole warp at a plain barrier: most turns end
// with one. done reports whether it was such a warp and barrier, and goesOn whether the warp was the
// last to arrive.
func (op *barrierOp) arriveWhole(w *warp, in *inst) (done, goesOn bool) {
	if !op.plain || w.mask != ^uint32(0) || w.polled {
		return false, false
	}
	c, g := w.cta, &w.groups[w.cur]
	bar := &c.barriers[op.number]
	switch {
	case len(bar.sites) == 0:
		bar.expected, bar.and = 0, true
		bar.sites = append(bar.sites, in.site)
	case bar.expected != 0 || bar.arrived[w.index] != 0 || bar.sites[0] != in.site:
		return false, false
	}
	bar.arrived[w.index] = w.mask
	if w.wk.obs != nil {
		w.sendArrive(in.site, int(op.number), op.kind, 0)
	}
	*g = group{mask: w.mask, state: atBarrier, polled: g.polled, barrier: op.number, at: w.at, fr: w.fr, ran: w.instrs}
	c.tryComplete(int(op.number))
	w.at = g.at
	if g.state != ready || w.fuel <= 0 {
		return true, false
	}
	w.sliceEnd = 0
	return true, true
}

// run is the end of a block that is a barrier instruction.
func (op *barrierOp) run(w *warp, in *inst) {
	id := w.uniform(op.id)
	expected := 0
	if op.hasCount {
		expected = int(w.uniform(op.count))
	}
	c := w.cta
	if detail := c.checkBarrier(id, op, expected); detail != "" {
		w.wk.raise(w.fault(in, bits.TrailingZeros32(w.mask), event.BadBarrier, detail))
		w.at = w.at.next
		return
	}
	bar := &c.barriers[id]
	if len(bar.sites) == 0 {
		bar.expected, bar.and = expected, true
	}
	if !slices.Contains(bar.sites, in.site) {
		bar.sites = append(bar.sites, in.site)
	}
	bar.again += popcount(bar.arrived[w.index] & w.mask)
	bar.arrived[w.index] |= w.mask
	if op.red != "" {
		p := *predicate(w, op.pred) & w.mask
		bar.popc += uint32(popcount(p))
		bar.and = bar.and && p == w.mask
		bar.or = bar.or || p != 0
	}
	if w.wk.obs != nil {
		w.sendArrive(in.site, int(id), op.kind, expected)
	}
	g := &w.groups[w.cur]
	g.mask, g.at, g.fr = w.mask, w.at, w.fr
	if op.kind == event.BarrierNoWait {
		g.at = w.at.next
	} else {
		g.state, g.barrier = atBarrier, uint8(id)
	}
	c.tryComplete(int(id))
	w.at = w.groups[w.cur].at
}

// uniform returns the value of a 32-bit slot in the running group. All lanes of the group must
// agree to go on together. Lanes that have another value than the first become another group.
func (w *warp) uniform(slot uint32) uint32 {
	r := reg[uint32](w, slot)
	v := r[bits.TrailingZeros32(w.mask)&31]
	if w.mask == ^uint32(0) && lanes.Consecutive(r, 0) { // the usual case
		return v
	}
	var other uint32
	for m := w.mask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m) & 31; r[i] != v {
			other |= 1 << i
		}
	}
	if other != 0 {
		w.split(other, w.at)
	}
	return v
}

// checkBarrier says what is wrong with an arrival, "" for nothing.
func (c *cta) checkBarrier(id uint32, op *barrierOp, expected int) string {
	if id >= abi.Barriers && !op.own {
		return fmt.Sprintf("there is no barrier %d, only 0 to %d", id, abi.Barriers-1)
	}
	if op.hasCount && (expected <= 0 || expected%abi.WarpSize != 0) {
		return fmt.Sprintf("barrier %d for %d threads, which is not a positive multiple of %d", id, expected, abi.WarpSize)
	}
	if most := len(c.warps) * abi.WarpSize; expected > most {
		return fmt.Sprintf("barrier %d for %d threads, the block has %d", id, expected, c.Threads())
	}
	if bar := &c.barriers[id]; len(bar.sites) > 0 && bar.expected != expected {
		return fmt.Sprintf("barrier %d for %s, but threads wait there for %s at %s", id, countText(expected),
			countText(bar.expected), bar.sites[0])
	}
	return ""
}

func countText(n int) string {
	if n == 0 {
		return "the whole block"
	}
	return fmt.Sprintf("%d threads", n)
}

// tryComplete completes a barrier when everybody is there.
func (c *cta) tryComplete(id int) {
	bar := &c.barriers[id]
	switch {
	case len(bar.sites) == 0:
		return
	case id == abi.BarrierOfGrid:
		c.arriveGrid(bar)
		return
	case id == event.ClusterBarrier:
		c.cluster.tryComplete()
		return
	}
	if bar.expected == 0 {
		for i := len(c.warps) - 1; i >= 0; i-- { // the last one comes last
			if c.warps[i].live&^bar.arrived[i] != 0 {
				return
			}
		}
	} else if c.arrivals(bar) < bar.expected {
		return
	}
	c.complete(id)
}

// complete lets the threads at a barrier go on.
func (c *cta) complete(id int) {
	bar := &c.barriers[id]
	if c.wk.obs != nil {
		c.sendComplete(id, bar)
	}
	for _, w := range c.warps {
		w.release(id, bar)
	}
	c.wk.completed = true
	c.forgetArrivals(bar)
}

// forgetArrivals makes a barrier one at which nobody has arrived.
func (c *cta) forgetArrivals(bar *barrier) {
	clear(bar.arrived)
	*bar = barrier{arrived: bar.arrived, sites: bar.sites[:0]}
}

// arrivals counts threads. A warp all of whose live threads have arrived counts as a whole one, as
// the manual has it.
func (c *cta) arrivals(bar *barrier) int {
	n := bar.again
	for i, w := range c.warps {
		switch a := bar.arrived[i]; {
		case a == 0:
		case w.live&^a == 0:
			n += abi.WarpSize
		default:
			n += popcount(a)
		}
	}
	return n
}

// release lets the groups that wait at a barrier go on, with the result of its reduction.
func (w *warp) release(id int, bar *barrier) {
	for i := range w.groups {
		g := &w.groups[i]
		if g.state != atBarrier || int(g.barrier) != id {
			continue
		}
		in, op := g.at.op, g.at.barrier
		base, exec := w.Base, w.Exec
		w.Base, w.Exec = g.fr.base, g.mask
		switch op.red {
		case code.FnPopc:
			d := reg[uint32](w, in.D)
			for m := g.mask; m != 0; m &= m - 1 {
				d[bits.TrailingZeros32(m)&31] = bar.popc
			}
		case code.FnAnd:
			w.SetPred(in.D, -lanes.Bit(bar.and))
		case code.FnOr:
			w.SetPred(in.D, -lanes.Bit(bar.or))
		}
		w.Base, w.Exec = base, exec
		g.state, g.at = ready, g.at.next
	}
}
