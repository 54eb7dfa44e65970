package sim

import "unsafe"

// An agent works behind the backs of the threads: a thread tells it what to do, and goes on. What it
// does is an effect, and becomes visible at some moment between the instruction that issued it and
// the wait that needs it. A launch in ascending order takes the last moment and one in descending
// order the first; a random order takes either. So a kernel that lacks a wait gives another result
// in one of them.
//
// The threads of a warp share one agent. It has a queue of effects in the order of issue, and each
// kind of effect has its own rule for the last moment:
//
//	copy      a wait of its thread for the copy's group, or before an arrival behind it
//	arrival   a test of the mbarrier that would fail without it
//
// A copy that nothing waits for never becomes visible, which is why a launch with a missing wait
// does not depend on luck.

// Agent says of an event that an agent did it, on behalf of the threads of the event.
type Agent struct {
	// Number counts what the warp has issued, from 1.
	Number uint64
}

// AgentOpKind is what a thread has to do with its agent.
type AgentOpKind string

// The kinds of operation on an agent.
const (
	AgentCommit AgentOpKind = "commit" // the copies issued since the last commit become a group
	AgentWait   AgentOpKind = "wait"   // for all groups but the last few
	// AgentArrive asks for an arrival at an mbarrier behind the copies issued so far. The arrival
	// itself is an Atomic with the same number.
	AgentArrive AgentOpKind = "arrive"
)

// AgentOp is lanes that tell their agent something, or have waited for it. Copies are told of by
// their accesses, when they are issued.
type AgentOp struct {
	Warp
	Agent
	Kind   AgentOpKind
	Groups int // of a wait: how many groups it leaves in flight
}

// agent is the agent of a warp.
type agent struct {
	queue  []*effect // what is still to become visible, in the order of issue
	spare  []*effect
	issued uint64           // effects so far
	group  [WarpSize]uint64 // of each lane: the group that its next copy belongs to
}

// effect is what an agent does for the lanes of one instruction.
type effect struct {
	number uint64
	in     *inst
	lanes  uint32 // for which it is still to become visible
	group  [WarpSize]uint64
	to     [WarpSize]unsafe.Pointer
	from   [WarpSize]unsafe.Pointer // nil for an arrival
	size   [WarpSize]uint8          // bytes that a copy reads
	addrs  [WarpSize]uint64         // of an arrival, as offsets in shared memory
	arrive bool
}

// maxEffects is how long an agent's queue may get. The oldest effect becomes visible when another
// comes.
const maxEffects = 1 << 10

// issue makes an effect of the running lanes.
func (w *warp) issue(in *inst) *effect {
	a := &w.agent
	var e *effect
	if n := len(a.spare); n > 0 {
		e, a.spare = a.spare[n-1], a.spare[:n-1]
		*e = effect{}
	} else {
		e = &effect{}
	}
	a.issued++
	e.number, e.in, e.lanes, e.group = a.issued, in, w.Exec, a.group
	return e
}

// send hands an effect to the agent, and has it done at once in an order that wants the first moment.
func (w *warp) send(e *effect) {
	a := &w.agent
	for len(a.queue) >= maxEffects {
		w.show(a.queue[0], a.queue[0].lanes)
		a.sweep()
	}
	a.queue = append(a.queue, e)
	if e.arrive {
		w.cta.await(e, 1)
	}
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

// show makes lanes of an effect visible.
func (w *warp) show(e *effect, lanes uint32) {
	lanes &= e.lanes
	if !e.arrive {
		e.copy(lanes)
		return
	}
	for _, c := range w.agent.queue { // what the arrival follows
		if c.number < e.number && !c.arrive {
			c.copy(lanes)
		}
	}
	w.cta.await(e, -1)
	e.lanes &^= lanes
	w.cta.await(e, 1)
	w.arrived(e, lanes)
}

// sweep drops what is done from the queue.
func (a *agent) sweep() {
	keep := a.queue[:0]
	for _, e := range a.queue {
		if e.lanes != 0 {
			keep = append(keep, e)
		} else {
			a.spare = append(a.spare, e)
		}
	}
	a.queue = keep
}

// forget drops what is still in flight when the block has ended.
func (a *agent) forget() {
	for _, e := range a.queue {
		e.lanes = 0
	}
	a.sweep()
}

// deliver makes one effect visible that a test of the mbarrier at p waits for, if there is one.
func (c *cta) deliver(p unsafe.Pointer) bool {
	if c.awaited[p] == 0 {
		return false
	}
	for _, w := range c.warps {
		for _, e := range w.agent.queue {
			if !e.arrive {
				continue
			}
			if lanes := e.at(p); lanes != 0 {
				w.show(e, lanes)
				w.agent.sweep()
				return true
			}
		}
	}
	return false
}

// await counts the arrivals of an effect that are still to become visible, by n.
func (c *cta) await(e *effect, n int) {
	if c.awaited == nil {
		c.awaited = map[unsafe.Pointer]int{}
	}
	for m := e.lanes; m != 0; m &= m - 1 {
		c.awaited[e.to[firstLane(m)]] += n
	}
}

// at are the lanes of an effect that go to p.
func (e *effect) at(p unsafe.Pointer) (lanes uint32) {
	for m := e.lanes; m != 0; m &= m - 1 {
		if i := firstLane(m); e.to[i] == p {
			lanes |= 1 << i
		}
	}
	return lanes
}
