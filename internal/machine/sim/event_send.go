package sim

import (
	"context"
	"slices"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file turns what the machine does into events. Nothing here runs without an observer.

// eventsPerLook is how many events are sent between two looks at whether the launch is to end: a
// warp's turn may take an observer minutes.
const eventsPerLook = 256

// event fills the part that events of a warp share.
func (w *warp) event(site *event.Site, lanes uint32) event.Warp {
	if w.wk.sent++; w.wk.sent%eventsPerLook == 0 && w.wk.launch.ctx.Err() != nil {
		w.wk.launch.fail(context.Cause(w.wk.launch.ctx))
		w.fuel, w.reserve = 0, 0
	}
	return event.Warp{
		Block: &w.cta.Block, Index: w.index, Mask: lanes, Site: site,
		Frame: w.fr.id, Seq: w.wk.instrs + w.instrs,
	}
}

// events are the events that a worker sends most, used again and again: an event is only valid
// during the call.
type events struct {
	step   event.Step
	access event.Access
	atomic event.Atomic
	branch event.Branch
	arrive event.BarrierArrive
	meet   event.BarrierComplete
	sync   event.WarpSync
	exit   event.Exit
	// Of the access under way: the lanes' addresses, the same as offsets, and what memory held
	// before a store.
	addrs, offsets [abi.WarpSize]uint64
	before, after  [abi.WarpSize][event.MaxAccess]byte
	rows           rowParts
	// apart is the order of the lanes if some store to one address. after is then what each stored.
	apart [abi.WarpSize]uint8
	data  accessData // of access
}

// accessData reads what an access of w has just loaded or stored.
type accessData struct {
	w    *warp
	in   *inst
	flat *[abi.WarpSize]uint64 // the lanes' addresses
	seg  *memory.Segment       // of all lanes of an access of rows; else nil
}

// Bytes implements event.Data.
func (d *accessData) Bytes(lane int) []byte {
	e := &d.w.wk.events
	if d.seg != nil {
		return unsafe.Slice((*byte)(unsafe.Add(d.seg.P, d.flat[lane&31]-d.seg.Base)), e.access.Size)
	}
	if e.access.Lanes != nil {
		return e.after[lane&31][:e.access.Size]
	}
	return unsafe.Slice((*byte)(d.w.peek(d.in, lane, d.flat[lane&31])), e.access.Size)
}

// Before implements event.Data.
func (d *accessData) Before(lane int) []byte {
	e := &d.w.wk.events
	if d.seg != nil {
		return e.rows.before[lane*e.access.Size:][:e.access.Size]
	}
	return e.before[lane&31][:e.access.Size]
}

// steps says whether the observer is to be told of every instruction.
func (l *launch) steps() bool { return l.Steps && (l.StepsWhile == nil || *l.StepsWhile) }

// Predicate implements event.Predicates.
func (w *warp) Predicate(reg int) uint32 {
	slot, ok := w.fr.fn.slots[reg]
	if !ok || slot.Bits != 1 {
		return 0
	}
	return *predicate(w, slot.Off)
}

func (w *warp) sendStep(site *event.Site) {
	if l := w.wk.launch; l.steps() || l.ProductSteps && site.Product {
		e := &w.wk.events.step
		e.Warp, e.Predicates = w.event(site, w.Exec), w
		w.wk.obs.Observe(e)
	}
}

// sendSkip tells of lanes whose guard is false.
func (w *warp) sendSkip(site *event.Site, lanes uint32) {
	if lanes != 0 && w.wk.launch.steps() {
		w.wk.obs.Observe(&event.Skip{Warp: w.event(site, lanes)})
	}
}

// sendBranch tells of a branch. A branch that replaces the guard of the next instruction (step
// false) is no step.
func (w *warp) sendBranch(site *event.Site, taken uint32, entry int, step bool) {
	if step {
		w.sendStepMask(site)
	} else {
		w.sendSkip(site, taken)
	}
	e := &w.wk.events.branch
	e.Warp, e.Taken, e.Entry = w.event(site, w.mask), taken, entry
	w.wk.obs.Observe(e)
}

// sendStepMask sends a Step for an instruction that all lanes of the group run.
func (w *warp) sendStepMask(site *event.Site) {
	w.Exec = w.mask
	w.sendStep(site)
}

// copies describes what a call or return transfers.
func copies(from *frame, src []code.Param, to *frame, dst []code.Param) []event.Copy {
	var list []event.Copy
	for i := range src {
		list = append(list, event.Copy{From: from.operand(&src[i]), To: to.operand(&dst[i])})
	}
	return list
}

// operand is the place of a parameter of a call in a frame.
func (f *frame) operand(p *code.Param) event.CallOperand {
	if p.Reg.Bits != 0 {
		return event.CallOperand{Reg: p.Num, Immediate: p.Num < 0}
	}
	return event.CallOperand{Reg: -1, Offset: int(f.stack + p.Off), Size: int(p.Size)}
}

func (w *warp) sendExit(site *event.Site, lanes uint32) {
	w.sendStep(site)
	e := &w.wk.events.exit
	e.Warp = w.event(site, lanes)
	w.wk.obs.Observe(e)
}

func (w *warp) sendArrive(site *event.Site, id int, kind event.BarrierKind, expected int) {
	w.sendStepMask(site)
	e := &w.wk.events.arrive
	*e = event.BarrierArrive{Warp: w.event(site, w.mask), ID: id, Kind: kind, Expected: expected}
	w.wk.obs.Observe(e)
}

func (c *cta) sendComplete(id int, bar *barrier) {
	e := &c.wk.events.meet
	*e = event.BarrierComplete{Block: &c.Block, ID: id, Sites: bar.sites, Arrived: e.Arrived[:0], Exited: e.Exited[:0]}
	for i, w := range c.warps {
		e.Arrived = append(e.Arrived, bar.arrived[i])
		e.Exited = append(e.Exited, w.exist&^w.live&^bar.arrived[i])
	}
	c.wk.obs.Observe(e)
}

// sendWarpSync is sent before the operation is performed, save for shfl, whose sources are known
// only then.
func (w *warp) sendWarpSync(in *inst, op *syncOp, lanes, member uint32, sites *[abi.WarpSize]*event.Site) {
	w.sendStep(in.site)
	e := &w.wk.events.sync
	*e = event.WarpSync{Warp: w.event(in.site, lanes), Op: op.op, Member: member, Sites: sites}
	if op.mode != "" {
		e.Sources = w.shuffleSources(in, op)
	}
	w.wk.obs.Observe(e)
}

// shuffleSources are the lanes that a shuffle is about to read.
func (w *warp) shuffleSources(in *inst, op *syncOp) *[abi.WarpSize]uint8 {
	b, c := reg[uint32](w, in.B), reg[uint32](w, in.C)
	for lane := range abi.WarpSize {
		j, _ := lanes.ShuffleSource(op.mode, lane, b[lane], c[lane])
		w.wk.sources[lane] = uint8(j)
	}
	return &w.wk.sources
}

func (w *warp) sendActive(in *inst) {
	w.wk.obs.Observe(&event.WarpSync{Warp: w.event(in.site, w.Exec), Op: "activemask", Member: w.Exec})
}

// watchAccess performs a load or store and tells of it.
func watchAccess(w *warp, in *inst) {
	if !in.follows {
		w.sendStep(in.site)
	}
	op := in.mem
	if op.rowed(in.seg) && w.watchRows(in) {
		return
	}
	addrs := w.saveAddresses(op, in)
	var apart []uint8
	if op.kind == event.Store {
		apart = w.runStore(in, addrs)
	} else {
		in.run(w, in)
	}
	w.tellAccess(in, addrs, w.Exec, apart, nil)
}

// tellAccess tells of an access of lanes, by themselves or by an agent.
func (w *warp) tellAccess(in *inst, addrs *[abi.WarpSize]uint64, rest uint32, apart []uint8, by *event.Agent) {
	op := in.mem
	e := &w.wk.events.access
	e.Kind, e.Size, e.Order, e.Scope, e.Lanes, e.Part, e.Agent = op.kind, int(op.size), op.order, op.scope, apart, op.part, by
	e.Reduces, e.Texel, e.Rows = op.reduces, op.texel, nil
	w.wk.events.data = accessData{w: w, in: in, flat: addrs}
	e.Data = &w.wk.events.data
	for rest != 0 {
		space, home, lanes := w.lanesOfSpace(op, addrs, rest)
		rest &^= lanes
		e.Warp, e.Space, e.Home, e.Addrs = w.event(in.site, lanes), space, home, w.relative(op, space, addrs)
		w.wk.obs.Observe(e)
	}
}

// lanesOfSpace returns the lanes whose address is in the space of the first one's, and for shared
// memory in the same block's, which it returns as home.
func (w *warp) lanesOfSpace(op *memOp, addrs *[abi.WarpSize]uint64, lanes uint32) (space ptx.Space, home *event.Block, same uint32) {
	first := addrs[firstLane(lanes)]
	space = w.spaceOfAccess(op, first)
	if space == ptx.SharedSpace {
		home = w.home(op, first)
	}
	if op.space != ptx.GenericSpace && op.space != ptx.ParamSpace && !op.cluster {
		return space, home, lanes
	}
	for m := lanes; m != 0; m &= m - 1 {
		i := firstLane(m)
		if w.spaceOfAccess(op, addrs[i]) == space && (home == nil || w.home(op, addrs[i]) == home) {
			same |= 1 << i
		}
	}
	return space, home, same
}

// runStore performs a store and notes what was there before. Where lanes store to one address they
// go one by one, so that it is known what each of them found and stored, and their order is
// returned.
func (w *warp) runStore(in *inst, addrs *[abi.WarpSize]uint64) (apart []uint8) {
	op, ev := in.mem, &w.wk.events
	if !w.sharesAddress(addrs) {
		for m := w.Exec; m != 0; m &= m - 1 {
			i := firstLane(m)
			copyBytes(&ev.before[i], w.peek(in, i, addrs[i]), op.size)
		}
		in.run(w, in)
		return nil
	}
	all := w.Exec
	apart = ev.apart[:copy(ev.apart[:], w.lanesInOrder())] // the running instruction uses the worker's list
	for _, lane := range apart {
		i := int(lane & 31)
		copyBytes(&ev.before[i], w.peek(in, i, addrs[i]), op.size)
		w.Exec = 1 << i
		in.run(w, in)
		copyBytes(&ev.after[i], w.peek(in, i, addrs[i]), op.size)
	}
	w.Exec = all
	return apart
}

func copyBytes(to *[event.MaxAccess]byte, from unsafe.Pointer, n uint64) {
	switch n {
	case 4:
		*(*uint32)(unsafe.Pointer(to)) = *(*uint32)(from)
	case 8:
		*(*uint64)(unsafe.Pointer(to)) = *(*uint64)(from)
	default:
		copy(to[:n], unsafe.Slice((*byte)(from), n))
	}
}

// sharesAddress says whether two running lanes have one address.
func (w *warp) sharesAddress(addrs *[abi.WarpSize]uint64) bool {
	rising, last := true, uint64(0)
	for m := w.Exec; m != 0; m &= m - 1 {
		a := addrs[firstLane(m)]
		rising = rising && (a > last || m == w.Exec)
		last = a
	}
	if rising {
		return false
	}
	for m := w.Exec; m != 0; m &= m - 1 {
		for n := m & (m - 1); n != 0; n &= n - 1 {
			if addrs[firstLane(m)] == addrs[firstLane(n)] {
				return true
			}
		}
	}
	return false
}

// saveAddresses notes the lanes' addresses before the instruction can overwrite its own address
// register.
func (w *warp) saveAddresses(op *memOp, in *inst) *[abi.WarpSize]uint64 {
	addrs := &w.wk.events.addrs
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		addrs[i] = w.address(op, in, i)
	}
	return addrs
}

// spaceOfAccess is the space that an access of a lane goes to.
func (w *warp) spaceOfAccess(op *memOp, addr uint64) ptx.Space {
	if op.space == ptx.GenericSpace || op.space == ptx.ParamSpace {
		return w.wk.m.SpaceOf(addr)
	}
	return op.space
}

// relative gives addresses of shared, local and parameter memory as offsets from its start.
func (w *warp) relative(op *memOp, space ptx.Space, addrs *[abi.WarpSize]uint64) *[abi.WarpSize]uint64 {
	base := baseOf(op, space)
	if base == 0 {
		return addrs
	}
	r := &w.wk.events.offsets
	for i := range r {
		r[i] = addrs[i] - base
	}
	if space == ptx.SharedSpace && w.cta.ClusterSize() > 1 {
		for i := range r {
			if w.reach(op, addrs[i]) != nil {
				r[i] = memory.OwnAddress(addrs[i]) - base
			}
		}
	}
	return r
}

// baseOf is the address, in an access, of the first byte of the memory of a space: 0 for spaces whose
// events have addresses, not offsets.
func baseOf(op *memOp, space ptx.Space) uint64 {
	own := op.space != ptx.GenericSpace && op.space != ptx.ParamSpace
	switch space {
	case ptx.SharedSpace:
		if own {
			return memory.SharedBase
		}
		return memory.SharedWindow + memory.SharedBase
	case ptx.LocalSpace:
		if own {
			return memory.LocalBase
		}
		return memory.LocalWindow + memory.LocalBase
	case ptx.ParamSpace:
		return memory.ParamWindow
	}
	return 0
}

// peek is pointer for a reader that must not fault: a bad access shows zeros.
func (w *warp) peek(in *inst, lane int, addr uint64) unsafe.Pointer {
	op := in.mem
	s := w.wk.segs[in.seg]
	if off := addr - s.Base; off < s.Size && s.Size-off >= op.size && off&(op.size-1) == 0 {
		return unsafe.Add(s.P, off)
	}
	s = w.find(op, addr, w.localSegment(lane))
	if s == nil || addr-s.Base >= s.Size || s.Size-(addr-s.Base) < op.size || addr%op.size != 0 {
		return w.wk.wasted()
	}
	return unsafe.Add(s.P, addr-s.Base)
}

// atomicResults collects what the lanes of an atomic found and left.
type atomicResults struct {
	lanes            []uint8
	old, new         [abi.WarpSize]uint64
	oldHigh, newHigh [abi.WarpSize]uint64 // of 16 bytes
	matched          uint32               // lanes whose comparison held
}

func (wk *worker) noteAtomic(lane int, old, now uint64, matched bool) {
	r := &wk.atomics
	r.lanes = append(r.lanes, uint8(lane))
	r.old[lane&31], r.new[lane&31] = old, now
	r.matched |= lanes.Bit(matched) << lane
}

// watchAtomic performs an atomic and tells of it.
func watchAtomic(w *warp, in *inst) { w.sendAtomic(in, w.runAtomic(in)) }

// sendAtomic tells of an atomic that has been performed, of the lanes that went to each block's
// shared memory by themselves.
func (w *warp) sendAtomic(in *inst, e *event.Atomic) {
	op, all, list := in.mem, *e, e.Lanes
	for rest := all.Mask; rest != 0; {
		var lanes uint32
		e.Space, e.Home, lanes = w.lanesOfSpace(op, &w.wk.events.addrs, rest)
		rest &^= lanes
		if lanes != all.Mask {
			e.Lanes = slices.DeleteFunc(slices.Clone(list), func(lane uint8) bool { return lanes>>lane&1 == 0 })
		}
		e.Mask, e.Wrote, e.Passed = lanes, all.Wrote&lanes, all.Passed&lanes
		e.Addrs = w.relative(op, e.Space, &w.wk.events.addrs)
		w.wk.obs.Observe(e)
	}
}

// runAtomic performs an atomic and makes its event, except the addresses.
func (w *warp) runAtomic(in *inst) *event.Atomic {
	if !in.follows {
		w.sendStep(in.site)
	}
	op := in.mem
	w.saveAddresses(op, in)
	r := &w.wk.atomics
	r.lanes, r.matched = r.lanes[:0], 0
	in.run(w, in)
	wrote := w.Exec
	if op.atom.cas {
		wrote &= r.matched
	}
	e := &w.wk.events.atomic
	*e = event.Atomic{
		Warp: w.event(in.site, w.Exec), Op: op.atom.name, Red: op.atom.red, Size: int(op.size),
		Element: op.atom.element, Elements: op.atom.elements,
		Order: op.order, Scope: op.scope,
		Lanes: r.lanes, Old: &r.old, New: &r.new, OldHigh: &r.oldHigh, NewHigh: &r.newHigh, Wrote: wrote,
	}
	return e
}

// watch performs a fence and tells of it.
func (op *fenceOp) watch(w *warp, in *inst) {
	if !in.follows {
		w.sendStep(in.site)
	}
	fence(w, in)
	w.wk.obs.Observe(&event.Fence{Warp: w.event(in.site, w.Exec), Order: op.order, Scope: op.scope, Inits: op.inits})
}

// watchProxyFence tells of a proxy fence for memory of a space.
func watchProxyFence(space ptx.Space) exec {
	return func(w *warp, in *inst) {
		if !in.follows {
			w.sendStep(in.site)
		}
		w.wk.obs.Observe(&event.ProxyFence{Warp: w.event(in.site, w.Exec), Space: space})
	}
}
