package sim

import (
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

// An agent works asynchronously: a thread tells it what to do, and goes on. The result is an
// effect, which becomes visible at some moment between the instruction that issued it and the wait
// that needs it. A launch in ascending order takes the last moment, and a launch in descending
// order the first. A random order takes either. So a kernel that lacks a wait gives another result
// in one of them.
//
// The threads of a warp share one agent. It has a queue of effects in the order of issue. An effect
// is complete for a lane in one of two ways, and that is its last moment:
//
//	in a group      a wait of the lane for the group of the effect's engine
//	at an mbarrier  a test of the mbarrier that would fail without it
//
// An effect that nothing waits for never becomes visible, which is why a launch with a missing wait
// does not depend on luck.
//
// A new kind of instruction is a type with the method do. It is issued, told which lanes complete
// at an mbarrier (effect.completesAt), and sent.

// agent is the agent of a warp.
type agent struct {
	queue  []*effect                           // the effects that are not visible yet, in the order of issue
	issued uint64                              // effects so far
	group  [event.Engines][abi.WarpSize]uint64 // for each lane, the number of the group that its next effect belongs to
}

// effect is the work of an agent for the lanes of one instruction.
type effect struct {
	number uint64
	in     *inst
	engine event.Engine
	lanes  uint32               // the lanes for which it is not visible yet
	group  [abi.WarpSize]uint64 // of each lane, unless it completes at an mbarrier
	// at are the mbarriers at which it completes, one a lane or nil, and offsets are their
	// addresses in shared memory.
	at      *[abi.WarpSize]*lanes.Mbarrier
	offsets [abi.WarpSize]uint64
	home    *cta // the block whose shared memory has those mbarriers
	work    work
}

// work makes an effect visible.
type work interface {
	// do makes the effect visible for lanes of w, which issued it. The instruction that runs may be
	// another warp's. Work that completes at an mbarrier signals the mbarrier (warp.signal).
	do(w *warp, e *effect, lanes uint32)
}

// lasting is work that may outlive the threads that issued it: a bulk copy.
type lasting interface {
	work
	// read reads what is copied from shared memory, unless it has been read.
	read()
	// outlives reports whether the work is still to be done once the block that issued it has ended.
	outlives(b *cta) bool
	// lostWith reports whether the work writes to the shared memory of a block that has ended, and
	// for which lane.
	lostWith(left *cta) (lane int, lost bool)
}

// changing is work that changes before it is done.
type changing interface {
	// note returns a function that makes the work what it is now.
	note() func()
}

// maxEffects is how long an agent's queue may get. The oldest effect becomes visible when another
// comes.
const maxEffects = 1 << 10

// issue makes an effect of the running lanes, which completes in a group.
func (w *warp) issue(in *inst, engine event.Engine, do work) *effect {
	a := &w.agent
	a.issued++
	return &effect{number: a.issued, in: in, engine: engine, lanes: w.Exec, group: a.group[engine], home: w.cta, work: do}
}

// completesAt says that a lane's part of an effect completes at the mbarrier at p, whose address is
// offset in shared memory.
func (e *effect) completesAt(lane int, p *lanes.Mbarrier, offset uint64) {
	if e.at == nil {
		e.at = new([abi.WarpSize]*lanes.Mbarrier)
	}
	e.at[lane], e.offsets[lane] = p, offset
}

// send hands an effect to the agent, and has it done at once in an order that wants the first
// moment.
func (w *warp) send(e *effect) {
	a := &w.agent
	for len(a.queue) >= maxEffects {
		w.show(a.queue[0], a.queue[0].lanes)
		a.sweep()
	}
	a.queue = append(a.queue, e)
	w.cta.await(e, e.lanes, 1)
	if w.wk.agentsFirst() {
		w.show(e, e.lanes)
		a.sweep()
	}
	w.advance()
}

// agentsFirst says whether what an agent does next becomes visible at the first moment.
func (wk *worker) agentsFirst() bool {
	return wk.order == Descending || wk.order == Random && wk.random.IntN(2) == 0
}

// show makes lanes of an effect visible, after the effects that it must follow.
func (w *warp) show(e *effect, lanes uint32) {
	if lanes &= e.lanes; lanes == 0 {
		return
	}
	for _, c := range w.agent.queue {
		if c.number < e.number && e.behind(c) && c.lanes&lanes != 0 {
			w.perform(c, c.lanes&lanes)
		}
	}
	w.perform(e, lanes)
}

// behind reports whether an effect must follow an earlier one: an arrival follows copies, and a
// product follows products.
func (e *effect) behind(c *effect) bool {
	arrives := e.engine == event.CopyEngine && e.at != nil && c.at == nil
	return e.engine == c.engine && (arrives || e.engine == event.MatrixEngine)
}

func (w *warp) perform(e *effect, lanes uint32) {
	e.lanes &^= lanes
	w.cta.await(e, lanes, -1)
	e.work.do(w, e, lanes)
}

// sweep drops what is done from the queue.
func (a *agent) sweep() {
	a.queue = slices.DeleteFunc(a.queue, func(e *effect) bool { return e.lanes == 0 })
}

// forget drops what is still in flight when the block has ended.
func (a *agent) forget() {
	clear(a.queue)
	a.queue = a.queue[:0]
}

// deliver makes one effect visible that a test of the mbarrier at p waits for, if there is one.
func (c *cta) deliver(p *lanes.Mbarrier) bool {
	if c.cluster.awaited[p] == 0 {
		return false
	}
	for _, peer := range c.cluster.ctas {
		if peer != nil && peer.deliverOwn(p) {
			return true
		}
	}
	return false
}

// deliverOwn is deliver for what the block's own threads have issued.
func (c *cta) deliverOwn(p *lanes.Mbarrier) bool {
	for _, w := range c.warps {
		for _, e := range w.agent.queue {
			if lanes := e.completing(p); lanes != 0 {
				w.show(e, lanes)
				w.agent.sweep()
				return true
			}
		}
	}
	return false
}

// await counts what is still to complete at the mbarriers of an effect's lanes, by n.
func (c *cta) await(e *effect, of uint32, n int) {
	if e.at == nil {
		return
	}
	if c.cluster.awaited == nil {
		c.cluster.awaited = map[*lanes.Mbarrier]int{}
	}
	for m := of; m != 0; m &= m - 1 {
		if p := e.at[firstLane(m)]; p != nil {
			c.cluster.awaited[p] += n
		}
	}
}

// completing are the lanes of an effect that are still to complete at the mbarrier at p.
func (e *effect) completing(p *lanes.Mbarrier) (lanes uint32) {
	if e.at == nil {
		return 0
	}
	for m := e.lanes; m != 0; m &= m - 1 {
		if i := firstLane(m); e.at[i] == p {
			lanes |= 1 << i
		}
	}
	return lanes
}

// commit ends the groups of the running lanes, so that what they issue next is in others.
func (w *warp) commit(engine event.Engine) {
	for m := w.Exec; m != 0; m &= m - 1 {
		w.agent.group[engine][firstLane(m)]++
	}
}

// complete performs all groups of the running lanes except the last leave ones.
func (w *warp) complete(engine event.Engine, leave uint64) {
	w.completeBefore(engine, w.Exec, &w.agent.group[engine], leave)
}

// completeBefore performs for lanes the effects of all groups except the last leave ones. now is
// the number of groups that each lane has committed.
func (w *warp) completeBefore(engine event.Engine, lanes uint32, now *[abi.WarpSize]uint64, leave uint64) {
	for _, e := range w.agent.queue {
		if e.engine == engine && e.at == nil {
			w.show(e, e.before(lanes, now, leave))
		}
	}
	w.agent.sweep()
}

// before returns the lanes whose part of an effect is in none of the last groups.
func (e *effect) before(lanes uint32, now *[abi.WarpSize]uint64, leave uint64) (done uint32) {
	for m := lanes & e.lanes; m != 0; m &= m - 1 {
		if i := firstLane(m); e.group[i]+leave < now[i] {
			done |= 1 << i
		}
	}
	return done
}

// groupOp is a commit, or a wait for all groups but the last in.Imm.
type groupOp struct {
	engine event.Engine
	all    bool // wait_all, which commits first
	reads  bool // wait_group.read, which waits for the sources alone
}

// commit ends the group under way of the running lanes.
func (op groupOp) commit(w *warp, _ *inst) { w.commit(op.engine) }

// wait has the groups of the running lanes done that the instruction waits for.
func (op groupOp) wait(w *warp, in *inst) {
	if op.all {
		w.commit(op.engine)
	}
	if op.reads {
		w.readSources(op.engine, in.Imm)
	} else {
		w.complete(op.engine, in.Imm)
	}
	w.advance()
}

// watchCommit is commit for an observer.
func (op groupOp) watchCommit(w *warp, in *inst) {
	w.sendStep(in.site)
	op.commit(w, in)
	w.tellAgent(in, event.AgentOp{Kind: event.AgentCommit, Agent: event.Agent{Engine: op.engine}})
}

// watchWait is wait for an observer.
func (op groupOp) watchWait(w *warp, in *inst) {
	w.sendStep(in.site)
	by := event.Agent{Engine: op.engine}
	if op.all {
		w.tellAgent(in, event.AgentOp{Kind: event.AgentCommit, Agent: by})
	}
	op.wait(w, in)
	w.tellAgent(in, event.AgentOp{Kind: event.AgentWait, Agent: by, Groups: int(in.Imm), Reads: op.reads})
}

// tellAgent tells of an operation of the running lanes on their agent.
func (w *warp) tellAgent(in *inst, op event.AgentOp) {
	op.Warp = w.event(in.site, w.Exec)
	w.wk.obs.Observe(&op)
}

// leave is for a block whose threads have all ended. What its agents still have to do outside of it
// is done: copies to other blocks, and copies from what they have read. What others' agents still
// have to do in its shared memory is a fault.
func (c *cta) leave() {
	for _, w := range c.warps {
		for _, e := range w.agent.queue {
			if l, ok := e.work.(lasting); ok && l.outlives(c) {
				w.show(e, e.lanes)
			}
		}
		w.agent.sweep()
	}
	for _, peer := range c.cluster.ctas {
		if peer == nil || peer == c {
			continue
		}
		for _, w := range peer.warps {
			w.lost(c)
		}
	}
}

// lost raises a fault for each copy in flight to the shared memory of a block that has ended.
func (w *warp) lost(left *cta) {
	for _, e := range w.agent.queue {
		l, ok := e.work.(lasting)
		if !ok || e.lanes == 0 {
			continue
		}
		if lane, lost := l.lostWith(left); lost {
			e.lanes = 0
			w.wk.raise(w.fault(e.in, lane, event.NoPeer, left.noPeer(memory.PeerAddress(memory.SharedBase, left.Rank()))))
		}
	}
	w.agent.sweep()
}

// readSources makes the copies in all groups of the running lanes except the last leave ones read
// their sources in shared memory.
func (w *warp) readSources(engine event.Engine, leave uint64) {
	a := &w.agent
	for _, e := range a.queue {
		if l, ok := e.work.(lasting); ok && e.at == nil && e.before(w.Exec, &a.group[engine], leave) != 0 {
			l.read()
		}
	}
}
