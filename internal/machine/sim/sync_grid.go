package sim

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// gridBarrier is where the threads of a launch meet that call abi.SyncGrid. In each block it is a
// barrier of all threads, those that have ended among them. The launch counts the blocks.
type gridBarrier struct {
	phase atomic.Uint64 // how often all blocks have met

	mu      sync.Mutex
	moved   sync.Cond // the phase, or a field below
	arrived int64     // blocks all of whose threads wait for the others
	idle    int       // workers that can do nothing in this phase any more
	gone    int       // workers whose blocks have all ended
	ending  bool      // a thread has failed: those that wait end
}

// reset prepares the barrier for another launch.
func (g *gridBarrier) reset() {
	g.phase.Store(0)
	g.arrived, g.idle, g.gone, g.ending = 0, 0, 0, false
}

// wake makes the workers that wait look at what has changed.
func (g *gridBarrier) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.moved.Broadcast()
}

// arrive counts a block.
func (g *gridBarrier) arrive(total int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.arrived++; g.arrived < total {
		return
	}
	g.arrived, g.idle = 0, 0
	g.phase.Add(1)
	g.moved.Broadcast()
}

// arriveGrid tells the launch when all threads of the block are there.
func (c *cta) arriveGrid(bar *barrier) {
	for i, w := range c.warps {
		if c.atGrid || bar.arrived[i] != w.exist {
			return
		}
	}
	c.atGrid = true
	c.wk.waiting++
	c.wk.launch.grid.arrive(c.wk.launch.total)
}

// passGrid lets the worker's blocks go on when all blocks have met.
func (wk *worker) passGrid() {
	phase := wk.launch.grid.phase.Load()
	if phase == wk.phase {
		return
	}
	wk.phase, wk.waiting = phase, 0
	for _, c := range wk.ctas {
		c.enter()
		c.complete(abi.BarrierOfGrid)
		c.atGrid = false
	}
	if wk.obs != nil {
		wk.obs.Observe(&event.GridComplete{})
	}
}

// awaitGrid waits for other workers when all blocks of this one wait for the grid. Where no worker
// can do anything else, blocks are missing that have ended.
func (wk *worker) awaitGrid() {
	r, g := wk.launch, &wk.launch.grid
	g.mu.Lock()
	if g.phase.Load() == wk.phase {
		g.idle++
	}
	for g.phase.Load() == wk.phase && !g.ending && !r.stopped() && g.idle+g.gone < len(r.workers) {
		g.moved.Wait()
	}
	dead := g.phase.Load() == wk.phase && !g.ending && !r.stopped()
	if dead && r.threadFailed() {
		g.ending, dead = true, false
		g.moved.Broadcast()
	}
	ending := g.ending
	g.mu.Unlock()
	switch {
	case ending:
		for _, c := range wk.ctas {
			c.endWaiting()
		}
	case dead:
		wk.gridStuck()
	}
}

// leaveGrid is the end of a worker.
func (wk *worker) leaveGrid() {
	g := &wk.launch.grid
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone++
	g.moved.Broadcast()
}

// gridStuck deals with blocks that wait for others that have ended.
func (wk *worker) gridStuck() {
	if !wk.keepGoing {
		wk.launch.fail(event.ErrDeadlock)
		return
	}
	err := wk.launch.whereabouts(event.ErrDeadlock).(*event.Stuck)
	wk.obs.Observe(err)
	if wk.first == nil {
		wk.first = err
	}
	for len(wk.ctas) > 0 {
		wk.drop(len(wk.ctas) - 1)
	}
	wk.waiting = 0
}

// threadFailed says whether a thread of the launch has failed a check of the kernel's own.
func (r *launch) threadFailed() bool {
	n := len(r.entry.Params)
	if n == 0 || r.entry.Params[n-1].Name != abi.FaultParam {
		return false
	}
	record := binary.LittleEndian.Uint64(r.Params[r.entry.Params[n-1].Offset:])
	word, err := r.m.Bytes(record+abi.FaultOffEnded, 4)
	return err == nil && binary.LittleEndian.Uint32(word) != 0
}

// endWaiting ends the threads of the block that wait for the grid, as the device does when a thread
// has failed. It reports whether there are any.
func (c *cta) endWaiting() (any bool) {
	c.enter()
	if c.atGrid {
		c.atGrid = false
		c.wk.waiting--
	}
	c.forgetArrivals(&c.barriers[abi.BarrierOfGrid])
	for _, w := range c.warps {
		for i := len(w.groups) - 1; i >= 0; i-- {
			if g := &w.groups[i]; g.state != atBarrier || g.barrier != abi.BarrierOfGrid {
				continue
			}
			w.run(i)
			w.groups[i].state = ready
			w.endAt(w.at.op.site, w.mask)
			w.save()
			any = true
		}
	}
	return any
}

// gridDetail says who is at the barrier of the grid.
func (c *cta) gridDetail() string {
	r := c.wk.launch
	r.grid.mu.Lock()
	defer r.grid.mu.Unlock()
	return fmt.Sprintf("it waits for all threads of the grid: of %d blocks, %d are here with all theirs",
		r.total, r.grid.arrived)
}
