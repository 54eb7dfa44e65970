package sim

import (
	"math/bits"
	"slices"
)

// How long something runs before something else gets a turn, in warp instructions.
const (
	turnFuel  = 1 << 16 // a warp, before the other warps of its block
	sliceFuel = 1 << 20 // a group, before the other ready groups of its warp; a poll ends it at once
	blockFuel = 1 << 24 // a block, before the other resident blocks; polling ends it at once
	// fewResident is how many blocks take turns in an order that lets them although they need not.
	fewResident = 4
	maxGrain    = 10 // the longest slice of a random order, as a power of 2
	maxPolls    = 4  // polls without progress that make a spin
)

// poll is called by an instruction by which a thread can wait for another one: a volatile, relaxed
// or acquire load at an address, an atomic that changed nothing there, nanosleep (at no address).
// After some of them in a row the running group lets others run.
func (w *warp) poll(addr uint64) {
	if !slices.Contains(w.polledAt[:], addr) {
		w.polledAt[w.nextPoll&3] = addr
		w.nextPoll++
		w.anew = true
	}
	if w.polls++; w.polls >= maxPolls && !w.polled {
		w.polled = true
		w.reserve, w.fuel = w.fuel, 0
	}
}

// advance is called by an instruction that changes what other threads can see.
func (w *warp) advance() {
	w.polls = 0
	w.progress = true
}

// next is called between blocks when there may be something to decide. It puts the running group
// back, joins it with groups at the same instruction, and chooses what runs now. False ends the
// turn.
func (w *warp) next() bool {
	w.save()
	if len(w.groups) > 1 {
		w.merge()
	}
	if w.polled {
		w.polled = false
		w.fuel = w.reserve
		if len(w.groups) > 0 {
			w.groups[w.cur].polled = true
		}
		w.polls, w.sticky = 0, false
		if !w.yield() {
			w.spinning = true
			return false
		}
		return true
	}
	if w.fuel <= 0 {
		return false
	}
	return w.pick()
}

// save writes the running group's state back. A group without lanes disappears.
func (w *warp) save() {
	g := &w.groups[w.cur]
	g.mask, g.at, g.fr, g.ran = w.mask, w.at, w.fr, w.instrs
	if g.mask == 0 {
		w.remove(w.cur)
	}
}

func (w *warp) remove(i int) {
	last := len(w.groups) - 1
	w.groups[i] = w.groups[last]
	w.groups = w.groups[:last]
	switch w.cur {
	case i:
		w.cur = 0
		w.sticky = false
	case last:
		w.cur = i
	}
}

// merge joins the running group with those at the same instruction. Lanes at a barrier have arrived
// already and stay apart.
func (w *warp) merge() {
	for i := 0; i < len(w.groups); i++ {
		g := &w.groups[w.cur]
		o := &w.groups[i]
		if i == w.cur || o.at != g.at || o.fr != g.fr || o.state == atBarrier || g.state == atBarrier {
			continue
		}
		g.mask |= o.mask
		g.state = ready // at a warp operation: look again whether all lanes are there
		g.polled = g.polled && o.polled
		w.remove(i)
		i--
	}
}

// pick chooses the group to run: the deepest call first, then the lowest block, so that lanes that
// went different ways meet again where their ways do. A group that had its slice while others were
// ready gives way to the one that waited longest.
func (w *warp) pick() bool {
	if len(w.groups) == 1 && w.groups[0].state == ready {
		w.sliceEnd = 0
		w.run(0)
		return true
	}
	if len(w.groups) == 0 {
		return false
	}
	if w.sliceEnd != 0 && w.instrs >= w.sliceEnd {
		w.sticky = false
		return w.yield()
	}
	if w.sticky && w.groups[w.cur].state == ready {
		w.run(w.cur)
		return true
	}
	best := -1
	for i := range w.groups {
		if w.groups[i].state == ready && (best < 0 || w.groups[i].before(&w.groups[best], w.way())) {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	if best != w.cur || w.sliceEnd == 0 {
		w.sliceEnd = w.instrs + sliceFuel
	}
	w.run(best)
	return true
}

// pickAny makes any ready group the running one for a short slice: in a random order lanes that
// part need not meet again soon.
func (w *warp) pickAny() {
	var list []int
	for i := range w.groups {
		if w.groups[i].state == ready {
			list = append(list, i)
		}
	}
	if len(list) > 1 {
		w.cur = list[w.wk.random.IntN(len(list))]
		w.sticky = true
		w.sliceEnd = w.instrs + uint64(w.wk.slice(6))
	}
}

// before is the order in which groups run when nothing else decides.
func (g *group) before(o *group, way int) bool {
	if g.fr.depth != o.fr.depth {
		return g.fr.depth > o.fr.depth
	}
	return g.at.order[way] < o.at.order[way]
}

// yield runs the ready group that has waited longest, of those that do not poll. When all poll, it
// clears the marks and says false.
func (w *warp) yield() bool {
	best := -1
	for i := range w.groups {
		g := &w.groups[i]
		if g.state == ready && !g.polled && (best < 0 || g.ran < w.groups[best].ran) {
			best = i
		}
	}
	if best < 0 {
		for i := range w.groups {
			w.groups[i].polled = false
		}
		return false
	}
	w.sticky = true
	w.sliceEnd = w.instrs + sliceFuel
	w.run(best)
	return true
}

// run makes a group the running one.
func (w *warp) run(i int) {
	g := &w.groups[i]
	w.cur = i
	w.mask, w.at, w.fr = g.mask, g.at, g.fr
	w.Base = g.fr.base
}

func popcount(m uint32) int { return bits.OnesCount32(m) }

// way is which of the two orders of basic blocks decides what runs first: a descending order takes
// the other side of a branch first.
func (w *warp) way() int {
	if (w.wk.order == Descending) != w.wk.launch.Flip {
		return 1
	}
	return 0
}
