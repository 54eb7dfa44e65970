package sim

import (
	"time"

	"github.com/gridstride/gridstride/internal/ptx"
)

// specialSlot is a slot that is filled when a frame starts: a special register whose value does not change while a block
// runs, or an address in the frame's local memory.
type specialSlot struct {
	slot
	fill func(w *warp, f *frame, lane int) uint64
	same bool // all lanes have one value
}

// fillSpecial gives a fresh frame its special registers.
func (w *warp) fillSpecial(f *frame) {
	for i := range f.fn.special {
		s := &f.fn.special[i]
		v := s.fill(w, f, 0)
		for lane := range WarpSize {
			if !s.same && lane > 0 {
				v = s.fill(w, f, lane)
			}
			f.set(s.slot, lane, v)
		}
	}
}

// fixedSpecials are the special registers that stay the same while a block runs.
var fixedSpecials = map[string]specialSlot{
	"%tid.x":  {fill: threadIndex(0)},
	"%tid.y":  {fill: threadIndex(1)},
	"%tid.z":  {fill: threadIndex(2)},
	"%laneid": {fill: func(_ *warp, _ *frame, lane int) uint64 { return uint64(lane) }},

	"%lanemask_eq": {fill: func(_ *warp, _ *frame, lane int) uint64 { return 1 << lane }},
	"%lanemask_lt": {fill: func(_ *warp, _ *frame, lane int) uint64 { return 1<<lane - 1 }},
	"%lanemask_le": {fill: func(_ *warp, _ *frame, lane int) uint64 { return 2<<lane - 1 }},
	"%lanemask_gt": {fill: func(_ *warp, _ *frame, lane int) uint64 { return 1<<32 - 2<<lane }},
	"%lanemask_ge": {fill: func(_ *warp, _ *frame, lane int) uint64 { return 1<<32 - 1<<lane }},

	"%ntid.x":   {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Dim[0]) }},
	"%ntid.y":   {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Dim[1]) }},
	"%ntid.z":   {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Dim[2]) }},
	"%ctaid.x":  {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Index[0]) }},
	"%ctaid.y":  {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Index[1]) }},
	"%ctaid.z":  {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Index[2]) }},
	"%nctaid.x": {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Grid[0]) }},
	"%nctaid.y": {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Grid[1]) }},
	"%nctaid.z": {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Grid[2]) }},

	"%warpid":  {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.index) }},
	"%nwarpid": {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(len(w.cta.warps)) }},
	"%smid":    {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.wk.index) }},
	"%nsmid":   {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(len(w.wk.run.workers)) }},
	"%gridid":  {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return w.wk.run.id }},

	"%dynamic_smem_size": {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.wk.run.Shared) }},
	"%total_smem_size":   {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Shared) }},
	"%aggr_smem_size":    {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Shared + sharedBase) }},

	// The first KiB of shared memory is the system's.
	"%reserved_smem_offset_begin": {same: true, fill: constantSpecial(0)},
	"%reserved_smem_offset_end":   {same: true, fill: constantSpecial(sharedBase)},
	"%reserved_smem_offset_cap":   {same: true, fill: constantSpecial(sharedBase)},
	"%reserved_smem_offset_0":     {same: true, fill: constantSpecial(0)},
	"%reserved_smem_offset_1":     {same: true, fill: constantSpecial(0)},

	// Every block is a cluster of its own.
	"%clusterid.x":         {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Index[0]) }},
	"%clusterid.y":         {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Index[1]) }},
	"%clusterid.z":         {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Index[2]) }},
	"%nclusterid.x":        {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Grid[0]) }},
	"%nclusterid.y":        {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Grid[1]) }},
	"%nclusterid.z":        {same: true, fill: func(w *warp, _ *frame, _ int) uint64 { return uint64(w.cta.Grid[2]) }},
	"%cluster_nctaid.x":    {same: true, fill: constantSpecial(1)},
	"%cluster_nctaid.y":    {same: true, fill: constantSpecial(1)},
	"%cluster_nctaid.z":    {same: true, fill: constantSpecial(1)},
	"%cluster_ctaid.x":     {same: true, fill: constantSpecial(0)},
	"%cluster_ctaid.y":     {same: true, fill: constantSpecial(0)},
	"%cluster_ctaid.z":     {same: true, fill: constantSpecial(0)},
	"%cluster_nctarank":    {same: true, fill: constantSpecial(1)},
	"%cluster_ctarank":     {same: true, fill: constantSpecial(0)},
	"%is_explicit_cluster": {same: true, fill: constantSpecial(0)},
}

func threadIndex(dim int) func(*warp, *frame, int) uint64 {
	return func(w *warp, _ *frame, lane int) uint64 {
		return uint64(w.cta.Thread(w.index*WarpSize + lane)[dim])
	}
}

func constantSpecial(v uint64) func(*warp, *frame, int) uint64 {
	return func(*warp, *frame, int) uint64 { return v }
}

// clocks are the special registers that change while a thread runs. A clock counts the instructions of the worker. The global
// timer does so too when somebody observes, for the sake of determinism.
var clocks = map[string]func(w *warp) uint64{
	"%clock":          func(w *warp) uint64 { return uint64(uint32(w.now())) },
	"%clock_hi":       func(w *warp) uint64 { return w.now() >> 32 },
	"%clock64":        func(w *warp) uint64 { return w.now() },
	"%globaltimer":    func(w *warp) uint64 { return w.nanoseconds() },
	"%globaltimer_lo": func(w *warp) uint64 { return uint64(uint32(w.nanoseconds())) },
	"%globaltimer_hi": func(w *warp) uint64 { return w.nanoseconds() >> 32 },
}

// now is the number of instructions that the worker has run, and a bit more with every look.
func (w *warp) now() uint64 {
	w.wk.looks++
	return w.wk.instrs + w.instrs + w.wk.looks
}

func (w *warp) nanoseconds() uint64 {
	if w.wk.obs != nil {
		return w.now()
	}
	return uint64(time.Now().UnixNano())
}

// special returns the slot of a special register.
func (d *decoder) special(sym ptx.Symbol) slot {
	if sym.Vector > 0 {
		d.failf("%s is a vector; name one of its components", sym.Name)
	}
	if read, ok := clocks[sym.Name]; ok {
		tmp := d.fn.file.alloc(slotBits(sym.Type))
		if tmp.bits == 64 {
			d.compute(inst{run: func(w *warp, in *inst) { fill(reg[uint64](w, in.d), read(w)) }}, tmp)
		} else {
			d.compute(inst{run: func(w *warp, in *inst) { fill(reg[uint32](w, in.d), uint32(read(w))) }}, tmp)
		}
		return tmp
	}
	s, ok := fixedSpecials[sym.Name]
	if !ok { // %envreg, %pm, the fourth components: zero, as without a driver that sets them
		return d.constant(sym.Type, 0)
	}
	return d.filled(sym.Name, slotBits(sym.Type), s)
}

// filled returns the slot that is filled by s when a frame starts, one for each name.
func (d *decoder) filled(name string, bits int, s specialSlot) slot {
	if s, ok := d.fills[name]; ok {
		return s
	}
	s.slot = d.fn.file.alloc(bits)
	d.fn.special = append(d.fn.special, s)
	d.fills[name] = s.slot
	return s.slot
}
