package sim

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
	"github.com/gridstride/gridstride/internal/ptx"
)

// This file has suld and sust. Each finds an address for every lane, and is a load or a store of
// global memory there.

// surfaceOp is suld or sust.
type surfaceOp struct {
	dims    int
	layered bool
	bounds  texture.Bounds
	kind    event.AccessKind
	size    int
	args    []uint32 // slots: the handle, the layer, the coordinates
	addrs   uint32   // slot: where the lanes' texels are
	access  inst     // the load or store at them
	results []code.Slot
}

func (b *binder) surface(in *code.Inst, to *inst) {
	op := &surfaceOp{
		layered: in.Has(code.Layered), dims: in.Dims, bounds: texture.Bounds(in.Clamp), addrs: in.Mem[0].Base.Off, results: in.Dst,
	}
	for _, s := range in.Args[:2+op.dims] {
		op.args = append(op.args, s.Off)
	}
	data := *in
	data.Args = in.Args[2+op.dims:]
	op.access = inst{Inst: lanes.Slots(&data), site: in.Site, follows: true}
	if in.Op == ptx.OpSuld {
		b.load(&data, &op.access)
	} else {
		b.store(&data, &op.access)
	}
	m := op.access.mem
	op.kind, op.size = m.kind, int(m.size)
	to.run, to.observed = op.run, op.watch
}

// run loads or stores for each running lane.
func (op *surfaceOp) run(w *warp, in *inst) {
	op.where(w, in, func() { op.access.run(w, &op.access) })
}

// watch loads or stores and tells of it.
func (op *surfaceOp) watch(w *warp, in *inst) {
	if !in.follows {
		w.sendStep(in.site)
	}
	op.where(w, in, func() { op.access.observed(w, &op.access) })
}

// where calls access with the lanes running whose texel there is, and gives zeros to the others.
func (op *surfaceOp) where(w *warp, in *inst, access func()) {
	all := w.Exec
	inside := op.places(w, in)
	for m := all &^ inside; m != 0; m &= m - 1 {
		i := firstLane(m)
		for _, s := range op.results {
			if s.Bits == 64 {
				reg[uint64](w, s.Off)[i] = 0
			} else {
				reg[uint32](w, s.Off)[i] = 0
			}
		}
	}
	if inside != 0 {
		w.Exec = inside
		access()
		w.Exec = all
	}
}

// places finds the addresses of the running lanes, and returns the lanes that have one.
func (op *surfaceOp) places(w *warp, in *inst) (inside uint32) {
	var o *object
	last := uint64(0)
	addrs := reg[uint64](w, op.addrs)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		if handle := reg[uint64](w, op.args[0])[i]; o == nil || handle != last {
			var kind event.FaultKind
			var why string
			if o, kind, why = op.object(w, handle); why != "" {
				w.wk.raise(w.fault(in, i, kind, why))
				o = nil
				continue
			}
			last = handle
		}
		var at [3]int32
		for d := range op.dims {
			at[d] = int32(reg[uint32](w, op.args[2+d])[i])
		}
		offset, err := o.surface.Place(at, reg[uint32](w, op.args[1])[i], op.size, op.bounds)
		var misaligned *texture.Misaligned
		switch {
		case errors.As(err, &misaligned):
			w.wk.raise(w.fault(in, i, event.Misaligned, err.Error()))
		case err != nil:
			w.wk.raise(w.fault(in, i, event.OutOfBounds, fmt.Sprintf("%s of %d bytes at %v", op.kind, op.size, err)))
		case offset >= 0:
			addrs[i] = o.addr + uint64(offset)
			inside |= 1 << i
		}
	}
	return inside
}

// object is the surface of a handle, and why the instruction cannot access it: "" if it can.
func (op *surfaceOp) object(w *warp, handle uint64) (o *object, kind event.FaultKind, why string) {
	o, kind, why = w.wk.m.object(handle, true)
	if why != "" {
		return nil, kind, why
	}
	if s := o.surface; s.Dims() != op.dims || s.Layered() != op.layered {
		return nil, event.BadSurface, fmt.Sprintf("the surface has %s, and the instruction accesses %s",
			shapeName(s.Dims(), s.Layered(), false), shapeName(op.dims, op.layered, false))
	}
	return o, "", ""
}
