package racecheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Mbarriers. An arrival releases. A test that passes acquires the arrivals of all phases that are
// over, and not those of the phase under way. A test that fails acquires nothing. Init and inval
// are plain writes, so whatever nothing orders after an init races with it. Arrivals and tests are
// atomic in the whole cluster. What a thread's arrival releases has the scope that it names.

// phases is the state of a syncVar that is an mbarrier.
type phases struct {
	start int // of the log, where the phase under way begins
	over  int // phases that are over
}

func isMbarrier(op string) bool {
	return len(op) > len("mbarrier.") && op[:len("mbarrier.")] == "mbarrier."
}

// mbarrierFlags are the flags of the access that an operation on an mbarrier is.
func mbarrierFlags(op string) accessFlags {
	switch op {
	case "mbarrier.init":
		return isWrite | isInit
	case "mbarrier.inval":
		return isWrite
	case "mbarrier.test_wait", "mbarrier.try_wait":
		return isAtomic | isStrong
	}
	return isAtomic | isStrong | isWrite
}

// mbarrierScope is the scope of an operation on an mbarrier. One that names none has the block's by
// the manual, and works for the cluster on all GPUs there are: only the pedantic want it named.
func (r *Check) mbarrierScope(e *event.Atomic) event.Scope {
	if e.Scope == event.CTA && !r.run.Pedantic && (e.Site.Instr == nil || !slices.Contains(e.Site.Instr.Mods, string(event.CTA))) {
		return event.Cluster
	}
	return e.Scope
}

// mbarrier looks at an operation on an mbarrier.
func (r *Check) mbarrier(st *blockState, e *event.Atomic, lanes uint32) {
	r.begin(st, &e.Warp, e.Space, e.Home, mbarrierFlags(e.Op), r.mbarrierScope(e), e.Size)
	c := &r.cur
	c.access, c.atomic = nil, e
	if c.record.flags&isWrite != 0 {
		c.rec = c.h.add(c.record)
	} else {
		c.rec = r.record(c)
	}
	c.wrote = c.rec
	for _, l := range e.Lanes {
		lane := int(l & 31)
		if lanes>>lane&1 == 0 {
			continue
		}
		c.addr = e.Addrs[lane]
		if c.record.flags&isWrite != 0 || c.ws.agent.tests(lane, c.rec, c.addr) {
			r.lane(lane)
		} else if e.Passed>>lane&1 == 0 {
			continue
		}
		key := key(c.home, e.Space, c.addr)
		switch e.Op {
		case "mbarrier.init":
			r.vars.put(&syncVar{key: key, phases: &phases{}})
			if r.async {
				r.cur.home.products.inits[uint32(c.addr)] = store{st, e.Thread(lane), r.now, e.Site}
			}
		case "mbarrier.inval":
			r.vars.remove(key)
		case "mbarrier.test_wait", "mbarrier.try_wait":
			r.test(st, e, lane, r.vars.at(key))
		default:
			r.arriveAt(st, e, lane, key)
		}
	}
}

// lastTest is the access that the last test of a lane was.
type lastTest struct {
	rec  uint32
	addr uint64
}

// tests notes a test of a lane. It says whether that is another access than the lane's last test,
// and not one more turn of a loop that waits.
func (a *agentState) tests(lane int, rec uint32, addr uint64) bool {
	if a.tested == nil {
		a.tested = new([abi.WarpSize]lastTest)
	}
	now := lastTest{rec, addr}
	again := a.tested[lane] == now
	a.tested[lane] = now
	return !again
}

// test lets a lane know of the phases that are over, if its test passed.
func (r *Check) test(st *blockState, e *event.Atomic, lane int, v *syncVar) {
	if v == nil || v.phases == nil || e.Passed>>lane&1 == 0 {
		return
	}
	t := st.thread(e.Thread(lane))
	a := acquired{v: v, to: v.phases.start, scope: r.cur.record.scope, acquires: true}
	known := 0
	for _, b := range slices.Concat(st.acquired, t.acquired) {
		if b.v == v {
			known = max(known, b.to)
		}
	}
	t.early = a.to <= known
	t.acquired = merge(t.acquired, a)
}

// arriveAt releases what a lane did, and ends the phase where its arrival was the last.
func (r *Check) arriveAt(st *blockState, e *event.Atomic, lane int, at varKey) {
	r.misplaced(st, e, lane, r.vars.at(at))
	if e.Agent != nil && e.Agent.Engine == event.BulkEngine {
		r.unfencedInit(st, e, lane)
	}
	switch {
	case e.Order != event.Release:
	case e.Agent != nil:
		a := &st.warps[e.Index].agent
		r.release(at, r.vars.at(at), a.arrived(st, e, lane, r.cur.record.scope), r.cur.record.scope)
	default:
		r.publish(st, e.Index, lane, at, r.vars.at(at), e.Order, r.cur.record.scope)
	}
	if v := r.vars.at(at); v != nil && v.phases != nil &&
		lanes.Mbarrier(e.Old[lane]).Phase() != lanes.Mbarrier(e.New[lane]).Phase() {
		v.phases.start = len(v.log)
		v.phases.over++
	}
}

// arrived makes the release of an agent's signal at an mbarrier. If the thread asked for an
// arrival, it releases what the thread had done up to then. Otherwise it releases the agent's own
// accesses alone.
func (a *agentState) arrived(st *blockState, e *event.Atomic, lane int, scope scopeRank) *release {
	number := e.Agent.Number
	list := a.arrivals[number]
	if list == nil {
		l := &release{
			block: int32(st.Linear), warp: int32(e.Index), lane: lane, scope: scope, copies: [2]uint64{number, number + 1},
			issued: a.issued[number],
		}
		delete(a.issued, number)
		return l
	}
	l := list[lane]
	if list[lane] = nil; *list == [abi.WarpSize]*release{} {
		delete(a.arrivals, number)
	}
	return l
}

// misplaced finds an arrival that nothing orders after the previous phase: in another order it
// would have counted in that phase. A copy that has arrived was issued before, so the knowledge of
// its thread counts for arrivals as well.
func (r *Check) misplaced(st *blockState, e *event.Atomic, lane int, v *syncVar) {
	if v == nil || v.phases == nil || v.phases.start == 0 || e.Order != event.Release {
		return
	}
	last := v.log[v.phases.start-1]
	if r.cur.h.old(ref(last.write << 5)) {
		return
	}
	rec := r.cur.h.record(last.write)
	before := entry{last.write, 1 << last.lane}
	if r.unordered(before, rec, lane) == 0 || r.ask(before, rec, lane, leniency{issue: true}) == 0 {
		return
	}
	r.cur.cause = report.PhasesMixed
	r.found(before, rec, lane, false)
	r.cur.cause = report.NoCause
}

// initOf says whether one of the two accesses of a race makes or ends an mbarrier.
func (r *Check) initOf(rec *record) bool {
	for _, site := range []int32{rec.site, r.cur.record.site} {
		if r.run.SiteAt(site).Does.Kind == ptx.Makes {
			return true
		}
	}
	return false
}

// wrongPhase says whether a thread of a race passed its last test of an mbarrier for a phase that
// it had seen end before.
func (r *Check) wrongPhase(e entry, rec *record, lane int) bool {
	early := func(rec *record, lane int) bool {
		t := r.cur.st.synced(int(rec.warp)*abi.WarpSize + lane)
		return t != nil && t.early && rec.flags&isWrite == 0
	}
	return rec.block == r.cur.record.block && (early(rec, tool.LaneOf(e.lanes)) || early(&r.cur.record, lane))
}
