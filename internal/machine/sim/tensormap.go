package sim

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
)

// This file has tensor maps that a kernel makes by itself: tensormap.replace writes their fields,
// and tensormap.cp_fenceproxy brings them to global memory. To an observer each goes 16 bytes by 16
// bytes, or a word a lane.

// mapPart is the size in bytes of an access of tensormap.replace to a map. It makes several.
const mapPart = 16

// fieldOp is tensormap.replace.
type fieldOp struct {
	field code.Field
	dim   int
	value uint32 // slot
	parts []inst // accesses to the map
}

func (b *binder) replaceField(in *code.Inst, to *inst) {
	op := &fieldOp{field: in.Field, dim: int(in.Imm), value: in.Args[0].Off}
	for at := 0; at < abi.TensorMapSize; at += mapPart {
		part := inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}
		b.access(event.Store, in.Mem[0], mapPart, 1, &part)
		part.Imm += uint64(at)
		op.parts = append(op.parts, part)
	}
	to.run, to.observed = op.run, op.watch
}

// run writes a field of the map of each lane.
func (op *fieldOp) run(w *warp, in *inst) {
	for _, lane := range w.lanesInOrder() {
		i := int(lane)
		var m [abi.TensorMapSize]byte
		for k := range op.parts {
			copy(m[k*mapPart:], w.mapPart(&op.parts[k], i))
		}
		if why := abi.ReplaceTensorField(m[:], string(op.field), op.dim, reg[uint64](w, op.value)[i]); why != "" {
			w.wk.raise(w.fault(in, i, event.BadTensorMap, why))
			continue
		}
		for k := range op.parts {
			copy(w.mapPart(&op.parts[k], i), m[k*mapPart:])
		}
	}
	w.advance()
}

// mapPart is the memory of a part of a lane's map.
func (w *warp) mapPart(part *inst, lane int) []byte {
	return unsafe.Slice((*byte)(w.pointer(part, lane, w.address(part.mem, part, lane))), mapPart)
}

// watch writes a field of the map of each lane and tells of it.
func (op *fieldOp) watch(w *warp, in *inst) {
	if !in.follows {
		w.sendStep(in.site)
	}
	var before [abi.WarpSize][abi.TensorMapSize]byte
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		for k := range op.parts {
			copy(before[i][k*mapPart:], w.mapPart(&op.parts[k], i))
		}
	}
	op.run(w, in)
	for k := range op.parts {
		part := &op.parts[k]
		for m := w.Exec; m != 0; m &= m - 1 {
			i := firstLane(m)
			copy(w.wk.events.before[i][:], before[i][k*mapPart:])
		}
		w.tellAccess(part, w.saveAddresses(part.mem, part), w.Exec, nil, nil)
	}
}

// mapCopy is tensormap.cp_fenceproxy: each lane copies a word.
type mapCopy struct{ to, from, fence inst }

func (b *binder) copyMap(in *code.Inst) *mapCopy {
	c := &mapCopy{}
	for i, to := range []*inst{&c.to, &c.from} {
		*to = inst{site: in.Site, follows: true, run: func(*warp, *inst) {}}
		kind := event.Store
		if i == 1 {
			kind = event.Load
		}
		b.access(kind, in.Mem[i], abi.TensorMapSize/abi.WarpSize, 1, to)
	}
	c.fence = inst{site: in.Site, follows: true, run: fence}
	op := &fenceOp{order: event.Release, scope: in.Scope}
	c.fence.observed = op.watch
	return c
}

// access copies the map, and gives it to those who acquire.
func (c *mapCopy) access(w *warp) {
	const word = abi.TensorMapSize / abi.WarpSize
	var to, from [abi.WarpSize]uint64
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		to[i] = w.address(c.to.mem, &c.to, i) + uint64(word*i)
		from[i] = w.address(c.from.mem, &c.from, i) + uint64(word*i)
	}
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		dst, src := (*uint32)(w.pointer(&c.to, i, to[i])), (*uint32)(w.pointer(&c.from, i, from[i]))
		*(*uint32)(unsafe.Pointer(&w.wk.events.before[i])) = *dst
		*dst = *src
	}
	w.advance()
	if w.wk.obs != nil {
		w.tellAccess(&c.from, &from, w.Exec, nil, nil)
		w.tellAccess(&c.to, &to, w.Exec, nil, nil)
		c.fence.observed(w, &c.fence)
	} else {
		fence(w, &c.fence)
	}
}
