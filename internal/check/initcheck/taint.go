// Package initcheck finds uses of memory that nothing has written. It follows such data through
// registers and memory to where it is used, and for synccheck the values that shuffles read from
// lanes that take no part.
package initcheck

import (
	"fmt"
	"math/bits"

	"github.com/gridstride/gridstride/internal/check/synccheck"
	"github.com/gridstride/gridstride/internal/check/tool"
	"github.com/gridstride/gridstride/internal/ptx"
	"github.com/gridstride/gridstride/internal/report"
	"github.com/gridstride/gridstride/internal/sim"
)

// Check is initcheck at work on one run. It follows data that nothing has written from where it is
// read, byte by byte through registers and memory, to where it is used: in a branch, in an address,
// or in arithmetic whose result reaches global memory. Copies are no use. While no register holds
// such data it needs no steps, and turns them off. It does the same, for synccheck, with what
// shuffles read from lanes that take no part.
type Check struct {
	run      *tool.Run
	host     *Init            // learns what the run has written; may be nil
	sync     *synccheck.Check // nil where that does not run
	seen     uint64
	blocks   []*blockState // by slot
	global   *Init
	memory   map[uint64]taint // of bytes of global memory that were copied from such data
	tracking bool
	tainted  int // registers that hold such data
	origins  []origin
	byPlace  map[[2]int32]uint32
	uses     map[int32]*usage
	vars     map[string]bool // names in addresses that are no registers
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
}

// taint is the part of a register's lane, or a byte of memory, that nothing has written.
type taint struct {
	origin uint32
	bytes  uint8
}

// blockState is what initcheck knows of a block.
type blockState struct {
	*tool.Block
	warps   []warpState
	written []uint64 // a bit for each byte of shared memory
	memory  map[uint64]taint
}

// warpState is what it knows of a warp: registers and local memory that hold such data.
type warpState struct {
	regs  map[regKey]*[sim.WarpSize]taint
	local map[uint64]taint
}

type regKey struct {
	frame uint64
	reg   int
}

// New makes initcheck for a run. What the host had written before the launch is initial, nil for all
// of memory; host, when not nil, learns what the run has written by its end. With sync the values
// that shuffles read from lanes that take no part are followed too.
func New(run *tool.Run, initial, host *Init, sync *synccheck.Check) *Check {
	c := &Check{
		run: run, host: host, sync: sync, global: initial.Clone(), memory: map[uint64]taint{},
		origins: make([]origin, 1),
		byPlace: map[[2]int32]uint32{}, uses: map[int32]*usage{}, vars: map[string]bool{},
		found: map[useKey]*report.Finding{},
	}
	for _, d := range run.Module.Decls {
		switch d := d.(type) {
		case *ptx.Var:
			c.vars[d.Name] = true
		case *ptx.Func:
			c.declare(d)
		}
	}
	return c
}

func (c *Check) declare(f *ptx.Func) {
	for _, v := range f.Params {
		c.vars[v.Name] = true
	}
	var walk func(b *ptx.Block)
	walk = func(b *ptx.Block) {
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *ptx.Var:
				c.vars[s.Name] = true
			case *ptx.Block:
				walk(s)
			}
		}
	}
	if f.Body != nil {
		walk(f.Body)
	}
}

// Name implements tool.Tool.
func (c *Check) Name() report.Tool { return report.Initcheck }

// Watch implements tool.Tool.
func (c *Check) Watch(on *tool.Events) {
	on.Start = append(on.Start, c.start)
	on.Access = append(on.Access, func(b *tool.Block, e *sim.Access, lanes uint32) {
		c.seen += uint64(bits.OnesCount32(lanes))
		c.access(c.blocks[b.Slot], e, lanes)
	})
	on.Atomic = append(on.Atomic, func(b *tool.Block, e *sim.Atomic, lanes uint32) {
		c.seen += uint64(bits.OnesCount32(lanes))
		c.atomic(c.blocks[b.Slot], e, lanes)
	})
	on.Local = append(on.Local, func(b *tool.Block, e *sim.Access) { c.local(c.blocks[b.Slot], e) })
	on.Step = append(on.Step, func(b *tool.Block, e *sim.Step) { c.step(c.blocks[b.Slot], e) })
	on.StepWhile = append(on.StepWhile, &c.tracking)
	on.WarpSync = append(on.WarpSync, func(b *tool.Block, e *sim.WarpSync) { c.warpSync(c.blocks[b.Slot], e) })
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
		c.host.pages = c.global.Clone().pages
	}
	return ""
}

func (c *Check) start(at *tool.Block) {
	if at.Slot == len(c.blocks) {
		c.blocks = append(c.blocks, &blockState{warps: make([]warpState, at.Warps()),
			written: make([]uint64, (at.Shared+63)/64+1)})
	}
	b := c.blocks[at.Slot]
	b.Block, b.memory = at, nil
	clear(b.written)
	for i := range b.warps {
		w := &b.warps[i]
		c.tainted -= len(w.regs)
		w.regs, w.local = nil, nil
	}
	c.tracking = c.tainted > 0
}

// missing gives a bit for each byte of an access that nothing has written.
func (c *Check) missing(st *blockState, space ptx.Space, addr uint64, size int) uint32 {
	if space == ptx.GlobalSpace {
		return c.global.Missing(addr, size)
	}
	w, sh := addr>>6, addr&63
	return uint32(^(st.written[w] >> sh)) & (1<<size - 1)
}

func (c *Check) wrote(st *blockState, space ptx.Space, addr uint64, size int) {
	if space == ptx.GlobalSpace {
		c.global.Wrote(addr, int64(size))
	} else {
		st.written[addr>>6] |= (1<<size - 1) << (addr & 63)
	}
	if m := c.copies(st, space); len(m) > 0 {
		for i := range uint64(size) {
			delete(m, addr+i)
		}
	}
}

// copies is the memory of a space that was copied from unwritten data.
func (c *Check) copies(st *blockState, space ptx.Space) map[uint64]taint {
	if space == ptx.GlobalSpace {
		return c.memory
	}
	return st.memory
}

func (c *Check) access(st *blockState, e *sim.Access, lanes uint32) {
	if e.Kind == sim.Store {
		c.store(st, e, lanes)
		return
	}
	if e.Space == ptx.GlobalSpace && len(c.global.pages) == 0 && c.tainted == 0 {
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		miss := c.missing(st, e.Space, e.Addrs[lane], e.Size)
		if miss == 0 && c.tainted == 0 {
			continue
		}
		c.load(st, e, lane, miss)
	}
}

// load makes the registers of a lane hold what memory held.
func (c *Check) load(st *blockState, e *sim.Access, lane int, miss uint32) {
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
		t, copied := c.copies(st, e.Space)[at]
		if !copied {
			t.origin = c.originOf(origin{
				load: c.run.Site(e.Site), space: e.Space, addr: e.Addrs[lane] + uint64(k*width), size: width,
				block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
			})
		}
		t.bytes = uint8(part)
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
			w.regs = map[regKey]*[sim.WarpSize]taint{}
		}
		r = new([sim.WarpSize]taint)
		w.regs[k] = r
		c.tainted++
		c.tracking = true
	}
	r[lane] = t
	if t.bytes == 0 && *r == [sim.WarpSize]taint{} {
		delete(w.regs, k)
		c.tainted--
		c.tracking = c.tainted > 0
	}
}

func (w *warpState) get(k regKey, lane int) taint {
	if r := w.regs[k]; r != nil {
		return r[lane]
	}
	return taint{}
}

// store makes memory hold what registers held.
func (c *Check) store(st *blockState, e *sim.Access, lanes uint32) {
	var u *usage
	if c.tainted > 0 {
		u = c.usage(e.Site)
	}
	if u == nil && e.Space == ptx.GlobalSpace && len(c.global.pages) == 0 {
		return
	}
	w := &st.warps[e.Index]
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		addr := e.Addrs[lane]
		c.wrote(st, e.Space, addr, e.Size)
		if u == nil || len(u.values) == 0 {
			continue
		}
		width := e.Size / len(u.values)
		for k, reg := range u.values {
			if reg < 0 {
				continue
			}
			if t := w.get(regKey{e.Frame, reg}, lane); t.bytes != 0 {
				c.spread(st, &e.Warp, e.Space, lane, addr+uint64(k*width), width, t)
			}
		}
	}
}

// spread stores unwritten data to memory: a copy, or, of arithmetic or from a shuffle to global
// memory, a use.
func (c *Check) spread(st *blockState, w *sim.Warp, space ptx.Space, lane int, addr uint64, width int, t taint) {
	if o := &c.origins[t.origin]; space == ptx.GlobalSpace && (o.use != 0 || o.absent != nil) {
		how := "in arithmetic that reaches global memory"
		if o.use == 0 {
			how = "as a result in global memory"
		}
		c.used(st, w, lane, t.origin, how)
		return
	}
	m := c.copies(st, space)
	if m == nil {
		m = map[uint64]taint{}
		st.memory = m
	}
	for i := range width {
		if t.bytes>>i&1 == 0 {
			continue
		}
		at := addr + uint64(i)
		m[at] = taint{t.origin, 1}
		if space == ptx.GlobalSpace {
			c.global.Fresh(at, 1)
		} else {
			st.written[at>>6] &^= 1 << (at & 63)
		}
	}
}

// local follows unwritten data through a thread's own memory. What is unwritten there itself is not
// looked at.
func (c *Check) local(st *blockState, e *sim.Access) {
	w := &st.warps[e.Index]
	if c.tainted == 0 && len(w.local) == 0 {
		return
	}
	u := c.usage(e.Site)
	regs := u.values
	if e.Kind == sim.Load {
		regs = u.dests
	}
	if len(regs) == 0 {
		return
	}
	width := e.Size / len(regs)
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		for k, reg := range regs {
			at := uint64(lane)<<48 | e.Addrs[lane] + uint64(k*width)
			if e.Kind == sim.Load {
				var t taint
				for i := range width {
					if b, ok := w.local[at+uint64(i)]; ok {
						t.origin = b.origin
						t.bytes |= 1 << i
					}
				}
				c.set(w, regKey{e.Frame, reg}, lane, t)
				continue
			}
			var t taint
			if reg >= 0 {
				t = w.get(regKey{e.Frame, reg}, lane)
			}
			for i := range width {
				switch {
				case t.bytes>>i&1 != 0:
					if w.local == nil {
						w.local = map[uint64]taint{}
					}
					w.local[at+uint64(i)] = taint{t.origin, 1}
				case w.local != nil:
					delete(w.local, at+uint64(i))
				}
			}
		}
	}
}

// atomic is arithmetic on memory.
func (c *Check) atomic(st *blockState, e *sim.Atomic, lanes uint32) {
	w := &st.warps[e.Index]
	u := c.usage(e.Site)
	for m := lanes; m != 0; m &= m - 1 {
		lane := tool.LaneOf(m)
		addr := e.Addrs[lane]
		var t taint
		if miss := c.missing(st, e.Space, addr, e.Size); miss != 0 {
			at := addr + uint64(bits.TrailingZeros32(miss))
			var copied bool
			if t, copied = c.copies(st, e.Space)[at]; !copied {
				t.origin = c.originOf(origin{
					load: c.run.Site(e.Site), space: e.Space, addr: addr, size: e.Size,
					block: int32(st.Linear), warp: int32(e.Index), lane: lane, seq: e.Seq,
				})
			}
			t.bytes = uint8(miss)
		}
		old := t
		for _, reg := range u.values {
			if v := w.get(regKey{e.Frame, reg}, lane); reg >= 0 && v.bytes != 0 {
				t = v
			}
		}
		c.wrote(st, e.Space, addr, e.Size)
		if t.bytes != 0 && !overwrites(e.Op) {
			c.arithmetic(st, &e.Warp, e.Space, lane, addr, e.Size, t)
		}
		for _, reg := range u.dests {
			c.set(w, regKey{e.Frame, reg}, lane, old)
		}
	}
}

// overwrites says whether what an atomic leaves in memory does not depend on what was there.
func overwrites(op string) bool {
	return op == "exch" || op == "mbarrier.init" || op == "mbarrier.inval"
}

// arithmetic is an atomic on unwritten data.
func (c *Check) arithmetic(st *blockState, w *sim.Warp, space ptx.Space, lane int, addr uint64, size int, t taint) {
	o := c.origins[t.origin]
	if o.use == 0 {
		o.use = c.run.Site(w.Site)
		t.origin = c.originOf(o)
	}
	c.spread(st, w, space, lane, addr, size, taint{t.origin, 0xff})
}

// used makes a finding of a use of unwritten data.
func (c *Check) used(st *blockState, w *sim.Warp, lane int, from uint32, how string) {
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
	f := &report.Finding{Tool: of, Kind: kind, Level: report.Error, Space: o.space, Count: 1, Blocks: 1}
	read := b.Witness("read", load)
	read.Thread = b.Thread(o.block, o.warp, o.lane)
	f.Witnesses = []report.Witness{read}
	if use != load {
		p := b.Witness("use", use)
		p.Thread = b.Thread(int32(st.Linear), int32(w.Index), lane)
		f.Witnesses = append(f.Witnesses, p)
	}
	if o.absent != nil {
		o.absent.describe(b, f, o, how)
	} else {
		c.describe(f, o, how)
	}
	c.found[key] = f
	c.inOrder = append(c.inOrder, f)
}

// describe says what is wrong with using what nothing has written.
func (c *Check) describe(f *report.Finding, o *origin, how string) {
	b := c.run
	load := b.SiteAt(o.load)
	f.Summary = fmt.Sprintf("%s memory that nothing has written, used %s", o.space, how)
	f.Object = b.Object(o.space, o.addr, o.size, o.addr, o.addr+uint64(o.size)-1, tool.AccessType(load.Instr),
		tool.IsC(load.Source.File))
	name := "it"
	if f.Object != nil {
		name = f.Object.Element(f.Object.Index)
	}
	f.Why = "no thread and no copy has written " + name + " before it is read"
	f.Fix = "write every element that is read, also for threads that have no data"
}
