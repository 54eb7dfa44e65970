package sim

import (
	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// cta is a thread block in flight (PTX calls it a cooperative thread array).
type cta struct {
	event.Block
	wk       *worker
	warps    []*warp
	order    []int // in which the warps take turns
	live     int   // threads that have not exited
	barriers [event.Barriers]barrier
	cluster  *cluster
	alone    cluster            // of the block only
	blocked  bool               // no thread of it can go on before its cluster meets
	atGrid   bool               // all its threads wait for the grid
	shared   *memory.Segment    // at its shared addresses
	window   *memory.Segment    // the same at its generic addresses
	mapped   [2]*memory.Segment // the same as other blocks of the cluster see it
	pool     registerPool
	crew     crew // of the engine
	fuel     int  // instructions until other blocks get a turn
	round    round
}

// status says how a block's turn ended.
type status uint8

const (
	finished    status = iota // all threads have exited
	yielded                   // its threads wait for others'
	interrupted               // its turn is over
	waiting                   // its threads wait for the grid
	parted                    // no thread can go on before the cluster meets
	stuck                     // no thread can go on
	stopped                   // the launch is over
)

// newCTA makes an empty block for a launch.
func (wk *worker) newCTA() *cta {
	r := wk.launch
	c := &cta{wk: wk, crew: crew{from: -1}, alone: cluster{ctas: make([]*cta, 1)}}
	c.Kernel, c.Dim = &r.entry.Kernel, r.Block
	c.Shared = r.entry.StaticShared + r.Shared
	threads := c.Threads()
	c.shared = memory.NewSegment(memory.SharedBase, int64(c.Shared))
	c.shared.Name = "shared memory"
	c.window = &memory.Segment{
		Base: memory.SharedWindow + memory.SharedBase, Size: c.shared.Size, P: c.shared.P, Mem: c.shared.Mem, Name: c.shared.Name,
	}
	c.Memory = c.shared.Mem
	for first := 0; first < threads; first += abi.WarpSize {
		w := &warp{cta: c, wk: wk, index: first / abi.WarpSize}
		w.exist = ^uint32(0)
		if n := threads - first; n < abi.WarpSize {
			w.exist = 1<<n - 1
		}
		c.warps = append(c.warps, w)
		c.order = append(c.order, w.index)
	}
	for i := range c.barriers {
		c.barriers[i].arrived = make([]uint32, len(c.warps))
	}
	if wk.order == Descending {
		for i := range c.order {
			c.order[i] = len(c.order) - 1 - i
		}
	}
	return c
}

// start makes the cta the linear-th block of the grid, in a cluster.
func (c *cta) start(linear int, of *cluster) {
	c.Linear, c.Grid, c.ClusterDim = linear, c.wk.launch.Grid, c.wk.launch.Cluster
	c.Index = event.Unflatten(linear, c.Grid)
	c.live, c.cluster, c.blocked, c.atGrid, c.round = c.Threads(), of, false, false, round{}
	c.forgetArrivals(&c.barriers[event.ClusterBarrier])
	if of.ctas[c.Rank()] = c; len(of.ctas) > 1 {
		c.place()
	}
	memory.Poison(c.shared.Mem)
	c.crew.skip, c.crew.missed = 0, 0
	c.enter()
	if c.wk.obs != nil {
		c.wk.obs.Observe(&event.BlockStart{Block: &c.Block})
	}
	c.fillPool()
	for _, w := range c.warps {
		w.start(c.wk.launch.entry.fn)
	}
}

// enter makes the cta the one whose shared memory the worker's instructions see.
func (c *cta) enter() {
	wk := c.wk
	for _, seg := range wk.borrowed {
		wk.segs[seg] = nowhere
	}
	wk.borrowed = wk.borrowed[:0]
	wk.segs[segShared], wk.segs[segWindow] = c.shared, c.window
}

// round is how far the warps of a block have come with taking a turn each.
type round struct {
	open      bool // some have taken theirs, and others not
	next      int  // of cta.order
	ran, spun bool // one ran; all that ran polled
}

// turn runs the warps one after the other until the block ends or others should run. A launch that
// was put back into a turn goes on with it.
func (c *cta) turn() status {
	c.enter()
	wk := c.wk
	if !c.round.open {
		c.fuel = wk.blockFuel()
	}
	for c.fuel > 0 || c.round.open {
		if !c.round.open {
			c.beginRound()
		}
		for c.round.next < len(c.order) {
			w := c.warps[c.order[c.round.next]]
			if c.round.next++; !w.runnable() {
				continue
			}
			c.takeTurn(w)
			if wk.launch.stopped() {
				return stopped
			}
			if wk.launch.Between != nil {
				wk.launch.Between()
			}
		}
		r := c.round
		c.round.open = false
		switch {
		case c.live == 0:
			c.leave()
			return finished
		case !r.ran && c.atGrid:
			return waiting
		case !r.ran && c.atCluster():
			c.blocked = true
			return parted
		case !r.ran:
			return stuck
		case r.spun:
			return yielded
		}
	}
	return interrupted
}

// beginRound begins a round of turns.
func (c *cta) beginRound() {
	if wk := c.wk; wk.order == Random {
		wk.random.Shuffle(len(c.order), func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
	}
	c.round = round{open: true, spun: true}
}

// takeTurn gives a warp its turn. The engine may run turns of the warps after it in the same call.
func (c *cta) takeTurn(w *warp) {
	wk, r := c.wk, &c.round
	r.ran = true
	wk.running = w
	w.turn(wk.turnFuel())
	for next := c.crew.next; next != nil; next = c.crew.next {
		c.crew.next = nil
		w, wk.running = next, next
		r.next = next.index + 1 // the order is ascending
		w.loop()
	}
	wk.running = nil
	instrs := w.instrs - w.begun
	c.fuel -= int(instrs)
	r.spun = r.spun && w.spinning && !w.progress && !wk.completed
	wk.account(w, instrs)
}

// exited counts threads that ended. Barriers need not wait for them any more.
func (c *cta) exited(n int) {
	c.live -= n
	for id := range c.barriers {
		if len(c.barriers[id].sites) > 0 {
			c.tryComplete(id)
		}
	}
	if len(c.barriers[event.ClusterBarrier].sites) == 0 { // else it has been looked at
		c.cluster.tryComplete()
	}
}
