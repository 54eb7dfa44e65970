package racecheck

import (
	"maps"
	"slices"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// Order between threads through atomics, flags and fences. A location that threads synchronise
// through has a log of releases: what the releasing thread had done and knew. A thread that reads
// the location with acquire semantics knows all releases in the log so far.

// varKey is a location: an address of global memory, or sharedKey, a block and an address of its
// shared memory.
type varKey uint64

const (
	sharedKey  varKey = 1 << 63
	noLocation        = ^varKey(0) // of fences
)

// syncVar is such a location.
type syncVar struct {
	key varKey
	log []*release
	// start is the index of the first release after the last store that is no atomic. Releases
	// before it do not count for later readers.
	start   int
	byBlock map[int32][]int // numbers in log by the block of the releasing thread
	fenced  int             // the number of releases in log that order something
	cross   []int           // numbers of releases by threads that had acquired through other locations
	narrow  bool            // a release does not concern all blocks
	phases  *phases         // of an mbarrier
	// asked is of the last query, and askedObserving of the last one that a query asked itself.
	asked, askedObserving askedPieces
}

// release is a point in a thread's life up to which others may know it.
type release struct {
	block, warp int32
	lane        int
	scope       scopeRank
	// own is the scope of the write itself. scope also counts a fence before it.
	own   scopeRank
	write uint32 // the record of the write
	// here is the state at the write, if the other fields are from a fence before it.
	here *release
	// behind caches for a fence.sc which earlier fences it had to follow: see forced.
	behind map[*release]bool
	// unfenced means that no fence precedes the write, so the release hands nothing over. It is
	// logged to order operations of fence.sc, and to name the cause of a race.
	unfenced bool
	// published has the clocks at the write itself. It serves to name the cause of a race, too.
	published [2]uint32
	logged    [2]uint32 // the clocks when it was added to its log; 0 if not known
	self      [2]uint32 // the clocks up to which it knows the thread's own accesses,
	sync      [2]uint32 // the accesses of its warp,
	barrier   [2]uint32 // and the accesses of its block
	known     *[2][32]uint32
	partial   *[2]map[[2]int]uint32
	met       *meeting
	acquired  []acquired // what the thread knew from others
	// copies is a range of the agent's copies, by number. The release follows the copies in it.
	copies [2]uint64
	// issued is set for a bulk copy that has arrived: what its thread had done and knew when it
	// issued the copy.
	issued  *release
	askedBy uint64 // the number of the last query that followed what its thread knew
}

// acquired is a piece of a log that a thread has observed. The writes themselves are ordered before
// all that the thread does from then on. What their threads did before the writes is ordered only
// if the thread acquires.
type acquired struct {
	v        *syncVar
	from, to int
	scope    scopeRank
	acquires bool
	lock     bool       // through a compare-and-swap
	by       *release   // of fences: what the fence that acquired them knew, and
	observed []acquired // what its thread had observed
}

// threadSync is what a thread fenced and acquired.
type threadSync struct {
	fence    *release   // of its last fence
	acquired []acquired // in effect
	pending  []acquired // from the next fence on
	early    bool       // its last test of an mbarrier passed, and told it nothing new
	inits    tick       // clocks at its last fence for inits of mbarriers
}

const (
	maxUnfenced    = 64      // locations for which unfenced atomics are logged
	maxUnfencedLog = 512     // and how many of each
	maxFences      = 1 << 18 // and, with fence.sc, of all locations together
)

// synced returns the threadSync of a thread, or nil if no thread of the block fenced or acquired.
func (b *blockState) synced(linear int) *threadSync {
	if len(b.threads) == 0 {
		return nil
	}
	return &b.threads[linear]
}

// thread is the same for a thread that is about to fence or acquire.
func (b *blockState) thread(linear int) *threadSync {
	if n := len(b.warps) * abi.WarpSize; len(b.threads) == 0 {
		b.threads = slices.Grow(b.threads, n)[:n]
	}
	b.learned = true
	return &b.threads[linear]
}

// forgetThreads is for the next block in the slot: what held its threads is used again.
func (b *blockState) forgetThreads() {
	for i := range b.threads {
		t := &b.threads[i]
		clear(t.acquired)
		clear(t.pending)
		*t = threadSync{acquired: t.acquired[:0], pending: t.pending[:0]}
	}
	b.threads, b.learned = b.threads[:0], false
}

// snapshot makes a release of what a lane has done and knows now.
func (r *Check) snapshot(st *blockState, warp, lane int, scope scopeRank) *release {
	b, ws := st, &st.warps[warp]
	l := &release{
		block: int32(st.Linear), warp: int32(warp), lane: lane, scope: scope,
		self: [2]uint32{b.shared.now(), r.global.now()}, sync: ws.sync, barrier: b.barrier,
		acquired: slices.Clone(b.acquired),
	}
	if b.partial != nil {
		l.partial = &[2]map[[2]int]uint32{maps.Clone(b.partial[0]), maps.Clone(b.partial[1])}
	}
	if ws.met != nil {
		l.met = ws.met[lane]
	}
	if ws.known != nil {
		l.known = &[2][32]uint32{ws.known[0][lane], ws.known[1][lane]}
	}
	if t := b.synced(warp*abi.WarpSize + lane); t != nil {
		l.acquired = append(l.acquired, t.acquired...)
	}
	return l
}

// fence makes what its lanes did so far part of their next atomic, and what they observed take
// effect.
func (r *Check) fence(st *blockState, e *event.Fence) {
	if r.async && e.Inits {
		r.fenceInits(st, &e.Warp)
	}
	scope := rankOf(e.Scope)
	if e.Inits {
		for m := e.Mask; m != 0; m &= m - 1 {
			st.thread(e.Thread(tool.LaneOf(m))).inits = tick{st.shared.now(), r.global.now()}
		}
		r.renew(st, &st.warps[e.Index])
		return
	}
	var number uint32
	if e.Order == event.SeqCst {
		number = r.global.add(record{block: int32(st.Linear), warp: int32(e.Index), scope: scope})
	}
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		t := st.thread(e.Thread(lane))
		pending := slices.Clone(t.pending)
		if e.Order != event.Release {
			for _, a := range t.pending {
				a.scope = min(a.scope, scope)
				t.acquired = merge(t.acquired, a)
			}
			t.pending = t.pending[:0]
		}
		if e.Order == event.SeqCst {
			r.followFences(st, e, lane, pending)
		}
		if e.Order != event.Acquire {
			t.fence = r.snapshot(st, e.Index, lane, scope)
		}
		if e.Order == event.SeqCst {
			r.fenced++
			t.fence.write = number
			r.released[t.fence.block] = [2]uint32{st.shared.now(), r.global.now()}
			if r.fences.add(t.fence); len(r.fences.log) > maxFences {
				r.global.full = true
			}
		}
	}
	r.renew(st, &st.warps[e.Index])
}

// followFences orders a fence.sc of a lane after fences that ran before it. Two such fences of
// sufficient scope are ordered, but the direction is open unless an observation decides it. So only
// those earlier fences count that precede something the thread had observed, with fences or
// without. Then the findings do not depend on which of the fences ran first.
func (r *Check) followFences(st *blockState, e *event.Fence, lane int, pending []acquired) {
	if len(r.fences.log) == 0 {
		return
	}
	t := st.thread(e.Thread(lane))
	a := acquired{v: &r.fences, to: len(r.fences.log), scope: rankOf(e.Scope), acquires: true}
	a.by = r.snapshot(st, e.Index, lane, a.scope)
	for _, o := range slices.Concat(a.by.acquired, pending) {
		a.observed = merge(a.observed, o)
	}
	t.acquired = merge(t.acquired, a)
}

// forced reports whether the fence of l had to precede the one that acquired a. The chain from one
// to the other must consist of observations, and not of the order of further fences.
func (q *query) forced(l *release, a acquired) bool {
	answer, known := a.by.behind[l]
	if known {
		return answer
	}
	e := entry{l.write, 1 << l.lane}
	rec := &record{block: l.block, warp: l.warp}
	answer = a.by.block == l.block && (e.rec < a.by.barrier[1] || a.by.covers(1, e, rec, false) != 0)
	if !answer {
		f := q.r.newQuery(1, e, rec)
		f.over, f.observing = leniency{release: true, acquire: true, poll: true}, true
		f.ask(a.observed, a.by.block)
		answer = f.e.lanes == 0
	}
	if a.by.behind == nil {
		a.by.behind = map[*release]bool{}
	}
	a.by.behind[l] = answer
	return answer
}

// synchronize does what the lanes of an atomic acquire and release.
func (r *Check) synchronize(st *blockState, e *event.Atomic, lanes uint32) {
	ws := &st.warps[e.Index]
	cas, scope := e.Op == "cas", rankOf(e.Scope)
	var v *syncVar // of the previous lane, often also of this one
	for _, l := range e.Lanes {
		lane := int(l & 31)
		if lanes>>lane&1 == 0 {
			continue
		}
		wrote := e.Wrote>>lane&1 != 0
		key := key(r.cur.home, e.Space, e.Addrs[lane])
		if cas && wrote && !ws.locks {
			ws.locks = true
			r.renew(st, ws)
		}
		if v == nil || v.key != key {
			v = r.vars.at(key)
		}
		r.acquire(st, e.Thread(lane), v, e.Order, scope, cas)
		if wrote {
			r.publish(st, e.Index, lane, key, v, e.Order, scope)
		}
	}
}

// strong handles the acquires and releases of strong loads and stores, which are used as flags.
func (r *Check) strong(st *blockState, e *event.Access, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		key := key(r.cur.home, e.Space, e.Addrs[lane])
		v := r.vars.at(key)
		if e.Kind == event.Load {
			r.cur.ws.loadedStrong(lane, strongRead{key, r.cur.rec})
			r.acquire(st, e.Thread(lane), v, e.Order, rankOf(e.Scope), false)
			continue
		}
		if v != nil {
			v.start = len(v.log)
		}
		r.publish(st, e.Index, lane, key, v, e.Order, rankOf(e.Scope))
	}
}

// loadedStrong notes a lane's strong load.
func (ws *warpState) loadedStrong(lane int, s strongRead) {
	if ws.strong == nil {
		ws.strong = new([32]strongRead)
	}
	ws.strong[lane&31] = s
}

func key(st *blockState, space ptx.Space, addr uint64) varKey {
	if space == ptx.SharedSpace {
		return sharedKey | varKey(st.Linear)<<32 | varKey(addr)
	}
	return varKey(addr)
}

// acquire lets a thread know of the releases of a location: at once, or, through a lock (a
// compare-and-swap) or when pedantic, from its next fence on.
func (r *Check) acquire(st *blockState, thread int, v *syncVar, order event.MemOrder, scope scopeRank, lock bool) {
	if v == nil || len(v.log) == v.start {
		return
	}
	t := st.thread(thread)
	a := acquired{v: v, from: v.start, to: len(v.log), scope: scope, acquires: true, lock: lock}
	late := (lock || r.run.Pedantic) && order != event.Acquire && order != event.AcqRel
	if !late && len(t.acquired) > 0 && t.acquired[0].widen(&a) {
		return
	}
	if late {
		t.pending = merge(t.pending, a)
		a.acquires = false
	}
	t.acquired = merge(t.acquired, a)
}

// merge adds to what a thread knows, or widens it. What the threads of a block know of fences comes
// to one piece.
func merge(list []acquired, a acquired) []acquired {
	for i := range list {
		b := &list[i]
		switch {
		case b.widen(&a):
			return list
		case !b.alike(&a) || b.by == a.by:
			continue
		}
		seen := slices.Clone(b.observed)
		for _, o := range a.observed {
			seen = merge(seen, o)
		}
		b.by, b.observed, b.to = a.by, seen, max(b.to, a.to)
		return list
	}
	return append(list, a)
}

// alike says whether two pieces are of one log and count in the same way.
func (b *acquired) alike(a *acquired) bool {
	return b.v == a.v && b.scope == a.scope && b.acquires == a.acquires && b.lock == a.lock
}

// widen adds a piece that begins where b does. It returns false if the piece does not.
func (b *acquired) widen(a *acquired) bool {
	if !b.alike(a) || b.by != a.by || b.from != a.from {
		return false
	}
	b.to = max(b.to, a.to)
	return true
}

// publish adds a release to a location's log: by an atomic, or by a strong store to a flag. v is
// the location's syncVar, nil before the first release.
func (r *Check) publish(st *blockState, warp, lane int, key varKey, v *syncVar, order event.MemOrder, scope scopeRank) {
	var l *release
	t := st.synced(warp*abi.WarpSize + lane)
	switch {
	case order == event.Release || order == event.AcqRel || order == event.SeqCst:
		l = r.snapshot(st, warp, lane, scope)
		r.renew(st, &st.warps[warp])
	case t != nil && t.fence != nil:
		c := *t.fence
		c.scope = min(c.scope, scope)
		c.published = [2]uint32{st.shared.now(), r.global.now()}
		if len(r.fences.log) > 0 {
			c.here = r.snapshot(st, warp, lane, scope)
		}
		l = &c
		r.renew(st, &st.warps[warp])
	}
	if earlier := v.releasedBy(int32(st.Linear), warp, lane); l == nil && earlier != nil {
		c := *earlier
		c.scope = min(c.scope, scope)
		if len(r.fences.log) > 0 {
			c.here = r.snapshot(st, warp, lane, scope)
			r.renew(st, &st.warps[warp])
		}
		l = &c
	}
	if l == nil {
		if !r.logsUnfenced(v) {
			return
		}
		l = r.snapshot(st, warp, lane, scope)
		l.unfenced = true
		r.renew(st, &st.warps[warp])
		r.unfenced++
		if v == nil {
			r.weak++
		}
	}
	r.release(key, v, l, scope)
}

// logsUnfenced reports whether a write without a fence comes into the log of its location. It orders
// two fence.sc. With such fences the log holds as many of them as memory has space for.
// Otherwise the log is only for the cause of a race, and a few are enough.
func (r *Check) logsUnfenced(v *syncVar) bool {
	switch {
	case len(r.fences.log) > 0:
		return r.unfenced < maxFences
	case v == nil:
		return r.weak < maxUnfenced
	default:
		return len(v.log) < maxUnfencedLog
	}
}

// release adds a release to the log of a location, of the write at hand.
func (r *Check) release(key varKey, v *syncVar, l *release, scope scopeRank) {
	if !l.unfenced {
		r.fenced++
	}
	l.own, l.write = scope, r.cur.wrote
	l.logged = [2]uint32{r.cur.st.shared.now(), r.global.now()}
	r.released[l.block] = l.logged
	if v == nil {
		v = &syncVar{key: key}
		r.vars.put(v)
	}
	v.add(l)
}

// releasedBy is the last release of a thread at the location. A later write of the thread there, of
// any order that is not weak, hands over what it did.
func (v *syncVar) releasedBy(block int32, warp, lane int) *release {
	if v == nil || v.fenced == 0 {
		return nil
	}
	nums := v.byBlock[block]
	for i := len(nums) - 1; i >= 0; i-- {
		if l := v.log[nums[i]]; int(l.warp) == warp && l.lane == lane && !l.unfenced {
			return l
		}
	}
	return nil
}

// add appends a release to the log.
func (v *syncVar) add(l *release) {
	if v.byBlock == nil {
		v.byBlock = map[int32][]int{}
	}
	known := l.acquired
	if l.here != nil {
		known = l.here.acquired
	}
	if l.issued != nil {
		known = l.issued.acquired
	}
	for _, a := range known {
		if a.v != v || a.from < v.start {
			v.cross = append(v.cross, len(v.log))
			break
		}
	}
	if !l.unfenced {
		v.fenced++
	}
	v.narrow = v.narrow || l.scope != wideScope
	v.byBlock[l.block] = append(v.byBlock[l.block], len(v.log))
	v.log = append(v.log, l)
}
