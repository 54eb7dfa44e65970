package racecheck

import (
	"iter"
	"math/bits"
	"sort"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Copies by agents. The agent of a thread makes a copy's accesses. They are ordered after all that
// the thread did before it issued the copy. They are ordered before nothing until the copy has
// arrived for somebody. It arrives for its own thread at the thread's wait, and from then on counts
// as an access that the thread made at that wait. It also arrives for every thread that waits at an
// mbarrier for an arrival that follows the copy.
//
// So an agent has its own clock: the time of a copy is in history.copies, and not in its record.

// copyRecord has what a record cannot say of a copy.
type copyRecord struct {
	rec    uint32
	done   uint32                // the record of the wait of all its lanes; 0 while some have not waited
	lanes  *[abi.WarpSize]uint32 // the same for each lane, if they differ
	number uint64                // the copy's number among the copies of its warp
	warp   bool                  // it is a product's read, which the warp makes and waits for as a whole
	group  uint32                // the product's group, by number among the groups of its warp
}

// copyOf finds the copyRecord of a record.
func (h *history) copyOf(rec uint32) *copyRecord {
	i := sort.Search(len(h.copies), func(i int) bool { return h.copies[i].rec >= rec })
	return &h.copies[i]
}

// addCopy adds a record of a copy that is in a group, and returns its index in h.copies.
func (h *history) addCopy(r record, by *event.Agent, group uint32) int {
	n := h.add(r)
	if last := len(h.copies) - 1; last >= 0 && h.copies[last].rec == n { // the history is full
		return last
	}
	h.copies = append(h.copies, copyRecord{rec: n, number: by.Number, warp: by.Engine == event.MatrixEngine, group: group})
	return len(h.copies) - 1
}

// doneAt is the record of the wait of a lane, 0 for none.
func (c *copyRecord) doneAt(lane int) uint32 {
	if c.lanes != nil {
		return c.lanes[lane]
	}
	return c.done
}

// waited notes that lanes have waited for the copy, which is all of them or not.
func (c *copyRecord) waited(lanes uint32, all bool, at uint32) {
	if all && c.lanes == nil {
		c.done = at
		return
	}
	if c.lanes == nil {
		c.lanes = new([abi.WarpSize]uint32)
	}
	for m := lanes; m != 0; m &= m - 1 {
		c.lanes[tool.LaneOf(m)] = at
	}
}

// flight is a copy that not all of its threads have waited for.
type flight struct {
	event.Agent
	all     uint32               // the copy's lanes
	lanes   uint32               // the lanes that have not waited for it
	tracked uint32               // the lanes that asked for an arrival after it
	passed  uint32               // the lanes that have waited for other copies since
	group   [abi.WarpSize]uint32 // of each lane, of its engine
	at      [2]int               // its record among the copies of each history; -1 for none
	read    uint32               // of a bulk copy from shared memory: the lanes that know that it has been read
	record  record               // of what it does to shared memory
	size    uint64               // of each access there
	places  []place              // of those accesses
}

// place is where a lane's part of a copy accesses shared memory.
type place struct {
	lane int
	at   uint32
}

// agentState is racecheck's knowledge of the agent of a warp.
type agentState struct {
	flights  []*flight
	groups   [event.Engines][abi.WarpSize]uint32 // that each lane has committed
	arrivals map[uint64]*[abi.WarpSize]*release
	issued   map[uint64]*release // what threads knew when they issued bulk copies that complete at mbarriers
	tested   *[abi.WarpSize]lastTest
	left     map[*event.Site]bool // copies in flight when a thread ended, that are reported
	products []productWait        // the waits for products since the last block barrier
}

// productWait is a wait for the products of the first groups groups of the warp.
type productWait struct{ groups, rec uint32 }

// maxFlights is the most copies of a warp that are followed while nothing waits for them. Older
// ones are forgotten at the next block barrier.
const maxFlights = 1 << 12

// copies looks at one of the two accesses of a copy.
func (r *Check) copies(st *blockState, e *event.Access, lanes uint32) {
	flags := isCopy
	if e.Kind == event.Store {
		flags |= isWrite
	}
	if e.Reduces { // reductions take turns with each other and with atomics
		flags |= isAtomic | isStrong
	}
	r.begin(st, &e.Warp, e.Space, e.Home, flags, e.Scope, e.Size)
	c := &r.cur
	c.access, c.atomic = e, nil
	f := c.ws.agent.flight(e, flags&isWrite)
	if e.Agent.AtMbarrier && c.ws.agent.issued[e.Agent.Number] == nil {
		r.issue(st, e)
	}
	if f.at[c.h.which] < 0 {
		f.at[c.h.which] = c.h.addCopy(c.record, e.Agent, f.group[0])
	}
	c.rec = c.h.copies[f.at[c.h.which]].rec
	c.wrote = c.rec
	r.accessed(e, lanes)
	if e.Space != ptx.SharedSpace {
		return
	}
	f.record, f.size = c.record, uint64(e.Size)
	f.all |= lanes
	f.lanes |= lanes
	if e.Agent.AtMbarrier {
		f.tracked |= lanes
	}
	for m := lanes; m != 0; m &= m - 1 {
		f.places = append(f.places, place{tool.LaneOf(m), uint32(e.Addrs[tool.LaneOf(m)])})
	}
}

// issue notes what the thread of a copy that completes at an mbarrier knows when it issues it.
func (r *Check) issue(st *blockState, e *event.Access) {
	a := &st.warps[e.Index].agent
	if a.issued == nil {
		a.issued = map[uint64]*release{}
	}
	a.issued[e.Agent.Number] = r.snapshot(st, e.Index, tool.LaneOf(e.Mask), wideScope)
	r.renew(st, &st.warps[e.Index])
}

// flight is the copy that an access belongs to, which is its warp's last or a new one. A copy from
// shared memory to shared memory is two: what it reads, and what it writes.
func (a *agentState) flight(e *event.Access, write accessFlags) *flight {
	for n := len(a.flights); n > 0 && n > len(a.flights)-2 && a.flights[n-1].Number == e.Agent.Number; n-- {
		f := a.flights[n-1]
		if e.Space != ptx.SharedSpace || f.all == 0 || f.record.flags&isWrite == write {
			return f
		}
	}
	if len(a.flights) >= maxFlights {
		a.flights = append(a.flights[:0], a.flights[1:]...)
	}
	f := &flight{Agent: *e.Agent, group: a.groups[e.Agent.Engine], at: [2]int{-1, -1}}
	a.flights = append(a.flights, f)
	return f
}

// agentOp follows what threads tell their agents.
func (r *Check) agentOp(st *blockState, e *event.AgentOp) {
	ws := &st.warps[e.Index]
	a := &ws.agent
	if st.products != nil {
		r.productGroups(st, e)
	}
	switch e.Kind {
	case event.AgentCommit:
		for m := e.Mask; m != 0; m &= m - 1 {
			a.groups[e.Engine][tool.LaneOf(m)]++
		}
	case event.AgentWait:
		r.waitCopies(st, e)
	case event.AgentArrive:
		for _, f := range a.flights {
			if f.Engine == e.Engine {
				f.tracked |= f.all & e.Mask
			}
		}
		list := new([abi.WarpSize]*release)
		for m := e.Mask; m != 0; m &= m - 1 {
			lane := tool.LaneOf(m)
			list[lane] = r.snapshot(st, e.Index, lane, ctaScope)
			list[lane].copies = [2]uint64{0, e.Number}
		}
		if a.arrivals == nil {
			a.arrivals = map[uint64]*[abi.WarpSize]*release{}
		}
		a.arrivals[e.Number] = list
		r.renew(st, ws)
	}
}

// waitCopies makes the copies that lanes have waited for accesses of this moment. A wait for the
// sources of bulk copies makes what they do to shared memory such, and leaves the rest in flight.
func (r *Check) waitCopies(st *blockState, e *event.AgentOp) {
	a := &st.warps[e.Index].agent
	var now [2]uint32
	keep := a.flights[:0]
	for _, f := range a.flights {
		if f.Engine != e.Engine || f.AtMbarrier {
			keep = append(keep, f)
			continue
		}
		done := f.doneIn(e, &a.groups[e.Engine])
		if done != 0 && now[0] == 0 {
			here := record{block: int32(st.Linear), warp: int32(e.Index)}
			now = [2]uint32{st.shared.add(here), r.global.add(here)}
		}
		f.waited(st.shared, done&^f.read, now[0])
		f.read |= done
		f.passed |= f.lanes & e.Mask &^ done
		if e.Reads {
			keep = append(keep, f)
			continue
		}
		f.waited(r.global, done, now[1])
		f.lanes &^= done
		if f.lanes != 0 {
			keep = append(keep, f)
		}
	}
	clear(a.flights[len(keep):])
	a.flights = keep
	if e.Engine == event.MatrixEngine && !r.run.Pedantic {
		a.waitedForProducts(st, e)
	}
}

// waitedForProducts notes a wait for products, if it is for more than those before.
func (a *agentState) waitedForProducts(st *blockState, e *event.AgentOp) {
	groups := max(0, int(a.groups[event.MatrixEngine][0])-e.Groups)
	if n := len(a.products); n == 0 || int(a.products[n-1].groups) < groups {
		here := record{block: int32(st.Linear), warp: int32(e.Index)}
		a.products = append(a.products, productWait{uint32(groups), st.shared.add(here)})
	}
}

// waited makes what a copy does to the memory of a history an access of a moment, for lanes.
func (f *flight) waited(h *history, lanes, now uint32) {
	if lanes != 0 && f.at[h.which] >= 0 {
		h.copies[f.at[h.which]].waited(lanes, lanes == f.all, now)
	}
}

// doneIn are the lanes of a copy that a wait is for.
func (f *flight) doneIn(e *event.AgentOp, groups *[abi.WarpSize]uint32) (done uint32) {
	for m := f.lanes & e.Mask; m != 0; m &= m - 1 {
		if lane := tool.LaneOf(m); f.group[lane]+uint32(e.Groups) < groups[lane] {
			done |= 1 << lane
		}
	}
	return done
}

// inFlight are the lanes of an earlier copy that nothing orders before the access of a lane.
func (r *Check) inFlight(e entry, rec *record, lane int) (open uint32) {
	c := r.cur.h.copyOf(e.rec)
	for m := e.lanes; m != 0; m &= m - 1 {
		one := m & -m
		if done := c.doneAt(tool.LaneOf(m)); done != 0 && r.behind(c, entry{done, one}, rec, lane) {
			continue
		}
		if r.behindWarpgroup(c, rec, lane) {
			continue
		}
		q := r.newQuery(r.cur.h.which, entry{e.rec, one}, rec)
		q.copy = c.number
		open |= r.askThread(&q, lane)
	}
	return open
}

// behind reports whether something orders the access of a lane after a moment of a copy. For a copy
// the moment counts of the lane that the entry names. For a product it counts of any lane, since
// the warp issues products and waits for them as a whole: one lane may hand over what all have
// read.
func (r *Check) behind(c *copyRecord, e entry, rec *record, lane int) bool {
	if c.warp {
		e.lanes = 1<<abi.WarpSize - 1
	}
	return r.unorderedThreads(e, rec, lane) != e.lanes
}

// behindWarpgroup reports whether something orders the access of a lane after a wait for a product
// by any warp of the warpgroup. CUTLASS relies on that: one thread hands over what its whole
// warpgroup has read. The manual promises it only for the reads of the waiting warp, so the
// pedantic do not count it.
func (r *Check) behindWarpgroup(c *copyRecord, rec *record, lane int) bool {
	const all = 1<<abi.WarpSize - 1
	for warp, at := range r.warpgroupWaits(c, rec) {
		wait := *rec
		wait.warp = warp
		if r.unorderedThreads(entry{at, all}, &wait, lane) != all {
			return true
		}
	}
	return false
}

// warpgroupWaits are the first waits for a product of the warps of its warpgroup that have waited:
// the warp, and the wait's record.
func (r *Check) warpgroupWaits(c *copyRecord, rec *record) iter.Seq2[int32, uint32] {
	return func(yield func(int32, uint32) bool) {
		if !c.warp {
			return
		}
		warps := r.cur.home.warps
		first := int(rec.warp) / event.Warpgroup * event.Warpgroup
		for i := first; i < min(first+event.Warpgroup, len(warps)); i++ {
			waits := warps[i].agent.products
			at := sort.Search(len(waits), func(i int) bool { return waits[i].groups > c.group })
			if at < len(waits) && !yield(int32(i), waits[at].rec) {
				return
			}
		}
	}
}

// arrivesBehind returns the lanes of a query about a copy that a release orders, because it follows
// the copy.
func (l *release) arrivesBehind(q *query) uint32 {
	if q.rec.block != l.block || q.rec.warp != l.warp || q.copy < l.copies[0] || q.copy >= l.copies[1] {
		return 0
	}
	return q.e.lanes & (1 << l.lane)
}

// keepFlights puts the copies that are still in flight at a block barrier back into the history,
// which has just forgotten everything before the barrier. It omits the copies that every thread of
// the block has waited for.
func (r *Check) keepFlights(st *blockState) {
	for i := range st.warps {
		a := &st.warps[i].agent
		keep := a.flights[:0]
		for _, f := range a.flights {
			if f.Engine == event.MatrixEngine { // productState knows what it reads
				f.at[0] = -1
				keep = append(keep, f)
				continue
			}
			q := r.newQuery(0, entry{0, f.lanes}, &f.record)
			q.copy = f.Number
			for m := f.lanes &^ f.read; m != 0 && len(st.acquired) > 0; m &= m - 1 {
				q.e.lanes = m & -m
				q.ask(st.acquired, int32(st.Linear))
				f.lanes &^= (m & -m) &^ q.e.lanes
			}
			f.at[0] = -1
			if f.lanes != 0 {
				r.keepFlight(st, f)
				keep = append(keep, f)
			}
		}
		clear(a.flights[len(keep):])
		a.flights, a.products = keep, a.products[:0]
	}
}

func (r *Check) keepFlight(st *blockState, f *flight) {
	h := st.shared
	f.record.flags |= isKept
	f.at[0] = h.addCopy(f.record, &f.Agent, f.group[0])
	f.all = f.lanes
	rec := h.copies[f.at[0]].rec
	for _, p := range f.places {
		if (f.lanes&^f.read)>>p.lane&1 == 0 {
			continue
		}
		l, first := h.line(st.area, uint64(p.at), int(f.size))
		for i := first; i < first+max(1, int(f.size)>>l.shift); i++ {
			h.setWritten(l, i, ref(rec<<5)|ref(p.lane))
		}
	}
}

// copyCause says why a copy has not arrived for the accessing lane. It returns NoCause if its
// thread has waited for it, or if nothing orders the access even after the instruction that issued
// it.
func (r *Check) copyCause(e entry, rec *record, accessing int) report.Cause {
	if rec.flags&isCopy == 0 || rec.block != r.cur.record.block {
		return report.NoCause
	}
	lane := tool.LaneOf(e.lanes)
	c := r.cur.h.copyOf(e.rec)
	behind := rec.flags&isKept != 0 || r.behind(c, entry{e.rec, 1 << lane}, rec, accessing)
	waited := c.doneAt(lane) != 0
	for range r.warpgroupWaits(c, rec) {
		waited = true
	}
	if waited {
		if behind {
			return report.WaitTooLate
		}
		return report.NoCause
	}
	a := &r.cur.st.warps[rec.warp].agent
	for _, f := range a.flights {
		if f.Number != c.number {
			continue
		}
		switch on := uint32(1) << lane; {
		case f.tracked&on != 0 && r.wrongPhase(e, rec, accessing):
			return report.WrongPhase
		case f.tracked&on != 0:
			return report.NoMbarrierWait
		case !behind:
			return report.NoCause
		case f.passed&on == 0:
			return report.NoCopyWait
		case f.group[lane] == a.groups[f.Engine][lane]:
			return report.CopyNotCommitted
		}
		return report.CopyLeft
	}
	return report.NoCopyWait
}

// unwaited reports whether an earlier access is a copy (cp.async) that its thread waits for by itself
// and has not waited for.
func (r *Check) unwaited(e entry, rec *record) bool {
	if rec.flags&isCopy == 0 || rec.block != r.cur.record.block {
		return false
	}
	lane, c := tool.LaneOf(e.lanes), r.cur.h.copyOf(e.rec)
	for _, f := range r.cur.st.warps[rec.warp].agent.flights {
		if f.Number == c.number && f.Engine == event.CopyEngine && f.tracked>>lane&1 == 0 {
			return c.doneAt(lane) == 0
		}
	}
	return false
}

// agentTexts say why a race of agents and mbarriers is one, and what to do. Capitals stand for
// words of the source language and for positions.
var agentTexts = map[report.Cause]struct{ why, fix string }{
	report.NoCopyWait: {
		"the copy arrives at some time between the instruction that issues it and a wait for it, and there is no wait",
		"WAIT BETWEEN, in the thread that issued the copy; for other threads BARRIER after that, or an arrival that they wait for",
	},
	report.CopyNotCommitted: {
		"a wait is for groups of copies, and this copy is in none",
		"COMMIT after the copy, before the wait",
	},
	report.CopyLeft: {
		"the wait leaves the latest groups in flight, and this copy is in one of them",
		"wait for one group more: WAIT waits for all of them",
	},
	report.WaitTooLate: {
		"the memory is handed over while it is in use: after the copy or product is issued, and before the wait for it",
		"WAIT before the barrier, or the arrival, that hands the memory over",
	},
	report.NoMbarrierWait: {
		"an arrival at an mbarrier follows the copy, and nothing waits for that phase between the two",
		"test the mbarrier until the phase of the copy is over, BETWEEN",
	},
	report.InitUnordered: {
		"nothing orders the init or inval of the mbarrier and what another thread does with it",
		"BARRIERPLACES",
	},
	report.PhasesMixed: {
		"the arrival counts for one phase or for the one before, whichever comes first: more threads arrive than the " +
			"mbarrier was made for, or one of them did not wait for the phase before",
		"init the mbarrier with the number of arrivals in a phase, and wait for a phase before arriving for the next",
	},
	report.WrongPhase: {
		"the thread's last wait at an mbarrier passed at once, for a phase that was over before: it orders nothing new",
		"wait for the phase under way: the parity changes with every phase, and the first phase has parity 0",
	},
}

// exit finds copies that are in flight when their threads end. A copy in bulk that has not read its
// source may find another block's memory there. Of others no manual says what becomes of them.
func (r *Check) exit(st *blockState, e *event.Exit) {
	a := &st.warps[e.Index].agent
	for _, f := range a.flights {
		lanes := f.lanes & e.Mask &^ (f.tracked | f.read)
		site := r.run.SiteAt(f.record.site)
		if lanes == 0 || a.left[site] || f.Engine == event.MatrixEngine || f.Engine == event.CopyEngine && !r.run.Pedantic {
			continue
		}
		if a.left == nil {
			a.left = map[*event.Site]bool{}
		}
		a.left[site] = true
		who := r.run.Thread(f.record.block, f.record.warp, tool.LaneOf(lanes))
		issued, ended := r.run.Witness("copy", site), r.run.Witness("finished at", e.Site)
		issued.Thread, ended.Thread = who, who
		ended.Source, ended.Text = r.run.End(ended.Source), ""
		found := &report.Finding{
			Tool: report.Racecheck, Kind: report.Race, Level: report.Pedantic, Cause: report.CopyAtExit,
			Space: ptx.SharedSpace, Summary: "a thread ends with its copy in flight",
			Witnesses: []report.Witness{issued, ended}, Count: uint64(bits.OnesCount32(lanes)), Blocks: 1,
			Why: "what becomes of a copy whose thread has ended, no manual says; nothing can wait for it any more",
			Fix: waitOf(f.Engine, site) + " before the thread ends",
		}
		if lane := tool.LaneOf(lanes); f.group[lane] == a.groups[f.Engine][lane] {
			found.Fix = commitOf(f.Engine, site) + " and " + found.Fix
		}
		if f.Engine == event.BulkEngine {
			found.Level = report.Error
			found.Why = "the shared memory of a block is gone when its threads have ended, and the copy may not have read it"
		}
		r.run.Add(found, 0, e.Seq)
	}
}

// waitOf is how the source language spells a wait for all copies of an engine.
func waitOf(e event.Engine, site *event.Site) string {
	words := tool.WordsOf(site.Source.File)
	if e == event.BulkEngine {
		return words.BulkWait
	}
	return words.CopyWait
}

// commitOf is what makes a group of the copies so far, for which waitOf waits.
func commitOf(e event.Engine, site *event.Site) string {
	words := tool.WordsOf(site.Source.File)
	if e == event.BulkEngine {
		return words.BulkCommit
	}
	return words.CopyCommit
}
