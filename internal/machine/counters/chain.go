package counters

import (
	"math/bits"
	"strings"

	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// A warp's clock counts its instructions. If warps wait for each other, at a barrier or an
// mbarrier, all that waited go on with the latest clock. So a clock is the length of the longest
// dependency chain of instructions, and does not depend on the order in which the simulator runs
// warps. It is the only time that a profile knows.

// block is the state of a block under way.
type block struct {
	warps     []warp
	meetings  map[int]*meeting   // by the number of the barrier
	cluster   uint64             // the clock after the last barrier of the cluster
	mbarriers map[uint64]*signal // by their addresses in shared memory
	changes   []change
}

// warp is the state of a warp.
type warp struct {
	clock  uint64
	last   *event.Site // its last instruction, once it has ended
	failed bool        // whether its last test of an mbarrier failed
	tested uint64      // the clock at that test
	copying
}

// meeting is a barrier at which warps arrive: the latest clock, and the warps that wait.
type meeting struct {
	clock   uint64
	waiting []int
}

// signal is an mbarrier: the clock of the latest arrival, and the copies that have arrived and that
// no test has found yet.
type signal struct {
	clock  uint64
	landed []transfer
}

func newBlock() *block {
	return &block{meetings: map[int]*meeting{}, mbarriers: map[uint64]*signal{}}
}

// block returns the state of a block. Late events of a block that has ended go to a state that
// nobody looks at.
func (c *Counter) block(b *event.Block) *block {
	if b != c.current {
		c.current, c.state = b, c.blocks[b]
		if c.state == nil {
			c.state = newBlock()
		}
	}
	return c.state
}

// warp is the state of the warp of an event.
func (c *Counter) warp(e *event.Warp) *warp {
	b := c.block(e.Block)
	for len(b.warps) <= e.Index {
		b.warps = append(b.warps, warp{})
	}
	return &b.warps[e.Index]
}

func (b *block) meeting(id int) *meeting {
	m := b.meetings[id]
	if m == nil {
		m = &meeting{}
		b.meetings[id] = m
	}
	return m
}

func (b *block) mbarrier(at uint64) *signal {
	s := b.mbarriers[at]
	if s == nil {
		s = &signal{}
		b.mbarriers[at] = s
	}
	return s
}

// arrive is for lanes that reach a barrier.
func (c *Counter) arrive(e *event.BarrierArrive) {
	m := c.block(e.Block).meeting(e.ID)
	m.clock = max(m.clock, c.warp(&e.Warp).clock)
	if e.Kind != event.BarrierNoWait {
		c.at(e.Site).BarrierWaits++
		m.waiting = append(m.waiting, e.Index)
	}
}

// complete lets the warps go on that wait at a barrier. The cluster's is complete when all blocks'
// are.
func (c *Counter) complete(e *event.BarrierComplete) {
	b := c.block(e.Block)
	m := b.meeting(e.ID)
	for _, i := range m.waiting {
		b.warps[i].clock = max(b.warps[i].clock, m.clock)
	}
	if e.ID != event.ClusterBarrier {
		delete(b.meetings, e.ID)
	}
}

func (c *Counter) completeCluster(e *event.ClusterComplete) {
	var clock uint64
	for _, peer := range e.Blocks {
		clock = max(clock, c.block(peer).meeting(event.ClusterBarrier).clock)
	}
	for _, peer := range e.Blocks {
		b := c.block(peer)
		b.cluster = clock
		delete(b.meetings, event.ClusterBarrier)
	}
}

func (c *Counter) passCluster(e *event.ClusterPass) {
	w := c.warp(&e.Warp)
	w.clock = max(w.clock, c.block(e.Block).cluster)
}

// mbarrier is for lanes that do something with an mbarrier: they arrive, or a test of theirs has
// found that a phase is over, with all copies that have arrived.
func (c *Counter) mbarrier(e *event.Atomic) {
	w := c.warp(&e.Warp)
	if !strings.HasSuffix(e.Op, "_wait") {
		for m := e.Mask; m != 0; m &= m - 1 {
			s := c.block(e.Home).mbarrier(e.Addrs[bits.TrailingZeros32(m)])
			s.clock = max(s.clock, w.clock)
		}
		return
	}
	if w.failed { // the instructions between two failed tests are waiting
		w.clock = w.tested
	}
	if w.failed, w.tested = e.Passed == 0, w.clock; w.failed {
		return
	}
	for m := e.Passed; m != 0; m &= m - 1 {
		s := c.block(e.Home).mbarrier(e.Addrs[bits.TrailingZeros32(m)])
		w.clock = max(w.clock, s.clock)
		for _, t := range s.landed {
			c.end(t, w.clock)
		}
		s.landed = s.landed[:0]
	}
}

// ended is for a block whose threads have all ended.
func (c *Counter) ended(of *event.Block) {
	b := c.block(of)
	var longest warp
	for _, w := range b.warps {
		if w.last != nil && w.clock > longest.clock {
			longest = w
		}
	}
	if longest.last != nil {
		c.at(longest.last).ChainInstructions += longest.clock
	}
	c.most(b)
	delete(c.blocks, of)
	c.current, c.state = nil, nil
}
