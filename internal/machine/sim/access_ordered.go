package sim

import (
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/ptx"
)

// loadOrdered is a volatile, relaxed or acquire load of a scalar or vector.
func loadOrdered(w *warp, in *inst) {
	op := in.mem
	var addr uint64
	for _, i := range w.lanesInOrder() {
		i &= 31
		addr = w.address(op, in, int(i))
		p := w.pointer(in, int(i), addr)
		for k, slot := range op.regs {
			at := uintptr(k) * uintptr(op.elem)
			v := op.extend(atomicLoad(unsafe.Add(p, at), addr+uint64(at), op.elem))
			if op.wide {
				reg[uint64](w, slot)[i] = v
			} else {
				reg[uint32](w, slot)[i] = uint32(v)
			}
		}
	}
	w.poll(addr)
}

// storeOrdered is a volatile, relaxed or release store of a scalar or vector.
func storeOrdered(w *warp, in *inst) {
	op := in.mem
	for _, i := range w.lanesInOrder() {
		i &= 31
		addr := w.address(op, in, int(i))
		p := w.pointer(in, int(i), addr)
		for k, slot := range op.regs {
			var v uint64
			if op.wide {
				v = reg[uint64](w, slot)[i]
			} else {
				v = uint64(reg[uint32](w, slot)[i])
			}
			at := uintptr(k) * uintptr(op.elem)
			atomicStore(unsafe.Add(p, at), addr+uint64(at), op.elem, v)
		}
	}
	w.advance()
}

// atomicLoad reads size bytes at p, whose address in the simulated machine is addr, at once.
func atomicLoad(p unsafe.Pointer, addr, size uint64) uint64 {
	switch size {
	case 8:
		return atomic.LoadUint64((*uint64)(p))
	case 4:
		return uint64(atomic.LoadUint32((*uint32)(p)))
	}
	word, shift := wordAround(p, addr)
	return uint64(atomic.LoadUint32(word) >> shift & (1<<(8*size) - 1))
}

func atomicStore(p unsafe.Pointer, addr, size, v uint64) {
	switch size {
	case 8:
		atomic.StoreUint64((*uint64)(p), v)
		return
	case 4:
		atomic.StoreUint32((*uint32)(p), uint32(v))
		return
	}
	word, shift := wordAround(p, addr)
	mask := uint32(1<<(8*size)-1) << shift
	rmw32(word, func(old, b, _ uint32) uint32 { return old&^mask | b&mask }, uint32(v)<<shift, 0, true)
}

// fence orders this worker's memory accesses as seen by the others. An atomic on the worker's own
// word is a full barrier on every processor that Go runs on.
func fence(w *warp, _ *inst) { w.wk.fence.Add(1) }

// fenceOp is a fence: what it orders, for whom.
type fenceOp struct {
	order event.MemOrder
	scope event.Scope
	inits bool // of mbarriers, and nothing else
}

// fenceOf returns the order and scope of membar and fence.
func fenceOf(in *code.Inst) *fenceOp {
	op := &fenceOp{order: event.SeqCst, scope: in.Scope, inits: in.Has(code.InitsMbarrier)}
	if in.Order != "" {
		op.order = in.Order
	} else if in.Op == ptx.OpFence {
		op.order = event.AcqRel
	}
	return op
}
