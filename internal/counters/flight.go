package counters

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/sim"
)

// flight is the asynchronous copies to shared memory that are under way: from the instruction that
// issues a copy to the wait for it. An agent of the simulator has a copy arrive at the last moment
// in the order that is counted, and so the arrival at an mbarrier stands for the wait there.
type flight struct {
	bytes map[*sim.Block]uint64 // under way to a block's shared memory
	bulk  map[issued]transfer   // that complete at an mbarrier
	warps map[warp]*groups      // that complete in groups, or with an arrival at an mbarrier
}

// warp is a warp of a block, and issued what its agent was told, by number.
type (
	warp struct {
		block *sim.Block
		index int
	}
	issued struct {
		warp
		number uint64
	}
)

// transfer is a copy in bulk: so many bytes to a block's shared memory.
type transfer struct {
	to    *sim.Block
	bytes uint64
}

// groups are the copies of a warp's lanes, and how many groups each lane has committed.
type groups struct {
	copies    []laneCopies
	committed [sim.WarpSize]uint64
}

// laneCopies are copies of so many bytes, one of each lane. group is the number of commits before.
type laneCopies struct {
	number uint64
	size   int
	lanes  uint32
	group  [sim.WarpSize]uint64
}

func newFlight() flight {
	return flight{map[*sim.Block]uint64{}, map[issued]transfer{}, map[warp]*groups{}}
}

func warpOf(w *sim.Warp) warp { return warp{w.Block, w.Index} }

// of is how many bytes are under way to a block's shared memory.
func (f *flight) of(b *sim.Block) uint64 {
	if len(f.bytes) == 0 {
		return 0
	}
	return f.bytes[b]
}

// start notes a copy, or a part of it, and gives the bytes that are under way with it.
func (f *flight) start(e *sim.Access) uint64 {
	bytes := uint64(bits.OnesCount32(e.Mask) * e.Size)
	f.bytes[e.Home] += bytes
	if e.Agent.Engine == sim.BulkEngine {
		key := issued{warpOf(&e.Warp), e.Agent.Number}
		f.bulk[key] = transfer{e.Home, f.bulk[key].bytes + bytes}
		return f.bytes[e.Home]
	}
	g := f.groupsOf(warpOf(&e.Warp))
	g.copies = append(g.copies, laneCopies{e.Agent.Number, e.Size, e.Mask, g.committed})
	return f.bytes[e.Home]
}

// groupsOf are the groups of a warp.
func (f *flight) groupsOf(w warp) *groups {
	g := f.warps[w]
	if g == nil {
		g = &groups{}
		f.warps[w] = g
	}
	return g
}

// told is for lanes that have committed a group of copies, or waited for some.
func (f *flight) told(e *sim.AgentOp) {
	if e.Engine != sim.CopyEngine {
		return
	}
	g := f.groupsOf(warpOf(&e.Warp))
	switch e.Kind {
	case sim.AgentCommit:
		for m := e.Mask; m != 0; m &= m - 1 {
			g.committed[bits.TrailingZeros32(m)]++
		}
	case sim.AgentWait:
		f.end(e.Block, g, e.Mask, func(c *laneCopies, lane int) bool {
			return c.group[lane]+uint64(e.Groups) < g.committed[lane]
		})
	}
}

// arrived is for an agent that arrives at an mbarrier: behind a copy in bulk, or behind all copies
// that the lanes have issued before.
func (f *flight) arrived(e *sim.Atomic) {
	w := warpOf(&e.Warp)
	if e.Agent.Engine == sim.CopyEngine {
		f.end(e.Block, f.groupsOf(w), e.Mask, func(c *laneCopies, _ int) bool { return c.number < e.Agent.Number })
		return
	}
	key := issued{w, e.Agent.Number}
	t := f.bulk[key]
	delete(f.bulk, key)
	f.bytes[t.to] -= t.bytes
}

// end takes the copies of lanes that are done out of the list.
func (f *flight) end(block *sim.Block, g *groups, lanes uint32, done func(c *laneCopies, lane int) bool) {
	left := g.copies[:0]
	for _, c := range g.copies {
		for m := c.lanes & lanes; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); done(&c, lane) {
				c.lanes &^= 1 << lane
				f.bytes[block] -= uint64(c.size)
			}
		}
		if c.lanes != 0 {
			left = append(left, c)
		}
	}
	g.copies = left
}

// ended forgets a block, and what nothing has waited for.
func (f *flight) ended(b *sim.Block) {
	delete(f.bytes, b)
	for w := range f.warps {
		if w.block == b {
			delete(f.warps, w)
		}
	}
	for key, t := range f.bulk {
		if t.to == b {
			delete(f.bulk, key)
		}
	}
}
