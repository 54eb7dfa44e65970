package synccheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// A barrier misses threads that ended, unless they returned early. The control flow graph tells the
// two apart. The ways of most branches meet again. A thread that ended has come past that place, so
// it skipped what the others wait at. The ways of other branches meet only when the thread ends, as
// in "if i >= n { return }": these branches are a thread's trail. If the trail of a thread that
// ended parts from that of a waiting thread, and the thread did nothing else after that branch, it
// returned early. If the trails do not part, it skipped the barrier.
//
// All threads that live come to a barrier of the whole block. So trails begin anew there, and what
// was found of the threads that had ended stays.

// step is a branch of a trail.
type step struct {
	branch int32
	way    int32 // 1 for taken; the entry of an indexed branch
	busy   bool  // the thread accessed memory, or came to a barrier, since the step before
}

// sameWay says whether two threads went the same way at one branch.
func sameWay(x, y step) bool { return x.branch == y.branch && x.way == y.way }

// longestTrail bounds the steps of a trail: a loop without a barrier that may return from inside
// adds steps without end. Threads whose trails agree up to the bound get the benefit of the doubt.
const longestTrail = 1 << 10

// synchronizes says whether threads wait for others at an instruction, or others for them.
func synchronizes(does *ptx.Effects) bool { return does.Meets != ptx.NoMeeting }

// leadsOut says whether the ways of a branch meet only when the thread ends.
func (c *Check) leadsOut(at *event.Site, id int32) bool {
	for int(id) >= len(c.out) {
		c.out = append(c.out, unknown)
	}
	if c.out[id] == unknown {
		c.out[id] = meets
		switch at.Does.Kind {
		case ptx.Jumps, ptx.Switches, ptx.Returns, ptx.Exits:
			if _, ok := c.run.Flow(at.Func).Meet(at.Index); !ok {
				c.out[id] = endsOnly
			}
		}
	}
	return c.out[id] == endsOnly
}

// Where the ways of a branch meet.
const (
	unknown = iota
	meets
	endsOnly
)

// follow adds a branch to the trails of the lanes that run it.
func (c *Check) follow(w *warpState, id int32, e *event.Branch) {
	if !c.trails || !c.leadsOut(e.Site, id) {
		return
	}
	w.trails |= e.Mask
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		if len(w.trail[lane]) >= longestTrail {
			continue
		}
		way := int32(e.Entry)
		if e.Site.Does.Kind != ptx.Switches {
			way = int32(e.Taken >> lane & 1)
		}
		w.trail[lane] = append(w.trail[lane], step{id, way, w.active>>lane&1 != 0})
	}
	w.active &^= e.Mask
}

// restart begins the trails of the threads that came to a barrier of the whole block anew.
func (c *Check) restart(st *tool.Block, e *event.BarrierComplete) {
	if !c.trails {
		return
	}
	for i, lanes := range e.Arrived {
		c.warp(st, i).forgetTrails(lanes)
	}
}

// forgetTrails begins the trails of lanes anew.
func (w *warpState) forgetTrails(lanes uint32) {
	for m := lanes & w.trails; m != 0; m &= m - 1 {
		w.trail[tool.LaneOf(m)] = w.trail[tool.LaneOf(m)][:0]
	}
	w.trails &^= lanes
}

// skipped returns the threads among ended that did not merely return early.
func (c *Check) skipped(st *tool.Block, waiting, ended tool.Threads) tool.Threads {
	skipped := make(tool.Threads, st.Warps())
	var trails [][]step // of the threads that wait, each once
	for i, lanes := range ended {
		w := c.warp(st, i)
		for m := lanes &^ w.judged; m != 0; m &= m - 1 {
			if trails == nil {
				trails = c.trailsOf(st, waiting)
			}
			c.judge(trails, w, tool.LaneOf(m))
		}
		skipped[i] = lanes & w.skipped
	}
	return skipped
}

// trailsOf are the trails of threads, each once.
func (c *Check) trailsOf(st *tool.Block, set tool.Threads) (trails [][]step) {
	for i, lanes := range set {
		w := c.warp(st, i)
		for m := lanes; m != 0; m &= m - 1 {
			trail := w.trail[tool.LaneOf(m)]
			if !slices.ContainsFunc(trails, func(t []step) bool { return slices.EqualFunc(t, trail, sameWay) }) {
				trails = append(trails, trail)
			}
		}
	}
	return trails
}

// judge decides of a thread that has ended whether it skipped what others wait at.
func (c *Check) judge(trails [][]step, w *warpState, lane int) {
	mine := w.trail[lane]
	w.judged |= 1 << lane
	for _, t := range trails {
		n := 0
		for n < len(mine) && n < len(t) && sameWay(mine[n], t[n]) {
			n++
		}
		switch {
		case n == longestTrail:
		case n == len(t):
			w.skipped |= 1 << lane
			w.parted[lane] = nil
			return
		case n < len(mine):
			at := c.run.SiteAt(mine[n].branch)
			busy := w.active>>lane&1 != 0 ||
				slices.ContainsFunc(mine[n+1:], func(s step) bool { return s.busy })
			if busy || !c.run.Returns(at) {
				w.skipped |= 1 << lane
			}
			w.parted[lane] = at
		}
	}
}

// split finds the branch that parted threads that wait from one that ended. That is the branch at
// which the thread left them for the kernel's end. Otherwise it is the last branch above the
// barrier at which the thread and one of them went different ways, if the barrier is between the
// branch and the place where its ways meet.
func (c *Check) split(st *tool.Block, at *event.Site, waiting, ended tool.Threads) *event.Site {
	one, other := first(waiting), first(ended)
	for i, lanes := range other {
		w, lane := c.warp(st, i), tool.LaneOf(lanes)
		if lanes&w.judged != 0 && w.parted[lane] != nil {
			return w.parted[lane]
		}
	}
	var best *event.Site
	for i, site := range c.run.Sites() {
		if site.Instr == nil || !c.parts(st, i+1, one, other) || !c.run.Encloses(site, at) {
			continue
		}
		if best == nil || nearer(site, best, at) {
			best = site
		}
	}
	return best
}

// first is the first thread of a set.
func first(set tool.Threads) tool.Threads {
	one := make(tool.Threads, len(set))
	for i, lanes := range set {
		if lanes != 0 {
			one[i] = lanes & -lanes
			break
		}
	}
	return one
}

// nearer says whether a branch is nearer to an instruction than another: in its function, above it,
// and as late as can be.
func nearer(x, y, at *event.Site) bool {
	if (x.Func == at.Func) != (y.Func == at.Func) {
		return x.Func == at.Func
	}
	if x.Func == at.Func && (x.Index <= at.Index) != (y.Index <= at.Index) {
		return x.Index <= at.Index
	}
	return x.Index > y.Index
}

// parts says whether two sets of threads, each all the same way, went different ways at a branch.
func (c *Check) parts(st *tool.Block, id int, one, other tool.Threads) bool {
	x, ok := c.way(st, id, one)
	y, ok2 := c.way(st, id, other)
	return ok && ok2 && x != y
}

// way says which way a set of threads went at a branch, if they all went one way.
func (c *Check) way(st *tool.Block, id int, set tool.Threads) (taken, ok bool) {
	var yes, no bool
	for i, lanes := range set {
		if lanes == 0 {
			continue
		}
		w := c.warp(st, i)
		if id >= len(w.ran) || lanes&^w.ran[id] != 0 {
			return false, false
		}
		yes = yes || lanes&w.taken[id] != 0
		no = no || lanes&^w.taken[id] != 0
	}
	return yes, yes != no
}
