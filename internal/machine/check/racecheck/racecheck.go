// Package racecheck finds accesses to one byte, at least one of them a write, by two threads that
// nothing orders.
package racecheck

import (
	"fmt"
	"math/bits"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Check is racecheck at work on one run.
type Check struct {
	run    *tool.Run
	known  Guesses
	ways   ways
	seen   uint64
	races  map[raceKey]*raceSeen
	blocks []*blockState // by slot
	global *history
	common *history         // of the shared memory of clustered blocks; nil without clusters
	areas  map[uint64]*area // of allocations, by address
	last   *area
	cur    current
	vars   locations
	fences syncVar // the fence.sc operations so far
	async  bool    // the module accesses memory by the asynchronous proxy
	now    uint64  // if async, counts events, since event.Warp.Seq is the same for several instructions
	weak   int     // the number of vars that only unfenced atomics made
	// unfenced counts the releases in logs that no fence precedes.
	unfenced int
	fenced   int                 // releases that order something
	released map[int32][2]uint32 // by block, the clocks at its last release
	list     []entry
	keep     []entry
	spans    []span
	queries  uint64 // so far
	meetings int    // of clusters so far
	clusters clusters
}

// Guesses are the plain reads, by their numbers, whose results a compare-and-swap checks. All runs
// of a launch share them.
type Guesses map[int32]bool

// blockState is racecheck's knowledge of a block.
type blockState struct {
	*tool.Block
	warps    []warpState
	shared   *history
	area     *area
	barrier  [2]uint32            // clocks at the last barrier of the whole block
	at       []*event.Site        // the instructions of that barrier; none before the first
	acquired []acquired           // by all threads, through a barrier
	threads  []threadSync         // by linear index; empty if none fenced or acquired
	learned  bool                 // some thread may have acquired since collectAcquired
	arrived  map[int][]arrival    // at barriers under way, by id
	arrivals [][abi.WarpSize]tick // at the barrier of the cluster, by warp: the last that handed over
	inits    [][abi.WarpSize]tick // the same for inits of mbarriers; nil for no others
	meeting  *meeting             // the last of the cluster
	products *productState        // nil if the module has none
	// partial has what a warp knows of another through barriers of a part of the block: its clock.
	partial *[2]map[[2]int]uint32
}

// warpState is racecheck's knowledge of a warp.
type warpState struct {
	recs  [2][]uint32 // the last record of each site; valid from fresh on
	fresh [2]uint32
	sync  [2]uint32 // clocks when all its lanes synchronised last
	// known has what each lane knows of each other since then, by SyncWarp of some lanes.
	known  *[2][32][32]uint32
	at     int             // number of the last instruction
	inLoop bool            // it jumped back since the last barrier
	locks  bool            // it took part in a compare-and-swap that succeeded
	strong *[32]strongRead // the last strong load of each lane; nil before the first
	met    *[32]*meeting   // the last meeting of the cluster that each lane knows of
	ways   [][2]uint32     // by branch, how often it went either way
	agent  agentState
}

// strongRead is a strong load: its location and its record.
type strongRead struct {
	at  varKey
	rec uint32
}

// current is the access that is looked at.
type current struct {
	st     *blockState
	home   *blockState // whose shared memory it is, if it is shared
	ws     *warpState
	h      *history
	record record
	rec    uint32
	wrote  uint32        // the record of what was written
	access *event.Access // nil for an atomic
	atomic *event.Atomic
	warp   *event.Warp
	addr   uint64 // of the lane
	size   int
	cause  report.Cause // the cause of a race, if it is known beforehand
}

// New makes racecheck for a run.
func New(run *tool.Run, known Guesses) *Check {
	return &Check{
		run: run, known: known, ways: newWays(), races: map[raceKey]*raceSeen{},
		global: newHistory(ptx.GlobalSpace, 1), areas: map[uint64]*area{}, released: map[int32][2]uint32{},
		fences: syncVar{key: noLocation}, async: usesAsyncProxy(run.Module),
	}
}

// Name implements tool.Tool.
func (r *Check) Name() report.Tool { return report.Racecheck }

// Watch implements tool.Tool.
func (r *Check) Watch(on *tool.Events) {
	on.Start = append(on.Start, r.start)
	on.Access = append(on.Access, func(b *tool.Block, e *event.Access, lanes uint32) {
		r.access(r.blocks[b.Slot], e, lanes)
	})
	on.Atomic = append(on.Atomic, func(b *tool.Block, e *event.Atomic, lanes uint32) {
		r.atomic(r.blocks[b.Slot], e, lanes)
	})
	on.Branch = append(on.Branch, func(b *tool.Block, e *event.Branch) { r.branch(r.blocks[b.Slot], e) })
	on.Arrive = append(on.Arrive, func(b *tool.Block, e *event.BarrierArrive) { r.arrive(r.blocks[b.Slot], e) })
	on.Complete = append(on.Complete, func(b *tool.Block, e *event.BarrierComplete) { r.complete(r.blocks[b.Slot], e) })
	on.Grid = append(on.Grid, r.meet)
	on.Cluster = append(on.Cluster, r.meetCluster)
	on.Pass = append(on.Pass, func(b *tool.Block, e *event.ClusterPass) { r.passCluster(r.blocks[b.Slot], e) })
	on.WarpSync = append(on.WarpSync, func(b *tool.Block, e *event.WarpSync) {
		if e.Site.Does.Orders { // a copy of a map has what each lane has made of it
			r.warpSync(r.blocks[b.Slot], e)
		}
	})
	on.AgentOp = append(on.AgentOp, func(b *tool.Block, e *event.AgentOp) { r.agentOp(r.blocks[b.Slot], e) })
	if r.async {
		on.Proxy = append(on.Proxy, func(b *tool.Block, e *event.ProxyFence) { r.proxyFence(r.blocks[b.Slot], e) })
		on.Product = append(on.Product, func(b *tool.Block, e *event.Step) { r.registers(r.blocks[b.Slot], e) })
	}
	if r.run.Pedantic || r.async {
		on.Exit = append(on.Exit, func(b *tool.Block, e *event.Exit) { r.exit(r.blocks[b.Slot], e) })
	}
	on.Fence = append(on.Fence, func(b *tool.Block, e *event.Fence) { r.fence(r.blocks[b.Slot], e) })
}

// Seen implements tool.Tool.
func (r *Check) Seen() uint64 { return r.seen }

// Pending implements tool.Tool.
func (r *Check) Pending() int { return len(r.races) }

// Finish implements tool.Tool.
func (r *Check) Finish() (undecided string) {
	for _, b := range r.blocks {
		r.compareWays(b)
	}
	r.report()
	if r.global.full {
		return fmt.Sprintf("%s: racecheck cannot hold more than %d accesses; give it a smaller problem", r.run.Kernel,
			maxRecords)
	}
	return ""
}

func (r *Check) start(at *tool.Block) {
	if r.clusters == nil && at.ClusterSize() > 1 {
		r.clusters = at.ClusterNumbers()
	}
	if at.Slot == len(r.blocks) {
		r.blocks = append(r.blocks, &blockState{
			warps: make([]warpState, at.Warps()), shared: r.sharedOf(at),
			area: newArea(0, uint64(at.Shared)),
		})
	}
	b := r.blocks[at.Slot]
	b.Block = at
	r.compareWays(b)
	if b.shared == r.common {
		b.area = newArea(0, uint64(at.Shared))
	} else if b.shared.now() > maxRecords/2 || b.shared.nodeBase > 1<<30 { // begin counting anew
		b.shared = newHistory(ptx.SharedSpace, 0)
		b.area = newArea(0, uint64(at.Shared))
		for i := range b.warps {
			clear(b.warps[i].recs[0])
		}
	}
	if r.async {
		b.products = newProducts(at)
	}
	b.acquired, b.arrived, b.arrivals, b.inits, b.meeting = nil, nil, nil, nil, nil
	b.forgetThreads()
	for i := range b.warps {
		b.warps[i].agent, b.warps[i].strong, b.warps[i].met = agentState{}, nil, nil
	}
	r.barrier(b, nil)
}

// barrier orders everything so far before everything to come, for the threads of a block. at are
// the barrier's instructions.
func (r *Check) barrier(st *blockState, at []*event.Site) {
	b := st
	if b.shared != r.common {
		b.shared.forget()
		r.keepFlights(b)
	}
	r.shareMeetings(b)
	b.barrier, b.at = [2]uint32{b.shared.now(), r.global.now()}, at
	b.partial = nil
	for i := range st.warps {
		ws := &st.warps[i]
		r.synced(st, ws)
		ws.inLoop, ws.at, ws.locks = false, 0, false
	}
}

// meet orders everything so far before everything to come, for all threads of the grid. The
// barriers of the blocks have done so for each of them. Copies in flight are not followed any
// further: kernels that call gpu.SyncGrid have none.
func (r *Check) meet() {
	r.global.forget()
	if r.common != nil {
		r.common.forget()
	}
	for _, b := range r.blocks {
		b.acquired = nil
		for i := range b.warps {
			for _, f := range b.warps[i].agent.flights {
				f.at[1] = -1
			}
		}
	}
}

// synced notes that all lanes of a warp know of each other.
func (r *Check) synced(st *blockState, ws *warpState) {
	ws.known = nil
	ws.sync = [2]uint32{st.shared.now(), r.global.now()}
	ws.fresh = ws.sync
}

// renew makes the warp's next accesses have new records.
func (r *Check) renew(st *blockState, ws *warpState) {
	ws.fresh = [2]uint32{st.shared.now(), r.global.now()}
}

// moved notes where a warp is, to recognize accesses after a jump back.
func (r *Check) moved(ws *warpState, site int32) {
	at := r.run.SiteAt(site).Index
	if at < ws.at && !ws.inLoop {
		ws.inLoop = true
		clear(ws.recs[0])
		clear(ws.recs[1])
	}
	ws.at = at
}

func (r *Check) history(st *blockState, space ptx.Space) *history {
	if space == ptx.SharedSpace {
		return st.shared
	}
	return r.global
}

// find returns the area of an address and the address's offset in it.
func (r *Check) find(st *blockState, h *history, addr uint64) (*area, uint64) {
	if h.which == 0 {
		return st.area, addr
	}
	if a := r.last; a != nil && addr-a.base < a.size {
		return a, addr - a.base
	}
	x := r.run.Extent(addr)
	a := r.areas[x.Addr]
	if a == nil {
		a = newArea(x.Addr, uint64(x.Size))
		r.areas[x.Addr] = a
	}
	r.last = a
	return a, addr - a.base
}

func (r *Check) access(st *blockState, e *event.Access, lanes uint32) {
	if lanes == 0 {
		return
	}
	r.seen += uint64(bits.OnesCount32(lanes))
	if e.Agent != nil {
		if r.async && e.Space == ptx.SharedSpace && e.Agent.Engine.Proxy() == event.AsyncProxy {
			r.crossed(st, e, lanes)
		}
		r.copies(st, e, lanes)
		return
	}
	if r.async && e.Space == ptx.SharedSpace && e.Kind == event.Store {
		r.stored(st, e, lanes)
	}
	flags := accessFlags(0)
	if e.Kind == event.Store {
		flags |= isWrite
	}
	if e.Order != event.Weak {
		flags |= isStrong
		if e.Order == event.Volatile {
			flags |= isVolatile
		}
	}
	r.begin(st, &e.Warp, e.Space, e.Home, flags, e.Scope, e.Size)
	r.cur.access, r.cur.atomic = e, nil
	c := &r.cur
	c.rec = r.record(c)
	c.wrote = c.rec
	r.accessed(e, lanes)
	if flags&isStrong != 0 {
		r.strong(st, e, lanes)
	}
}

// accessed looks at the lanes of an access.
func (r *Check) accessed(e *event.Access, lanes uint32) {
	c := &r.cur
	if e.Lanes != nil { // in the order in which they went, which decides what each of them found
		for _, l := range e.Lanes {
			if lane := int(l & 31); lanes>>lane&1 != 0 {
				c.addr = e.Addrs[lane]
				r.lane(lane)
			}
		}
	} else if e.Rows != nil && lanes == e.Mask {
		r.rows(e)
	} else {
		r.lanes(e.Addrs, lanes)
	}
}

func (r *Check) atomic(st *blockState, e *event.Atomic, lanes uint32) {
	if lanes == 0 {
		return
	}
	r.seen += uint64(bits.OnesCount32(lanes))
	if isMbarrier(e.Op) {
		r.mbarrier(st, e, lanes)
		return
	}
	r.begin(st, &e.Warp, e.Space, e.Home, isAtomic|isStrong, e.Scope, e.Size)
	c := &r.cur
	c.access, c.atomic = nil, e
	read := c.record
	// Writes and failed swaps get separate records: atomics tell the order of the location.
	for _, wrote := range []bool{true, false} {
		m := lanes & e.Wrote
		c.record = read
		if wrote {
			c.record.flags |= isWrite
		} else {
			m = lanes &^ e.Wrote
		}
		if m == 0 {
			continue
		}
		c.rec = c.h.add(c.record)
		if wrote {
			c.wrote = c.rec
		}
		for _, l := range e.Lanes {
			if lane := int(l & 31); m>>lane&1 != 0 {
				c.addr = e.Addrs[lane]
				if e.Op == "cas" {
					r.guess(lane)
				}
				r.lane(lane)
			}
		}
	}
	r.synchronize(st, e, lanes)
}

// guess notes plain reads of a location by a thread that then compares and swaps there. Such a read
// is the first guess of a loop that retries until no other thread interfered, so a wrong value does
// no harm. It is no guess if a later strong load of the thread has made another.
func (r *Check) guess(lane int) {
	c := &r.cur
	var guessed uint32 // the record of that strong load
	if s := c.ws.strong; s != nil && s[lane].at == key(c.st, c.h.space, c.addr) {
		guessed = s[lane].rec
	}
	ar, off := r.find(c.home, c.h, c.addr)
	l, i := c.h.line(ar, off, c.size)
	for _, e := range c.h.entries(nil, c.h.rest(l, i)) {
		rec := c.h.record(e.rec)
		if rec.flags&(isWrite|isStrong) == 0 && rec.block == c.record.block && rec.warp == c.record.warp &&
			e.lanes>>lane&1 != 0 && e.rec >= guessed {
			r.known[rec.site] = true
		}
	}
}

// begin sets up the access at hand, except its record's number.
func (r *Check) begin(st *blockState, w *event.Warp, space ptx.Space, home *event.Block, flags accessFlags, scope event.Scope, size int) {
	ws := &st.warps[w.Index]
	site := r.run.Site(w.Site)
	r.moved(ws, site)
	if ws.inLoop {
		flags |= inLoop
	}
	if ws.locks {
		flags |= holdsLock
	}
	c := &r.cur
	c.st, c.home, c.ws, c.h, c.warp, c.size = st, r.home(st, home), ws, r.history(st, space), w, size
	width := uint8(bits.Len(uint(size)) - 1)
	c.record = record{int32(st.Linear), int32(w.Index), site, flags, rankOf(scope), width}
}

// record is the number of the access's record, which is shared by all of a warp's at one
// instruction until it synchronises.
func (r *Check) record(c *current) uint32 {
	recs := c.ws.recs[c.h.which]
	site := int(c.record.site)
	if site >= len(recs) {
		recs = append(recs, make([]uint32, site+16-len(recs))...)
		c.ws.recs[c.h.which] = recs
	}
	if n := recs[site]; n >= c.ws.fresh[c.h.which] {
		return n
	}
	recs[site] = c.h.add(c.record)
	return recs[site]
}

// lane looks at the access of one lane.
func (r *Check) lane(lane int) {
	c := &r.cur
	ar, off := r.find(c.home, c.h, c.addr)
	self := ref(c.rec<<5) | ref(lane)
	l, first := c.h.line(ar, off, c.size)
	for i := first; i < first+max(1, c.size>>l.shift); i++ {
		was := cell{c.h.written(l, i), c.h.rest(l, i)}
		now := was
		r.touch(&now, self)
		if now.write != was.write {
			c.h.setWritten(l, i, now.write)
		}
		if now.rest != was.rest {
			c.h.set(l, &l.rests, i, now.rest)
		}
	}
}

// touch looks at the access of one lane to one cell.
func (r *Check) touch(cl *cell, self ref) {
	c := &r.cur
	if cl.rest == self && c.record.flags&isWrite == 0 { // read again
		return
	}
	if r.mine(cl.write, self) && r.mine(cl.rest, self) && r.hides(cl) {
		if c.record.flags&isWrite != 0 {
			*cl = cell{write: self}
			return
		}
		if c.h.old(cl.write) {
			cl.write = 0
		}
		cl.rest = self
		return
	}
	if c.record.flags&isWrite == 0 && r.mine(cl.write, self) && r.joins(cl, self) {
		return
	}
	if r.takesTurn(cl) {
		cl.write = self
		return
	}
	r.weigh(cl, self)
}

// takesTurn says whether the access is an atomic like the one that the cell remembers, and
// remembers alone: what weigh would find of most atomics.
func (r *Check) takesTurn(cl *cell) bool {
	c := &r.cur
	if r.run.Pedantic || cl.rest != 0 || cl.write&nodeBit != 0 || c.record.flags&(isAtomic|isWrite) != isAtomic|isWrite {
		return false
	}
	rec := c.h.record(uint32(cl.write >> 5))
	return rec.flags&isStrong != 0 && !r.conflict(rec, &c.record)
}

// hides reports whether the access makes the entries of its own thread in a cell superfluous.
func (r *Check) hides(cl *cell) bool {
	if r.cur.record.flags&isStrong == 0 {
		return true
	}
	for _, x := range [2]ref{cl.write, cl.rest} {
		if x != 0 && !r.cur.h.old(x) && !covers(&r.cur.record, r.cur.h.record(uint32(x>>5))) {
			return false
		}
	}
	return true
}

// covers reports whether every access that conflicts with an earlier access of a block also
// conflicts with the later one. Then an access that is ordered after the later one need not be
// compared with the earlier one.
func covers(later, earlier *record) bool {
	switch {
	case earlier.flags&^later.flags&isWrite != 0:
		return false
	case later.flags&isStrong == 0:
		return true
	case earlier.flags&isStrong == 0, earlier.flags&^later.flags&isVolatile != 0:
		return false
	}
	return later.scope <= earlier.scope
}

// mine says whether a ref is none, forgotten, or by the same thread.
func (r *Check) mine(x, self ref) bool {
	h := r.cur.h
	if x == 0 || h.old(x) {
		return true
	}
	if x&nodeBit != 0 || (x^self)&31 != 0 {
		return false
	}
	rec := h.record(uint32(x >> 5))
	return rec.warp == r.cur.record.warp && rec.block == r.cur.record.block && rec.flags&isCopy == 0
}

// joins adds a read to a cell's node where that is simple: another lane of the record is there, or
// two such reads are enough.
func (r *Check) joins(cl *cell, self ref) bool {
	h := r.cur.h
	if cl.rest&nodeBit == 0 {
		return false
	}
	n := h.node(cl.rest)
	if n.next != 0 {
		return false
	}
	if n.e[0].rec == r.cur.rec && n.e[1].rec == 0 {
		n.e[0].lanes |= 1 << (self & 31)
		return true
	}
	if n.e[1].rec == 0 {
		return false
	}
	a, b := h.record(n.e[0].rec), h.record(n.e[1].rec)
	return (a.flags|b.flags)&isWrite == 0 && a.site == r.cur.record.site && b.site == a.site && h.apart(a, b)
}

// weigh compares an access with all that a cell remembers, and makes the cell remember it.
func (r *Check) weigh(cl *cell, self ref) {
	c := &r.cur
	lane := int(self & 31)
	list := c.h.entries(r.list[:0], cl.write)
	writes := len(list)
	list = c.h.entries(list, cl.rest)
	keep := r.keep[:0]
	write := c.record.flags&isWrite != 0
	for i, e := range list {
		rec := c.h.record(e.rec)
		races := r.conflict(rec, &c.record)
		if !races && rec.flags&c.record.flags&isStrong != 0 && write {
			if r.run.Pedantic { // else strong operations take their turns at the location
				keep = retain(keep, e)
			}
			continue
		}
		open := r.unordered(e, rec, lane)
		if open != 0 && races {
			r.found(entry{e.rec, open}, rec, lane, i < writes)
		}
		if !covers(&c.record, rec) {
			open = e.lanes
		}
		if open != 0 && (write || i >= writes) {
			keep = retain(keep, entry{e.rec, open})
		}
	}
	c.h.release(cl.rest)
	if write {
		cl.write = self
		if len(keep) > maxEntries {
			keep = keep[:maxEntries]
		}
	} else {
		if writes == 0 {
			cl.write = 0
		}
		keep = c.h.remember(keep, entry{c.rec, 1 << lane}, &c.record)
	}
	cl.rest = c.h.pack(keep)
	r.list, r.keep = list, keep
}

// conflict says whether two unordered accesses are a race. Strong ones of sufficient scope are
// none. Volatile accesses are strong, but no language that has threads promises anything of them:
// two writes are a race, and a write and a read where the thread that reads does not wait for the
// write (a flag). Those by lanes of one warp are code that trusts lock-step.
func (r *Check) conflict(a, b *record) bool {
	switch flags := a.flags | b.flags; {
	case flags&isWrite == 0:
		return false
	case a.flags&b.flags&isStrong == 0:
		return true
	case flags&isVolatile == 0:
	case r.run.Pedantic:
		return true
	case flags&isAtomic != 0:
	case a.block == b.block && a.warp == b.warp, a.flags&b.flags&isWrite != 0:
		return true
	case a.flags&isWrite == 0:
		return !r.run.Polls(a.site)
	default:
		return !r.run.Polls(b.site)
	}
	return !r.within(min(a.scope, b.scope), a.block, b.block)
}

// unordered are the lanes of an earlier entry that nothing orders before the access of a lane.
func (r *Check) unordered(e entry, rec *record, lane int) uint32 {
	if rec.flags&isCopy != 0 {
		return r.inFlight(e, rec, lane)
	}
	return r.unorderedThreads(e, rec, lane)
}

// unorderedThreads is unordered for what threads did themselves.
func (r *Check) unorderedThreads(e entry, rec *record, lane int) uint32 {
	c := &r.cur
	open := e.lanes
	if rec.block == c.record.block {
		which := c.h.which
		if e.rec < c.st.barrier[which] {
			return 0
		}
		if rec.warp == c.record.warp {
			open &^= 1 << lane
			if e.rec < c.ws.sync[which] {
				return 0
			}
			if k := c.ws.known; k != nil {
				for m := open; m != 0; m &= m - 1 {
					if e.rec < k[which][lane][tool.LaneOf(m)] {
						open &^= m & -m
					}
				}
			}
		} else if p := c.st.partial; p != nil && e.rec < p[which][[2]int{int(c.record.warp), int(rec.warp)}] {
			return 0
		}
	}
	open &^= r.metBefore(entry{e.rec, open}, rec, lane)
	if open != 0 && (r.fenced > 0 || rec.flags&isStrong != 0) {
		open = r.acquired(entry{e.rec, open}, rec, lane)
	}
	return open
}

// warpSync orders the lanes that took part in a bar.warp.sync.
func (r *Check) warpSync(st *blockState, e *event.WarpSync) {
	ws := &st.warps[e.Index]
	r.shareAcquired(st, e.Index, e.Mask)
	r.learnOf(ws, e.Mask, ws.lastMeeting(e.Mask))
	if live := st.Existing(e.Index) &^ st.Exited[e.Index]; live&^e.Mask == 0 {
		r.synced(st, ws)
		return
	}
	if ws.known == nil {
		ws.known = new([2][32][32]uint32)
	}
	now := [2]uint32{st.shared.now(), r.global.now()}
	for which := range 2 {
		var row [32]uint32
		for m := e.Mask; m != 0; m &= m - 1 {
			for i, n := range ws.known[which][tool.LaneOf(m)] {
				row[i] = max(row[i], n)
			}
		}
		for m := e.Mask; m != 0; m &= m - 1 {
			row[tool.LaneOf(m)] = now[which]
		}
		for m := e.Mask; m != 0; m &= m - 1 {
			ws.known[which][tool.LaneOf(m)] = row
		}
	}
	r.renew(st, ws)
}
