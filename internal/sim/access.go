package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/internal/ptx"
)

// memOp is the ext of an instruction that accesses memory.
type memOp struct {
	kind   AccessKind
	space  ptx.Space // of the instruction; generic when it names none
	size   uint64    // bytes of an access, all elements of a vector
	addr32 bool      // the address register is 32 bits wide
	order  MemOrder
	scope  Scope
	poll   bool                // a thread can wait by repeating it
	regs   []uint32            // a vector's registers; 0 for a result that is thrown away
	elem   uint64              // bytes of a vector's element
	extend func(uint64) uint64 // of an ordered load: what the register gets
	wide   bool                // the registers of an ordered access are 64 bits
	atom   *atomOp             // of an atomic
}

// The first entries of worker.segs; behind them every access to global memory has one for the segment it met last.
const (
	segShared = iota // the current block's shared memory, at its shared addresses
	segWindow        // the same, at its generic addresses
	segParam         // the launch's parameters
	segCache
)

// element is what memory holds for one lane.
type element interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64
}

// load reads a T for every running lane and extends it to the register type R. A is the type of the address register.
func load[R, T, A interface{ word | element }](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	d, a := (*[WarpSize]R)(unsafe.Add(w.base, in.d)), (*[WarpSize]A)(unsafe.Add(w.base, in.a))
	seg := w.wk.segs[in.seg]
	for m := w.exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		off := uint64(a[i]) + in.imm - seg.base
		var p unsafe.Pointer
		if off < seg.size&^(size-1) && off&(size-1) == 0 {
			p = unsafe.Add(seg.p, off)
		} else {
			p, seg = w.locate(in, i, off+seg.base, seg)
		}
		d[i] = R(*(*T)(p))
	}
}

// loadRow is load for registers as wide as memory, with a short way for 32 lanes that read 32 consecutive elements.
func loadRow[T uint32 | uint64, A uint32 | uint64](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	a := reg[A](w, in.a)
	if w.exec == ^uint32(0) && consecutive(a, A(size)) {
		seg := w.wk.segs[in.seg]
		off := uint64(a[0]) + in.imm - seg.base
		if off < seg.size && seg.size-off >= WarpSize*size && off&(size-1) == 0 {
			*reg[T](w, in.d) = *(*[WarpSize]T)(unsafe.Add(seg.p, off))
			return
		}
	}
	load[T, T, A](w, in)
}

// store writes the low bits of register type R as a T.
func store[R, T, A interface{ word | element }](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	b, a := (*[WarpSize]R)(unsafe.Add(w.base, in.b)), (*[WarpSize]A)(unsafe.Add(w.base, in.a))
	seg := w.wk.segs[in.seg]
	w.advance()
	if w.wk.order != Ascending {
		storeByOrder[R, T, A](w, in)
		return
	}
	for m := w.exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		off := uint64(a[i]) + in.imm - seg.base
		var p unsafe.Pointer
		if off < seg.size&^(size-1) && off&(size-1) == 0 {
			p = unsafe.Add(seg.p, off)
		} else {
			p, seg = w.locate(in, i, off+seg.base, seg)
		}
		*(*T)(p) = T(b[i])
	}
}

// storeByOrder is store with the lanes in the launch's order, which decides when two write to one address.
func storeByOrder[R, T, A interface{ word | element }](w *warp, in *inst) {
	b, a := (*[WarpSize]R)(unsafe.Add(w.base, in.b)), (*[WarpSize]A)(unsafe.Add(w.base, in.a))
	for _, i := range w.lanesInOrder() {
		*(*T)(w.pointer(in, int(i), uint64(a[i])+in.imm)) = T(b[i])
	}
}

// storeRow is store with a short way for 32 consecutive elements.
func storeRow[T uint32 | uint64, A uint32 | uint64](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	a := reg[A](w, in.a)
	if w.exec == ^uint32(0) && consecutive(a, A(size)) {
		seg := w.wk.segs[in.seg]
		off := uint64(a[0]) + in.imm - seg.base
		if off < seg.size && seg.size-off >= WarpSize*size && off&(size-1) == 0 {
			*(*[WarpSize]T)(unsafe.Add(seg.p, off)) = *reg[T](w, in.b)
			w.advance()
			return
		}
	}
	store[T, T, A](w, in)
}

// consecutive says whether each lane's address is step behind the one before.
func consecutive[A uint32 | uint64](a *[WarpSize]A, step A) bool {
	next := a[0]
	for i := range a {
		if a[i] != next {
			return false
		}
		next += step
	}
	return true
}

// loadVector reads consecutive elements into several registers.
func loadVector[R, T, A interface{ word | element }](w *warp, in *inst) {
	op := in.ext.(*memOp)
	a := (*[WarpSize]A)(unsafe.Add(w.base, in.a))
	var d [4]*[WarpSize]R
	n := len(op.regs)
	for k, slot := range op.regs {
		d[k&3] = (*[WarpSize]R)(unsafe.Add(w.base, slot))
	}
	seg, size := w.wk.segs[in.seg], op.size
	for m := w.exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		off := uint64(a[i]) + in.imm - seg.base
		var p unsafe.Pointer
		if off < seg.size&^(size-1) && off&(size-1) == 0 {
			p = unsafe.Add(seg.p, off)
		} else {
			p, seg = w.locate(in, i, off+seg.base, seg)
		}
		v := (*[2]T)(p)
		d[0][i], d[1][i] = R(v[0]), R(v[1])
		if n == 4 {
			v := (*[4]T)(p)
			d[2][i], d[3][i] = R(v[2]), R(v[3])
		}
	}
}

// storeVector writes several registers to consecutive elements.
func storeVector[R, T, A interface{ word | element }](w *warp, in *inst) {
	op := in.ext.(*memOp)
	a := (*[WarpSize]A)(unsafe.Add(w.base, in.a))
	w.advance()
	for _, i := range w.lanesInOrder() {
		p := w.pointer(in, int(i), uint64(a[i&31])+in.imm)
		for k, slot := range op.regs {
			v := (*[WarpSize]R)(unsafe.Add(w.base, slot))
			*(*T)(unsafe.Add(p, uintptr(k)*unsafe.Sizeof(*new(T)))) = T(v[i&31])
		}
	}
}

// pointer returns the memory of one lane's access, checked.
func (w *warp) pointer(in *inst, lane int, addr uint64) unsafe.Pointer {
	seg, size := w.wk.segs[in.seg], in.ext.(*memOp).size
	off := addr - seg.base
	if off >= seg.size&^(size-1) || off&(size-1) != 0 {
		p, _ := w.locate(in, lane, addr, seg)
		return p
	}
	return unsafe.Add(seg.p, off)
}

// locate finds the memory of a lane's access that is not where the instruction looked last. It returns the segment to go on with,
// and does not return when the access is a fault, unless the launch keeps going: then it returns a place to waste.
func (w *warp) locate(in *inst, lane int, addr uint64, seg *segment) (unsafe.Pointer, *segment) {
	op := in.ext.(*memOp)
	local := w.localSegment(lane)
	s := w.find(op.space, addr, local)
	if s != nil {
		off := addr - s.base
		switch {
		case off >= s.size || s.size-off < op.size: // a fault
		case off&(op.size-1) != 0: // a fault
		case s.readOnly && op.kind != Load:
		case s == local:
			return unsafe.Add(s.p, off), seg // its neighbours have their own
		default:
			if in.seg >= segCache && s != w.wk.segs[segWindow] && s != w.wk.segs[segParam] {
				w.wk.segs[in.seg] = s
			}
			return unsafe.Add(s.p, off), s
		}
	}
	w.badAccess(in, lane, addr, s)
	return w.wk.wasted(), seg
}

// find returns the segment that an address of a space points into; nil for none.
func (w *warp) find(space ptx.Space, addr uint64, local *segment) *segment {
	switch space {
	case ptx.SharedSpace:
		return w.wk.segs[segShared]
	case ptx.LocalSpace:
		local.base = localBase
		return local
	case ptx.GlobalSpace, ptx.ConstSpace:
		return w.wk.m.find(addr)
	}
	switch addr &^ (windowSize - 1) { // generic; parameters have generic addresses
	case sharedWindow:
		return w.wk.segs[segWindow]
	case localWindow:
		return local
	case paramWindow:
		return w.wk.segs[segParam]
	}
	return w.wk.m.find(addr)
}

// localSegment is a lane's local memory at its generic addresses, up to the end of the running frame.
func (w *warp) localSegment(lane int) *segment {
	s := &w.wk.local
	s.base, s.size = localWindow+localBase, uint64(w.fr.stack+w.fr.fn.frame.size)
	s.p = w.local.lane(lane)
	return s
}

// loadLocal and storeLocal access the threads' local memory.

func loadLocal[R, T, A interface{ word | element }](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	d, a := (*[WarpSize]R)(unsafe.Add(w.base, in.d)), (*[WarpSize]A)(unsafe.Add(w.base, in.a))
	limit := uint64(w.fr.stack+w.fr.fn.frame.size) &^ (size - 1)
	for m := w.exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		off := uint64(a[i]) + in.imm - localBase
		var p unsafe.Pointer
		if off < limit && off&(size-1) == 0 {
			p = unsafe.Add(w.local.lane(i), off)
		} else {
			p, _ = w.locate(in, i, off+localBase, nil)
		}
		d[i] = R(*(*T)(p))
	}
}

func storeLocal[R, T, A interface{ word | element }](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	b, a := (*[WarpSize]R)(unsafe.Add(w.base, in.b)), (*[WarpSize]A)(unsafe.Add(w.base, in.a))
	limit := uint64(w.fr.stack+w.fr.fn.frame.size) &^ (size - 1)
	for m := w.exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		off := uint64(a[i]) + in.imm - localBase
		var p unsafe.Pointer
		if off < limit && off&(size-1) == 0 {
			p = unsafe.Add(w.local.lane(i), off)
		} else {
			p, _ = w.locate(in, i, off+localBase, nil)
		}
		*(*T)(p) = T(b[i])
	}
}
