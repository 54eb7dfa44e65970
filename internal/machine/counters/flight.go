package counters

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// Asynchronous copies to shared memory are under way from the instruction that issues them to the
// first wait that finds them there, by the clocks of the two warps.

// transfer is a copy to a block's shared memory. start is the clock of its warp when it was issued.
type transfer struct {
	site  *event.Site
	to    *block
	bytes uint64
	start uint64
}

// change is how the bytes under way to a block change at some time.
type change struct {
	clock uint64
	bytes int64
	site  *event.Site
}

// mostChanges bounds the changes of a block. Later copies do not count for the most bytes in flight
// at once.
const mostChanges = 1 << 20

// copying has the copies of a warp that are under way.
type copying struct {
	bulk      map[uint64]transfer  // copies that complete at an mbarrier, by number
	arrivals  map[uint64]uint64    // by number, the clock when an arrival that follows copies was asked for
	copies    []laneCopies         // copies that lanes wait for, in groups
	committed [abi.WarpSize]uint64 // the groups that each lane has committed
}

// laneCopies are copies of size bytes each, one for each of lanes. group is the number of groups
// that each lane had committed before.
type laneCopies struct {
	number uint64
	site   *event.Site
	start  uint64
	size   int
	lanes  uint32
	group  [abi.WarpSize]uint64
}

// start notes a copy to shared memory, or a part of it.
func (c *Counter) start(e *event.Access) {
	w := c.warp(&e.Warp)
	if e.Agent.Engine == event.CopyEngine {
		w.copies = append(w.copies, laneCopies{e.Agent.Number, e.Site, w.clock, e.Size, e.Mask, w.committed})
		return
	}
	if w.bulk == nil {
		w.bulk = map[uint64]transfer{}
	}
	t, begun := w.bulk[e.Agent.Number]
	if !begun {
		t = transfer{e.Site, c.block(e.Home), 0, w.clock}
	}
	t.bytes += uint64(bits.OnesCount32(e.Mask) * e.Size)
	w.bulk[e.Agent.Number] = t
}

// told handles lanes that have committed a group of copies, waited for some, or asked for an
// arrival that follows them.
func (c *Counter) told(e *event.AgentOp) {
	if e.Engine != event.CopyEngine {
		return
	}
	w := c.warp(&e.Warp)
	switch e.Kind {
	case event.AgentCommit:
		for m := e.Mask; m != 0; m &= m - 1 {
			w.committed[bits.TrailingZeros32(m)]++
		}
	case event.AgentArrive:
		if w.arrivals == nil {
			w.arrivals = map[uint64]uint64{}
		}
		w.arrivals[e.Agent.Number] = w.clock
	case event.AgentWait:
		for _, t := range w.done(c.block(e.Block), e.Mask, func(l *laneCopies, lane int) bool {
			return l.group[lane]+uint64(e.Groups) < w.committed[lane]
		}) {
			c.end(t, w.clock)
		}
	}
}

// arrived handles an agent that arrives at an mbarrier: after a bulk copy, or after all copies that
// the lanes have issued before. The next test will find that the copies have landed.
func (c *Counter) arrived(e *event.Atomic) {
	w := c.warp(&e.Warp)
	lane := bits.TrailingZeros32(e.Mask)
	if e.Agent.Engine == event.BulkEngine {
		t := w.bulk[e.Agent.Number]
		delete(w.bulk, e.Agent.Number)
		s := c.block(e.Home).mbarrier(e.Addrs[lane])
		s.clock = max(s.clock, t.start)
		s.landed = append(s.landed, t)
		return
	}
	asked := w.arrivals[e.Agent.Number]
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		s := c.block(e.Home).mbarrier(e.Addrs[lane])
		s.clock = max(s.clock, asked)
		s.landed = append(s.landed, w.done(c.block(e.Block), 1<<lane, func(l *laneCopies, _ int) bool {
			return l.number < e.Agent.Number
		})...)
	}
}

// done removes the copies of lanes for which is returns true from the warp's copies, and returns
// them.
func (w *warp) done(of *block, lanes uint32, is func(l *laneCopies, lane int) bool) (done []transfer) {
	for i := range w.copies {
		l := &w.copies[i]
		n := 0
		for m := l.lanes & lanes; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); is(l, lane) {
				l.lanes &^= 1 << lane
				n++
			}
		}
		if n > 0 {
			done = append(done, transfer{l.site, of, uint64(n * l.size), l.start})
		}
	}
	w.copies = slices.DeleteFunc(w.copies, func(l laneCopies) bool { return l.lanes == 0 })
	return done
}

// end counts a copy that a wait at some time has found.
func (c *Counter) end(t transfer, clock uint64) {
	clock = max(clock, t.start)
	c.at(t.site).FlightBytes += t.bytes * (clock - t.start)
	if len(t.to.changes) < mostChanges {
		t.to.changes = append(t.to.changes, change{t.start, int64(t.bytes), t.site}, change{clock, -int64(t.bytes), t.site})
	}
}

// most counts the most bytes that were under way to a block at once, at the copy that made it so.
func (c *Counter) most(b *block) {
	slices.SortStableFunc(b.changes, func(x, y change) int {
		return cmp.Or(cmp.Compare(x.clock, y.clock), cmp.Compare(x.bytes, y.bytes))
	})
	var now, most int64
	var site *event.Site
	for _, x := range b.changes {
		if now += x.bytes; now > most {
			most, site = now, x.site
		}
	}
	if site != nil {
		n := c.at(site)
		n.MostBytesInFlight = max(n.MostBytesInFlight, uint64(most))
	}
}
