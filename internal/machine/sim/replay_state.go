package sim

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// A Moment has copies of a launch's worker, blocks, warps, frames and agents, and of the memory that
// they refer to. Each copy is restored into the same object, so that pointers to the object stay right.

// workerMoment is a launch's one worker.
type workerMoment struct {
	ctas, spare  []*cta
	turn         int
	within       bool
	source       rand.PCG
	first        error
	faults       int
	looks, sent  uint64
	spun         int
	phase        uint64
	waiting      int
	completed    bool
	instrs, lane uint64
	ended        int
	// The segments that accesses remember. In a random order an access that remembers the right one draws
	// no random number.
	segs     []*memory.Segment
	rows     []uintptr
	borrowed []uint32
}

func (t *workerMoment) note(wk *worker) {
	*t = workerMoment{
		ctas: slices.Clone(wk.ctas), spare: slices.Clone(wk.spare), turn: wk.turn, source: *wk.source, first: wk.first, faults: wk.faults,
		looks: wk.looks, sent: wk.sent, spun: wk.spun, phase: wk.phase, waiting: wk.waiting, completed: wk.completed,
		instrs: wk.instrs, lane: wk.lanes, ended: wk.blocks,
		segs: slices.Clone(wk.segs), rows: slices.Clone(wk.rows), borrowed: slices.Clone(wk.borrowed),
	}
	t.within = wk.turn < len(wk.ctas) && wk.ctas[wk.turn].round.open
}

func (t *workerMoment) restore(wk *worker) {
	wk.ctas, wk.spare = slices.Clone(t.ctas), slices.Clone(t.spare)
	wk.running = nil
	wk.turn, wk.within, *wk.source = t.turn, t.within, t.source
	wk.first, wk.faults, wk.looks, wk.sent, wk.spun = t.first, t.faults, t.looks, t.sent, t.spun
	wk.phase, wk.waiting, wk.completed = t.phase, t.waiting, t.completed
	wk.instrs, wk.lanes, wk.blocks = t.instrs, t.lane, t.ended
	clear(wk.frames) // some of them are in use again
	copy(wk.segs, t.segs)
	copy(wk.rows, t.rows)
	wk.borrowed = slices.Clone(t.borrowed)
}

// clusterMoment is a cluster in flight.
type clusterMoment struct {
	of      *cluster
	ctas    []*cta
	live    int
	awaited map[*lanes.Mbarrier]int
}

func noteCluster(c *cluster) clusterMoment {
	return clusterMoment{c, slices.Clone(c.ctas), c.live, maps.Clone(c.awaited)}
}

func (t *clusterMoment) restore() {
	copy(t.of.ctas, t.ctas)
	t.of.live, t.of.awaited = t.live, maps.Clone(t.awaited)
}

// blockMoment is a block in flight, or the context of one that has ended: the next block that gets it
// goes on with its order of warps and its numbers of effects.
type blockMoment struct {
	of       *cta
	was      cta
	order    []int
	barriers [event.Barriers]barrier
	shared   []byte
	warps    []warpMoment
}

func noteBlock(c *cta) blockMoment {
	t := noteContext(c)
	t.shared = bytes.Clone(c.shared.Mem)
	for i := range t.warps {
		t.warps[i].noteRunning()
	}
	return t
}

// noteContext is noteBlock of a block that has ended.
func noteContext(c *cta) blockMoment {
	t := blockMoment{of: c, was: *c, order: slices.Clone(c.order)}
	for i := range c.barriers {
		t.barriers[i] = cloneBarrier(&c.barriers[i])
	}
	for _, w := range c.warps {
		t.warps = append(t.warps, warpMoment{of: w, was: *w})
	}
	return t
}

func (t *blockMoment) restore() {
	c := t.of
	*c = t.was
	copy(c.order, t.order)
	for i := range c.barriers {
		c.barriers[i] = cloneBarrier(&t.barriers[i])
	}
	copy(c.shared.Mem, t.shared)
	for i := range t.warps {
		t.warps[i].restore()
	}
}

func cloneBarrier(b *barrier) barrier {
	clone := *b
	clone.arrived, clone.sites = slices.Clone(b.arrived), slices.Clone(b.sites)
	return clone
}

// warpMoment is a warp of a block in flight.
type warpMoment struct {
	of       *warp
	was      warp
	groups   []group
	effects  []effectMoment
	setmaxes []setmax
	tested   *[abi.WarpSize]failedTest
	local    []byte
	frames   []frameMoment
}

func (t *warpMoment) noteRunning() {
	w := t.of
	t.groups, t.setmaxes, t.local = slices.Clone(w.groups), slices.Clone(w.setmaxes), bytes.Clone(w.local.mem)
	if w.tested != nil {
		t.tested = new(*w.tested)
	}
	for _, e := range w.agent.queue {
		t.effects = append(t.effects, noteEffect(e))
	}
	seen := map[*frame]bool{}
	for i := range w.groups {
		for f := w.groups[i].fr; f != nil && !seen[f]; f = f.parent {
			seen[f] = true
			t.frames = append(t.frames, frameMoment{f, *f, slices.Clone(f.file), slices.Clone(f.calls)})
		}
	}
}

func (t *warpMoment) restore() {
	w := t.of
	*w = t.was
	w.groups, w.setmaxes = slices.Clone(t.groups), slices.Clone(t.setmaxes)
	if t.tested != nil {
		w.tested = new(*t.tested)
	}
	copy(w.local.mem, t.local)
	w.agent.queue = nil
	for i := range t.effects {
		w.agent.queue = append(w.agent.queue, t.effects[i].restore())
	}
	for i := range t.frames {
		t.frames[i].restore()
	}
}

// frameMoment is a call under way.
type frameMoment struct {
	of    *frame
	was   frame
	file  registerFile
	calls []*frame
}

func (t *frameMoment) restore() {
	*t.of = t.was
	copy(t.of.file, t.file)
	t.of.calls = slices.Clone(t.calls)
}

// effectMoment is an effect of an agent that is not visible yet.
type effectMoment struct {
	of      *effect
	was     effect
	restart func() // puts its work back; nil for work that nothing changes
}

func noteEffect(e *effect) effectMoment {
	t := effectMoment{of: e, was: *e}
	if c, ok := e.work.(changing); ok {
		t.restart = c.note()
	}
	return t
}

func (t *effectMoment) restore() *effect {
	*t.of = t.was
	if t.restart != nil {
		t.restart()
	}
	return t.of
}

// measure counts the bytes that the moment takes.
func (t *Moment) measure() {
	const object = 512 // about what the other parts of a warp or a frame take
	for i := range t.blocks {
		b := &t.blocks[i]
		t.state += len(b.shared)
		for j := range b.warps {
			w := &b.warps[j]
			t.state += object + len(w.local) + len(w.effects)*object
			for k := range w.frames {
				t.state += object + 8*len(w.frames[k].file)
			}
		}
	}
}
