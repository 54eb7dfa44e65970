package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/native"
)

// This file has the teams of compiled code: the warps of a block that run one after the other in one
// call of machine code. A team runs the turns that cta.turn would give its warps, in the same order:
// a turn ends where the warp waits at a barrier of the block, or ends. The last warp to arrive goes
// on, since its turn is not over. Then come those that have waited longest.

// crew has the state of a block's team.
type crew struct {
	mates []native.Mate
	// resume is the block at which the warps are that have not arrived, and site the barrier at which
	// the others wait. Either may be nil.
	resume, site *bblock
	// next is the warp whose turn is under way after the engine has run turns of others, and from the
	// instruction of its block at which it goes on.
	next *warp
	from int
	// skip counts the calls in which no team forms, after as many calls in which one did not help.
	skip, missed int
}

// mostSkipped is how often a block at most does not try to form a team after it did not help.
const mostSkipped = 63

// form prepares a team that begins with w, which runs at most limit instructions before the machine
// looks. It returns false if the warps cannot run one after the other.
func (c *cta) form(w *warp, nc *native.Context) bool {
	nc.Team, nc.Series = native.Team{}, native.Series{}
	t := &c.crew
	if t.skip > 0 {
		t.skip--
		return false
	}
	if !c.mayForm(w) {
		return t.miss()
	}
	if t.mates == nil {
		t.mates = make([]native.Mate, len(c.warps))
	}
	if !c.enlist(w, nc) {
		return t.miss()
	}
	if m := t.resume; m != nil {
		nc.Resume = m.machine.kernel.Address(m.machine.entries[0])
	}
	if t.site != nil {
		nc.Site = uint32(t.site.machine.due)
	}
	c.lendGrid(nc)
	return true
}

// enlist makes mates of the warps that live, in the order in which they follow w. It returns false if
// one cannot be in the team.
func (c *cta) enlist(w *warp, nc *native.Context) bool {
	t := &c.crew
	t.resume, t.site = nil, nil
	prev, arrived, live := w, uint32(0), uint32(1)
	t.mates[w.index] = native.Mate{File: w.Base}
	for i := 1; i < len(c.warps); i++ {
		o := c.warps[(w.index+i)%len(c.warps)]
		m := &t.mates[o.index]
		*m = native.Mate{}
		if o.live == 0 {
			continue
		}
		if !o.simple() || !t.admits(&o.groups[0], arrived) {
			return false
		}
		if o.groups[0].state == atBarrier {
			arrived++
		}
		m.File = o.groups[0].fr.base
		t.mates[prev.index].Next = m
		prev = o
		live++
	}
	if !c.onlyAt(t.site) {
		return false
	}
	t.mates[prev.index].Next = &t.mates[w.index]
	nc.Team = native.Team{
		Mate: &t.mates[w.index], Prev: &t.mates[prev.index], Begin: -int64(w.instrs - w.begun),
		Count: live, Arrived: arrived, Moved: w.progress || c.wk.completed,
	}
	return true
}

// miss makes a block wait longer before it tries to form a team again.
func (t *crew) miss() bool {
	t.missed = min(2*t.missed+1, mostSkipped)
	t.skip = t.missed
	return false
}

// mayForm reports whether the launch and the running warp allow a team: nothing but the barriers of
// the block decides the order of its warps, and neither a budget nor the block's turn can end before
// the engine returns.
func (c *cta) mayForm(w *warp) bool {
	r := c.wk.launch
	if r.Interleave || len(c.cluster.ctas) > 1 || w.mask != whole || !w.simple() || w.polled || w.fuel <= 0 {
		return false
	}
	most := w.instrs - w.begun + 2*nativeLimit
	if r.Budget > 0 && (r.Budget < turnFuel || r.idle.Load()+most > r.Budget) {
		return false
	}
	return c.fuel > int(most)
}

// simple reports whether a warp can be in a team: it is one whole group in the kernel itself, and has
// nothing to do with asynchronous units and does not poll.
func (w *warp) simple() bool {
	return w.live == whole && len(w.groups) == 1 && w.groups[0].fr.depth == 0 && w.polls == 0 && w.owed == 0 &&
		w.products == 0 && len(w.setmaxes) == 0 && len(w.agent.queue) == 0 && w.tested == nil
}

// admits reports whether a warp that is not the running one can be in the team: it is where the
// others are that are ready, or at the barrier, after all warps that are ready.
func (t *crew) admits(g *group, arrived uint32) bool {
	switch {
	case g.state == ready && arrived == 0 && !g.polled:
		if t.resume == nil && g.at.machine != nil && g.at.machine.entry(0) {
			t.resume = g.at
		}
		return t.resume == g.at
	case g.state == atBarrier && g.at.barrier.plain:
		if t.site == nil && g.at.machine != nil && g.at.machine.due >= 0 {
			t.site = g.at
		}
		return t.site == g.at
	}
	return false
}

// onlyAt reports whether threads have arrived at no barrier but the one of a block, where whole warps
// wait.
func (c *cta) onlyAt(site *bblock) bool {
	for i := range c.barriers {
		bar := &c.barriers[i]
		if len(bar.sites) == 0 {
			continue
		}
		if site == nil || i != int(site.barrier.number) || len(bar.sites) > 1 || bar.expected != 0 || bar.again != 0 {
			return false
		}
	}
	return true
}

// disband brings the block's state to where machine code left it. It reports whether turns have
// ended. Then the turn of c.crew.next is under way, at instruction left.inst of left.b.
func (c *cta) disband(w *warp, nc *native.Context, m *machineCode, left place) bool {
	t, exits := &c.crew, m.exits
	if nc.Switches == 0 && nc.Resumed == 0 {
		t.miss()
		return false
	}
	t.missed = 0
	if nc.Series.Ended > 0 {
		c.follow(w, nc)
	}
	if nc.Resumed != 0 {
		if t.site != nil {
			c.forgetArrivals(&c.barriers[t.site.barrier.number])
		}
		t.resume = exits[nc.Resumed-1].b
	}
	t.site = nil
	if nc.Arrived > 0 {
		t.site = exits[nc.Site].b
	}
	if nc.Switches > 0 {
		c.accountTurns(w, nc)
		c.endMates(exits)
	}
	c.putBack(nc)
	if nc.Switches == 0 {
		return false
	}
	v := c.warpOf(nc.Mate)
	n := nc.Ran() - int(nc.Begin)
	v.begun = v.instrs
	v.fuel, v.spinning, v.sliceEnd = c.wk.turnFuel(), false, 0
	v.groups[0].state = ready
	v.run(0)
	v.ran(nc, n, m, left)
	t.next, t.from = v, left.inst
	// A turn that ended here did not end by polling. So the round polls if no turn of it has ended.
	c.round.spun = nc.Wrapped == nc.Switches
	return true
}

// warpOf is the warp of a mate.
func (c *cta) warpOf(m *native.Mate) *warp {
	base := uintptr(unsafe.Pointer(unsafe.SliceData(c.crew.mates)))
	return c.warps[(uintptr(unsafe.Pointer(m))-base)/unsafe.Sizeof(*m)]
}

// accountTurns accounts for the turns that ended, as worker.account does for one.
func (c *cta) accountTurns(w *warp, nc *native.Context) {
	wk := c.wk
	before := int64(w.instrs - w.begun)
	lost, _ := nc.Lost()
	wk.lanes += w.lanes - uint64(lost)
	w.lanes = 0
	sum := int64(0)
	for i := range c.crew.mates {
		n := c.crew.mates[i].Ran
		if n == 0 {
			continue
		}
		sum += n
		o := c.warps[i]
		if o == w {
			n -= before
		}
		o.instrs += uint64(n)
		o.spinning = false
		wk.lanes += uint64(n) * abi.WarpSize
	}
	wk.instrs += uint64(sum)
	c.fuel -= int(sum)
	if r := wk.launch; r.Budget > 0 {
		if nc.Progress != 0 {
			r.idle.Store(0)
		}
		r.polls.Store(0)
		r.idle.Add(uint64(nc.Idle))
	}
	w.progress, w.anew, wk.completed = false, false, false
}

// endMates ends the warps that have ended in machine code.
func (c *cta) endMates(exits []place) {
	ended := 0
	for i := range c.crew.mates {
		m := &c.crew.mates[i]
		if m.Ended == 0 {
			continue
		}
		o, site := c.warps[i], exits[m.Ended-1].b.op.site
		o.endedAt = site
		o.leave(o.groups[0].fr, whole, nil)
		o.mask, o.live, o.groups, o.cur, o.sticky = 0, 0, o.groups[:0], 0, false
		ended++
	}
	if ended > 0 {
		c.exited(ended * abi.WarpSize)
	}
}

// putBack gives the warps that do not run their state. Of the warps that follow the running one, the
// first are ready, and the last wait.
func (c *cta) putBack(nc *native.Context) {
	t := &c.crew
	var bar *barrier
	if t.site != nil {
		bar = &c.barriers[t.site.barrier.number]
		clear(bar.arrived)
		bar.expected, bar.and = 0, true
		bar.sites = append(bar.sites[:0], t.site.op.site)
	}
	readied := int(nc.Count) - 1 - int(nc.Arrived)
	for m := nc.Mate.Next; m != nc.Mate; m = m.Next {
		o := c.warpOf(m)
		g := &o.groups[0]
		*g = group{mask: whole, state: ready, polled: g.polled, at: t.resume, fr: g.fr, ran: o.instrs}
		if readied--; readied < 0 {
			g.state, g.barrier, g.at = atBarrier, t.site.barrier.number, t.site
			bar.arrived[o.index] = whole
		}
		o.sliceEnd = 0
	}
}
