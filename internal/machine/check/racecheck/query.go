package racecheck

import (
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
)

// Whether a thread knows of an access: a query goes from the releases that the thread has acquired to
// the releases that these knew, back to the one that covers the access.

// acquired takes from the lanes of an earlier entry those that the thread at hand knows of through
// others.
func (r *Check) acquired(e entry, rec *record, lane int) uint32 {
	return r.ask(e, rec, lane, leniency{})
}

// leniency says what a question overlooks, to find out what is missing.
type leniency struct {
	release bool // a fence before the atomic that released
	acquire bool // a fence after the write or read that acquired, if that is a compare-and-swap,
	poll    bool // or if it is not
	scope   bool // that fences and atomics only concerned their block
	issue   bool // that a copy hands over nothing of what its thread did before
}

// late reports whether the missing fence after the acquiring read is overlooked.
func (over leniency) late(a acquired) bool { return over.acquire && a.lock || over.poll && !a.lock }

// ask is acquired, with leniency.
func (r *Check) ask(e entry, rec *record, lane int, over leniency) uint32 {
	if !r.mayKnow(e, rec) {
		return e.lanes
	}
	q := r.newQuery(r.cur.h.which, e, rec)
	q.over = over
	r.askThread(&q, lane)
	if over.acquire || over.poll { // by any thread of the block, as a barrier may follow
		for _, t := range r.cur.st.threads {
			for i, a := range t.pending {
				if over.late(a) {
					q.ask(t.pending[i:i+1], r.cur.record.block)
				}
			}
		}
	}
	return q.e.lanes
}

// mayKnow reports whether the block of an earlier entry has released anything after it. If not, no
// log tells of the entry: see tooEarly.
func (r *Check) mayKnow(e entry, rec *record) bool {
	return rec.flags&isKept != 0 || r.released[rec.block][r.cur.h.which] > e.rec
}

// mayHaveHeard reports whether a thread may know of a record through fences.
func (r *Check) mayHaveHeard(n uint32, rec *record) bool {
	return r.fenced > 0 && r.mayKnow(entry{rec: n}, rec)
}

// askThread asks what the thread at hand knows through others.
func (r *Check) askThread(q *query, lane int) uint32 {
	b := r.cur.st
	q.at = key(r.cur.home, r.cur.h.space, r.cur.addr)
	q.ask(b.acquired, r.cur.record.block)
	if t := b.synced(r.cur.warp.Thread(lane)); t != nil {
		q.ask(t.acquired, r.cur.record.block)
	}
	return q.e.lanes
}

// query asks what logs tell of an access.
type query struct {
	r      *Check
	number uint64 // a number that no other query of r has
	which  int
	e      entry // whose lanes shrink
	rec    *record
	at     varKey // the location that the asking thread accesses
	over   leniency
	// copy is the number of a copy, if the query is about one. The copy has arrived for the threads
	// that saw an arrival after it.
	copy uint64
	// observing leaves out what only the order of fences tells.
	observing bool
}

// newQuery is a query about an access in a history.
func (r *Check) newQuery(which int, e entry, rec *record) query {
	r.queries++
	return query{r: r, number: r.queries, which: which, e: e, rec: rec}
}

// asked is a piece of a log that a thread of a block has observed.
type asked struct {
	acquired
	block int32
}

// askedPieces has the pieces of a location's log that a query has looked into.
type askedPieces struct {
	number uint64 // the query's
	pieces []asked
}

// ask looks into what a thread of a block knows.
func (q *query) ask(list []acquired, block int32) {
	for _, a := range list {
		if q.e.lanes == 0 {
			return
		}
		if a.by != nil && q.observing || !a.acquires && !q.over.late(a) && a.v.key != q.at || q.again(a, block) {
			continue
		}
		nums := a.v.byBlock[q.rec.block]
		for i := len(nums) - 1; i >= 0 && nums[i] >= a.from && q.e.lanes != 0; i-- {
			if q.tooEarly(a.v.log[nums[i]]) {
				break
			}
			if nums[i] < a.to {
				q.see(a.v.log[nums[i]], a, block)
			}
		}
		for k := len(a.v.cross) - 1; k >= 0; k-- { // the latest know the most
			i := a.v.cross[k]
			if q.e.lanes == 0 || q.tooEarly(a.v.log[i]) {
				break
			}
			if l := a.v.log[i]; i >= a.from && i < a.to && l.askedBy != q.number && q.counts(l, a, block) {
				l.askedBy = q.number
				q.ask(l.acquired, l.block)
				if l.here != nil && q.over.release {
					q.ask(l.here.acquired, l.block)
				}
				if l.issued != nil && q.over.issue {
					q.ask(l.issued.acquired, l.block)
				}
			}
		}
	}
}

// tooEarly reports whether a release was logged before the access that the query is about. Then all
// releases before it in the log were, too. Each block has its own clock for its shared memory. A
// copy that a barrier kept in flight is older than its record.
func (q *query) tooEarly(l *release) bool {
	if q.rec.flags&isKept != 0 || q.which == 0 && l.block != q.rec.block {
		return false
	}
	return l.logged[q.which] != 0 && l.logged[q.which] <= q.e.rec
}

// again says whether the query has looked into a piece of a log before, or into one that it is part
// of: threads that acquire and release the same locations all the time know much the same. Where
// scopes are narrow it matters which block asks.
func (q *query) again(a acquired, block int32) bool {
	if a.by != nil {
		return false
	}
	list := &a.v.asked
	if q.observing {
		list = &a.v.askedObserving
	}
	if list.number != q.number {
		list.number, list.pieces = q.number, list.pieces[:0]
	}
	all := a.scope == wideScope && !a.v.narrow
	for i := range list.pieces {
		b := &list.pieces[i]
		switch {
		case !b.alike(&a) || !all && b.block != block:
		case b.from <= a.from && a.to <= b.to:
			return true
		case a.from <= b.from && b.to <= a.to:
			b.acquired = a
			return false
		}
	}
	list.pieces = append(list.pieces, asked{a, block})
	return false
}

// see takes the lanes away that one release orders: what its thread had done, and the write itself.
func (q *query) see(l *release, a acquired, block int32) {
	if q.copy != 0 {
		if lanes := l.arrivesBehind(q); lanes != 0 && q.counts(l, a, block) {
			q.e.lanes &^= lanes
		}
		return
	}
	lanes := l.covers(q.which, q.e, q.rec, q.over.release)
	if l.here != nil && q.over.release {
		lanes |= l.here.covers(q.which, q.e, q.rec, false)
	}
	if l.issued != nil && q.over.issue {
		lanes |= l.issued.covers(q.which, q.e, q.rec, false)
	}
	if lanes != 0 && q.counts(l, a, block) {
		q.e.lanes &^= lanes
	}
	morallyStrong := q.r.within(min(l.own, a.scope), l.block, block)
	if l.write == q.e.rec && a.v.key == q.at && morallyStrong {
		q.e.lanes &^= 1 << l.lane
	}
}

// counts says whether a release orders anything for the thread that asks.
func (q *query) counts(l *release, a acquired, block int32) bool {
	if !a.acquires && !q.over.late(a) || l.unfenced && !q.over.release || a.by != nil && !q.forced(l, a) {
		return false
	}
	return q.over.scope || q.r.within(min(l.scope, a.scope), l.block, block)
}

// covers are the lanes of an earlier entry that the releasing thread knew of, itself among them.
func (l *release) covers(which int, e entry, rec *record, published bool) uint32 {
	met := l.met.knows(which, e, rec)
	return met | l.coversOwn(which, entry{e.rec, e.lanes &^ met}, rec, published)
}

// coversOwn is covers for accesses of the releasing thread's own block, without what the thread
// knows through its cluster.
func (l *release) coversOwn(which int, e entry, rec *record, published bool) uint32 {
	if rec.block != l.block {
		return 0
	}
	if e.rec < l.barrier[which] {
		return e.lanes
	}
	if rec.warp != l.warp {
		if l.partial != nil && e.rec < l.partial[which][[2]int{int(l.warp), int(rec.warp)}] {
			return e.lanes
		}
		return 0
	}
	if e.rec < l.sync[which] {
		return e.lanes
	}
	var lanes uint32
	if e.rec < l.self[which] || published && e.rec < l.published[which] {
		lanes |= 1 << l.lane
	}
	if l.known != nil {
		for m := e.lanes; m != 0; m &= m - 1 {
			if e.rec < l.known[which][tool.LaneOf(m)] {
				lanes |= m & -m
			}
		}
	}
	return lanes & e.lanes
}

// collectAcquired makes what the block's threads know known to all of them, as a barrier does.
func (r *Check) collectAcquired(st *blockState) {
	b := st
	if !b.learned {
		return
	}
	b.learned = false
	for i := range b.threads { // in order, for the same result every time
		t := &b.threads[i]
		for _, a := range t.acquired {
			b.acquired = merge(b.acquired, a)
		}
		clear(t.acquired)
		t.acquired = t.acquired[:0]
	}
}

// shareAcquired does the same for lanes of a warp.
func (r *Check) shareAcquired(st *blockState, warp int, lanes uint32) {
	b := st
	if len(b.threads) == 0 {
		return
	}
	var all []acquired
	for m := lanes; m != 0; m &= m - 1 {
		for _, a := range b.thread(warp*abi.WarpSize + tool.LaneOf(m)).acquired {
			all = merge(all, a)
		}
	}
	if all == nil {
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		b.thread(warp*abi.WarpSize + tool.LaneOf(m)).acquired = slices.Clone(all)
	}
}
