// Package initcheck finds uses of memory that nothing has written. It follows unwritten data
// through registers and memory to its use. For synccheck it also follows the values that shuffles
// read from lanes that take no part.
package initcheck

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/check/synccheck"
	"github.com/gridstride/gridstride/internal/machine/check/tool"
	"github.com/gridstride/gridstride/internal/machine/report"
	"github.com/gridstride/gridstride/internal/machine/sim/event"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Check is initcheck at work on one run. It follows unwritten data from the read, byte by byte
// through registers and memory, to the use: a branch, an address, or arithmetic whose result
// reaches global memory. Copies are no use. While no register holds such data it needs no steps,
// and turns them off. For synccheck it also follows the values that shuffles read from lanes that
// take no part.
type Check struct {
	run      *tool.Run
	host     *Init            // learns what the run has written; may be nil
	sync     *synccheck.Check // nil if synccheck does not run
	seen     uint64
	blocks   []*blockState // by slot
	home     *blockState   // of the access at hand: whose shared memory it is
	global   *Init         // whose pages name origins
	tracking bool
	tainted  int // registers that hold such data
	origins  []origin
	byPlace  map[[2]int32]uint32
	uses     map[int32]*usage
	found    map[useKey]*report.Finding
	inOrder  []*report.Finding // those, the first found first
}

// useKey tells uses apart while a launch runs.
type useKey struct {
	kind      report.Kind
	space     ptx.Space
	load, use report.Position
}

// origin is where data was read that nothing had written, and the first arithmetic on it.
type origin struct {
	load, use int32 // sites; use is 0 as long as it was only copied
	space     ptx.Space
	addr      uint64
	size      int
	block     int32
	warp      int32
	lane      int
	seq       uint64
	absent    *absentLane // that a shuffle read instead of memory
	past      *Copy       // of an earlier launch, that was read; load is 0 until it is
}

// taint is the part of a register's lane, or a byte of memory, that nothing has written.
type taint struct {
	origin uint32
	bytes  uint8
}

// blockState is initcheck's knowledge of a block.
type blockState struct {
	*tool.Block
	warps   []warpState
	written []uint64          // a bit for each byte of shared memory
	copies  map[uint64]uint32 // by address in shared memory, the origin of an unwritten byte that was stored
}

// warpState is initcheck's knowledge of a warp: the registers that hold unwritten data, and local
// memory.
type warpState struct {
	regs  map[regKey]*[abi.WarpSize]taint
	local localMemory
	// fetched is nil until a copy reads.
	fetched *fetched
	product uint64 // the last product of a warpgroup, as the warp's agent counts
}

type regKey struct {
	frame uint64
	reg   int
}

// New makes initcheck for a run. What the host had written before the launch is initial, nil for
// all of memory. host, when not nil, learns what the run has written by its end. With sync the
// values that shuffles read from lanes that take no part are followed too.
func New(run *tool.Run, initial, host *Init, sync *synccheck.Check) *Check {
	c := &Check{
		run: run, host: host, sync: sync, global: initial.Clone(), origins: make([]origin, 1),
		byPlace: map[[2]int32]uint32{}, uses: map[int32]*usage{},
		found: map[useKey]*report.Finding{},
	}
	for _, past := range c.global.copies {
		c.origins = append(c.origins, origin{past: past})
	}
	return c
}

// Name implements tool.Tool.
func (c *Check) Name() report.Tool { return report.Initcheck }

// Watch implements tool.Tool.
func (c *Check) Watch(on *tool.Events) {
	on.Start = append(on.Start, c.start)
	on.Access = append(on.Access, func(b *tool.Block, e *event.Access, lanes uint32) {
		c.seen += uint64(bits.OnesCount32(lanes))
		c.goHome(b, e.Home)
		c.access(c.blocks[b.Slot], e, lanes)
	})
	on.Atomic = append(on.Atomic, func(b *tool.Block, e *event.Atomic, lanes uint32) {
		c.seen += uint64(bits.OnesCount32(lanes))
		c.goHome(b, e.Home)
		c.atomic(c.blocks[b.Slot], e, lanes)
	})
	on.Local = append(on.Local, func(b *tool.Block, e *event.Access) { c.local(c.blocks[b.Slot], e) })
	on.Malloc = append(on.Malloc, func(_ *tool.Block, e *event.Malloc) { c.global.Fresh(e.Addr, e.Size) })
	on.Call = append(on.Call, func(b *tool.Block, e *event.Call) { c.call(c.blocks[b.Slot], e) })
	on.Return = append(on.Return, func(b *tool.Block, e *event.Return) { c.ret(c.blocks[b.Slot], e) })
	on.Step = append(on.Step, func(b *tool.Block, e *event.Step) { c.step(c.blocks[b.Slot], e) })
	on.StepWhile = append(on.StepWhile, &c.tracking)
	on.Skip = append(on.Skip, func(b *tool.Block, e *event.Skip) { c.skip(c.blocks[b.Slot], e) })
	on.WarpSync = append(on.WarpSync, func(b *tool.Block, e *event.WarpSync) { c.warpSync(c.blocks[b.Slot], e) })
}

// Seen implements tool.Tool.
func (c *Check) Seen() uint64 { return c.seen }

// Pending implements tool.Tool.
func (c *Check) Pending() int { return len(c.found) }

// Finish implements tool.Tool.
func (c *Check) Finish() string {
	for _, f := range c.inOrder {
		c.run.Add(f, 0, 0)
	}
	if c.host != nil {
		c.keep(c.host)
	}
	return ""
}

// goHome notes the block whose shared memory the access at hand uses, if it uses shared memory.
func (c *Check) goHome(b *tool.Block, home *event.Block) {
	if home != nil {
		b = c.run.InFlight(home)
	}
	c.home = c.blocks[b.Slot]
}

func (c *Check) start(at *tool.Block) {
	if at.Slot == len(c.blocks) {
		c.blocks = append(c.blocks, &blockState{warps: make([]warpState, at.Warps()),
			written: make([]uint64, (at.Shared+63)/64+1)})
	}
	b := c.blocks[at.Slot]
	b.Block, b.copies = at, nil
	clear(b.written)
	for i := range b.warps {
		w := &b.warps[i]
		c.tainted -= len(w.regs)
		w.regs = nil
		w.local.reset()
		w.fetched, w.product = nil, 0
	}
	c.tracking = c.tainted > 0
}

// missing gives a bit for each byte of an access that nothing has written.
func (c *Check) missing(space ptx.Space, addr uint64, size int) uint32 {
	if space == ptx.GlobalSpace {
		return c.global.Missing(addr, size)
	}
	w, sh := addr>>6, addr&63
	return uint32(^(c.home.written[w] >> sh)) & (1<<size - 1)
}

func (c *Check) wrote(space ptx.Space, addr uint64, size int) {
	if space == ptx.GlobalSpace {
		c.global.Wrote(addr, int64(size))
	} else {
		c.home.written[addr>>6] |= (1<<size - 1) << (addr & 63)
	}
}

// unwritten is the origin of a byte that nothing has written: where what it is a copy of was read,
// else, where nothing was stored there, the load that reads it now.
func (c *Check) unwritten(at uint64, load origin) uint32 {
	var id uint32
	if load.space == ptx.GlobalSpace {
		id = c.global.origin(at)
	} else {
		id = c.home.copies[at]
	}
	if id != 0 && c.origins[id].load != 0 {
		return id
	}
	load.past = c.origins[id].past
	return c.originOf(load)
}

func (c *Check) access(st *blockState, e *event.Access, lanes uint32) {
	switch does := e.Site.Does; {
	case does.Meets == ptx.MeetWarp && does.Kind == ptx.Loads:
		c.loadByWarp(st, e, lanes)
		return
	case does.Meets == ptx.MeetWarp && does.Kind == ptx.Stores:
		c.storeByWarp(st, e, lanes)
		return
	case e.Texel != nil:
		c.loadTexel(st, e, lanes)
		return
	case e.Kind == event.Store && e.Agent != nil:
		c.deliver(st, e, lanes)
		return
	case e.Kind == event.Store:
		c.store(st, e, lanes)
		return
	case e.Space == ptx.GlobalSpace && len(c.global.pages) == 0 && c.tainted == 0:
		return
	case e.Agent != nil && e.Agent.Engine == event.MatrixEngine:
		c.fetchFactor(st, e, lanes)
		return
	case e.Agent != nil:
		c.fetch(st, e, lanes)
		return
	}
	if c.tainted == 0 && e.Rows != nil && lanes == e.Mask && c.rowsWritten(e) {
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		miss := c.missing(e.Space, e.Addrs[lane], e.Size)
		if miss == 0 && c.tainted == 0 {
			continue
		}
		c.load(st, e, lane, miss)
	}
}

// loadByWarp and storeByWarp are for accesses that a warp makes together: lanes access what others
// hold.
func (c *Check) loadByWarp(st *blockState, e *event.Access, lanes uint32) {
	if e.Site.Does.Accesses(ptx.FragmentSize) {
		c.loadFragment(st, e, lanes)
		return
	}
	c.loadMatrix(st, e, lanes)
}

func (c *Check) storeByWarp(st *blockState, e *event.Access, lanes uint32) {
	if e.Site.Does.Accesses(ptx.FragmentSize) {
		c.storeFragment(st, e, lanes)
		return
	}
	c.storeMatrix(st, e, lanes)
}

// load makes the registers of a lane hold what memory held.
func (c *Check) load(st *blockState, e *event.Access, lane int, miss uint32) {
	u := c.usage(e.Site)
	w := &st.warps[e.Index]
	if len(u.dests) == 0 {
		return
	}
	width := e.Size / len(u.dests)
	for k, reg := range u.dests {
		part := miss >> (k * width) & (1<<width - 1)
		if part == 0 {
			c.set(w, regKey{e.Frame, reg}, lane, taint{})
			continue
		}
		at := e.Addrs[lane] + uint64(k*width+bits.TrailingZeros32(part))
		t := taint{bytes: uint8(part)}
		t.origin = c.unwritten(at, origin{
			load: c.run.Site(e.Site), space: e.Space, addr: e.Addrs[lane] + uint64(k*width), size: width,
			block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
		})
		if u.signed && part>>(width-1)&1 != 0 {
			t.bytes |= ^uint8(1<<width - 1)
		}
		c.set(w, regKey{e.Frame, reg}, lane, t)
	}
}

func (c *Check) originOf(o origin) uint32 {
	key := [2]int32{o.load, o.use}
	id, ok := c.byPlace[key]
	if !ok {
		id = uint32(len(c.origins))
		c.origins = append(c.origins, o)
		c.byPlace[key] = id
	}
	return id
}

// set gives a lane of a register a taint, or none.
func (c *Check) set(w *warpState, k regKey, lane int, t taint) {
	r := w.regs[k]
	if r == nil {
		if t.bytes == 0 {
			return
		}
		if w.regs == nil {
			w.regs = map[regKey]*[abi.WarpSize]taint{}
		}
		r = new([abi.WarpSize]taint)
		w.regs[k] = r
		c.tainted++
		c.tracking = true
	}
	r[lane] = t
	if t.bytes == 0 && *r == [abi.WarpSize]taint{} {
		delete(w.regs, k)
		c.tainted--
		c.tracking = c.tainted > 0
	}
}

// get returns the taint of a register in a lane. Register -1 is a constant.
func (w *warpState) get(k regKey, lane int) taint {
	if r := w.regs[k]; r != nil {
		return r[lane]
	}
	return taint{}
}

// store makes memory hold what registers held.
func (c *Check) store(st *blockState, e *event.Access, lanes uint32) {
	var u *usage
	if c.tainted > 0 {
		u = c.usage(e.Site)
	}
	if u == nil && e.Space == ptx.GlobalSpace && len(c.global.pages) == 0 {
		return
	}
	if u == nil && e.Rows != nil && lanes == e.Mask {
		c.wroteRows(e)
		return
	}
	w := &st.warps[e.Index]
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		addr := e.Addrs[lane]
		c.wrote(e.Space, addr, e.Size)
		if u == nil || len(u.values) == 0 {
			continue
		}
		width := e.Size / len(u.values)
		for k, reg := range u.values {
			if t := w.get(regKey{e.Frame, reg}, lane); t.bytes != 0 {
				c.spread(st, &e.Warp, e.Space, lane, addr+uint64(k*width), width, t)
			}
		}
	}
}

// spread stores unwritten data to memory: a copy, or, of arithmetic or from a shuffle to global
// memory, a use.
func (c *Check) spread(st *blockState, w *event.Warp, space ptx.Space, lane int, addr uint64, width int, t taint) {
	if o := &c.origins[t.origin]; space == ptx.GlobalSpace && (o.use != 0 || o.absent != nil) {
		how := "in arithmetic that reaches global memory"
		if o.use == 0 {
			how = "as a result in global memory"
		}
		c.used(st, w, lane, t.origin, how)
		return
	}
	for i := range width {
		if t.bytes>>i&1 == 0 {
			continue
		}
		at := addr + uint64(i)
		if space == ptx.GlobalSpace {
			c.global.store(at, t.origin)
			continue
		}
		c.home.written[at>>6] &^= 1 << (at & 63)
		if c.home.copies == nil {
			c.home.copies = map[uint64]uint32{}
		}
		c.home.copies[at] = t.origin
	}
}

// atomic is arithmetic on memory.
func (c *Check) atomic(st *blockState, e *event.Atomic, lanes uint32) {
	if strings.HasPrefix(e.Op, "mbarrier.") { // synccheck reports an operation where no mbarrier is
		for m := lanes; m != 0 && e.Wrote != 0; m &= m - 1 {
			c.wrote(e.Space, e.Addrs[tool.LaneOf(m)], e.Size)
		}
		return
	}
	w := &st.warps[e.Index]
	u := c.usage(e.Site)
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		addr := e.Addrs[lane]
		miss := c.missing(e.Space, addr, e.Size)
		if miss == 0 && c.tainted == 0 {
			continue
		}
		var t taint
		if miss != 0 {
			at := addr + uint64(bits.TrailingZeros32(miss))
			t.bytes = uint8(miss | miss>>8) // of 16 bytes, of either half
			t.origin = c.unwritten(at, origin{
				load: c.run.Site(e.Site), space: e.Space, addr: addr, size: e.Size,
				block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
			})
		}
		old := t
		var first, last taint // of the values given: what is compared, and what is stored
		values, dests := u.values, u.dests
		if e.Elements > 0 {
			values = values[e.Element : e.Element+1]
			if len(dests) > 0 {
				dests = dests[e.Element : e.Element+1]
			}
		}
		for k, reg := range values {
			if last = w.get(regKey{e.Frame, reg}, lane); k == 0 {
				first = last
			}
		}
		switch {
		case e.Op == "cas":
			old = c.compareAndSwap(st, e, lane, old, first, last)
		case overwrites(e.Op):
			c.wrote(e.Space, addr, e.Size)
			if last.bytes != 0 {
				c.spread(st, &e.Warp, e.Space, lane, addr, e.Size, last)
			}
		default:
			c.wrote(e.Space, addr, e.Size)
			if last.bytes != 0 {
				t = last
			}
			if t.bytes != 0 {
				c.arithmetic(st, &e.Warp, e.Space, lane, addr, e.Size, t)
			}
		}
		for _, reg := range dests {
			if reg >= 0 {
				c.set(w, regKey{e.Frame, reg}, lane, old)
			}
		}
	}
}

// compareAndSwap decides with what it compares, which is a use, and stores the other value. It
// returns what of the result is still to be followed.
func (c *Check) compareAndSwap(st *blockState, e *event.Atomic, lane int, old, compared, swapped taint) taint {
	for _, t := range []taint{old, compared} {
		if t.bytes != 0 {
			c.used(st, &e.Warp, lane, t.origin, "in a compare-and-swap")
			old = taint{}
		}
	}
	if e.Wrote>>lane&1 != 0 {
		c.wrote(e.Space, e.Addrs[lane], e.Size)
		if swapped.bytes != 0 {
			c.spread(st, &e.Warp, e.Space, lane, e.Addrs[lane], e.Size, swapped)
		}
	}
	return old
}

// overwrites says whether what an atomic leaves in memory does not depend on what was there.
func overwrites(op string) bool {
	return op == "exch"
}

// arithmetic is an atomic on unwritten data.
func (c *Check) arithmetic(st *blockState, w *event.Warp, space ptx.Space, lane int, addr uint64, size int, t taint) {
	o := c.origins[t.origin]
	if o.use == 0 {
		o.use = c.run.Site(w.Site)
		t.origin = c.originOf(o)
	}
	c.spread(st, w, space, lane, addr, size, taint{t.origin, 0xff})
}

// used makes a finding of a use of unwritten data.
func (c *Check) used(st *blockState, w *event.Warp, lane int, from uint32, how string) {
	b, o := c.run, &c.origins[from]
	load, use := b.SiteAt(o.load), w.Site
	if o.use != 0 {
		use = b.SiteAt(o.use)
	}
	kind, of := report.Uninitialized, report.Initcheck
	if o.absent != nil {
		kind, of = report.WarpSync, report.Synccheck
	}
	if !b.Has(of) {
		return
	}
	key := useKey{kind, o.space, tool.PositionOf(load), tool.PositionOf(use)}
	if f := c.found[key]; f != nil {
		f.Count++
		return
	}
	f, name := c.reading(o)
	f.Tool, f.Kind = of, kind
	if use != load {
		p := b.Witness("use", use)
		p.Thread = b.Thread(int32(st.Linear), int32(w.Index), lane)
		f.Witnesses = append(f.Witnesses, p)
	}
	if o.absent != nil {
		o.absent.describe(b, f, o, how)
	} else {
		f.Summary = fmt.Sprintf("%s memory that nothing has written, used %s", o.space, how)
		f.Why = "no thread and no copy has written " + name + " before it is read"
		if o.past != nil {
			f.Why = fmt.Sprintf("%s holds a copy of %s, which nothing had written when %s read it (%s)",
				name, o.past.what, o.past.read.Kernel, o.past.where)
		}
	}
	c.found[key] = f
	c.inOrder = append(c.inOrder, f)
}
