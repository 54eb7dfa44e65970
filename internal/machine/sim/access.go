package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/event"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// memOp is the ext of an instruction that accesses memory.
type memOp struct {
	kind    event.AccessKind
	space   ptx.Space // of the instruction; generic when it names none
	cluster bool      // it names the shared memory of all blocks of the cluster
	size    uint64    // bytes of an access, all elements of a vector
	align   uint64    // what the address is a multiple of, where that is more than size; else 0
	addr32  bool      // the address register is 32 bits wide
	order   event.MemOrder
	scope   event.Scope
	regs    []uint32            // a vector's registers; 0 for a result that is thrown away
	elem    uint64              // bytes of a vector's element
	extend  func(uint64) uint64 // of an ordered load: what the register gets
	wide    bool                // the registers of an ordered access are 64 bits
	atom    *atomOp             // of an atomic
	parity  bool                // of a test of an mbarrier: by parity, not by token
	part    int                 // see Access.Part
	reduces bool                // see Access.Reduces
	texel   *event.Texel        // see Access.Texel
}

// The first entries of worker.segs; behind them every access to global memory has one for the
// segment it met last.
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

// The loops below call nothing, which would cost them half their speed: a lane whose address the
// segment does not hold ends the loop, and the rest of the lanes takes the slow way. Rotating an
// offset right by the size's logarithm makes a misaligned one larger than any element's number, so
// that one comparison checks bounds and alignment.

// load reads a T for every running lane and extends it to the register type R. A is the type of the
// address register.
func load[R, T, A interface{ lanes.Word | element }](w *warp, in *inst) {
	shift := bits.TrailingZeros64(uint64(unsafe.Sizeof(*new(T))))
	d, a := (*[abi.WarpSize]R)(unsafe.Add(w.Base, in.D)), (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	seg, exec := w.wk.segs[in.seg], w.Exec
	base, count, mem := seg.Base-in.Imm, seg.Size>>shift, seg.P
	for i := range d {
		if exec>>(i&31)&1 == 0 {
			continue
		}
		off := uint64(a[i]) - base
		if bits.RotateLeft64(off, -shift) >= count {
			loadRest[R, T, A](w, in, i)
			return
		}
		d[i] = R(*(*T)(unsafe.Add(mem, off)))
	}
}

// loadRest is load from a lane on, the slow way.
func loadRest[R, T, A interface{ lanes.Word | element }](w *warp, in *inst, from int) {
	d, a := (*[abi.WarpSize]R)(unsafe.Add(w.Base, in.D)), (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	for m := w.Exec &^ (1<<from - 1); m != 0; m &= m - 1 {
		i := firstLane(m)
		d[i] = R(*(*T)(w.pointer(in, i, uint64(a[i]+A(in.Imm)))))
	}
}

// loadRow is load for registers as wide as memory, with a short way for 32 lanes that read 32
// consecutive elements.
func loadRow[T uint32 | uint64, A uint32 | uint64](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	a := reg[A](w, in.A)
	if w.Exec == ^uint32(0) && consecutive(a, A(size)) {
		seg := w.wk.segs[in.seg]
		off := uint64(a[0]) + in.Imm - seg.Base
		if off < seg.Size && seg.Size-off >= abi.WarpSize*size && off&(size-1) == 0 {
			*reg[T](w, in.D) = *(*[abi.WarpSize]T)(unsafe.Add(seg.P, off))
			return
		}
	}
	load[T, T, A](w, in)
}

// store writes the low bits of register type R as a T.
func store[R, T, A interface{ lanes.Word | element }](w *warp, in *inst) {
	shift := bits.TrailingZeros64(uint64(unsafe.Sizeof(*new(T))))
	b, a := (*[abi.WarpSize]R)(unsafe.Add(w.Base, in.B)), (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	w.advance()
	if w.wk.order != Ascending {
		storeRest[R, T, A](w, in, 0)
		return
	}
	seg, exec := w.wk.segs[in.seg], w.Exec
	base, count, mem := seg.Base-in.Imm, seg.Size>>shift, seg.P
	for i := range b {
		if exec>>(i&31)&1 == 0 {
			continue
		}
		off := uint64(a[i]) - base
		if bits.RotateLeft64(off, -shift) >= count {
			storeRest[R, T, A](w, in, uint8(i))
			return
		}
		*(*T)(unsafe.Add(mem, off)) = T(b[i])
	}
}

// storeRest is store from a lane on, the slow way and in the launch's order, which decides when two
// lanes write to one address.
func storeRest[R, T, A interface{ lanes.Word | element }](w *warp, in *inst, from uint8) {
	b, a := (*[abi.WarpSize]R)(unsafe.Add(w.Base, in.B)), (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	for _, i := range w.lanesInOrder() {
		if i >= from {
			*(*T)(w.pointer(in, int(i), uint64(a[i&31]+A(in.Imm)))) = T(b[i&31])
		}
	}
}

// storeRow is store with a short way for 32 consecutive elements.
func storeRow[T uint32 | uint64, A uint32 | uint64](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	a := reg[A](w, in.A)
	if w.Exec == ^uint32(0) && consecutive(a, A(size)) {
		seg := w.wk.segs[in.seg]
		off := uint64(a[0]) + in.Imm - seg.Base
		if off < seg.Size && seg.Size-off >= abi.WarpSize*size && off&(size-1) == 0 {
			*(*[abi.WarpSize]T)(unsafe.Add(seg.P, off)) = *reg[T](w, in.B)
			w.advance()
			return
		}
	}
	store[T, T, A](w, in)
}

// consecutive says whether each lane's address is step behind the one before.
func consecutive[A uint32 | uint64](a *[abi.WarpSize]A, step A) bool {
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
func loadVector[R, T, A interface{ lanes.Word | element }](w *warp, in *inst) {
	op := in.ext.(*memOp)
	a := (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	var d [4]*[abi.WarpSize]R
	n := len(op.regs)
	for k, slot := range op.regs {
		d[k&3] = (*[abi.WarpSize]R)(unsafe.Add(w.Base, slot))
	}
	d0, d1, d2, d3 := d[0], d[1], d[2], d[3]
	shift := bits.TrailingZeros64(op.size)
	seg, exec := w.wk.segs[in.seg], w.Exec
	base, count, mem := seg.Base-in.Imm, seg.Size>>shift, seg.P
	for i := range d0 {
		if exec>>(i&31)&1 == 0 {
			continue
		}
		off := uint64(a[i]) - base
		if bits.RotateLeft64(off, -shift) >= count {
			loadVectorRest[R, T, A](w, in, i)
			return
		}
		v := (*[2]T)(unsafe.Add(mem, off))
		x, y := R(v[0]), R(v[1])
		if n == 4 {
			v := (*[4]T)(unsafe.Add(mem, off))
			d2[i], d3[i] = R(v[2]), R(v[3])
		}
		d0[i], d1[i] = x, y
	}
}

// loadVectorRest is loadVector from a lane on, the slow way.
func loadVectorRest[R, T, A interface{ lanes.Word | element }](w *warp, in *inst, from int) {
	op := in.ext.(*memOp)
	a := (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	for m := w.Exec &^ (1<<from - 1); m != 0; m &= m - 1 {
		i := firstLane(m)
		p := w.pointer(in, i, uint64(a[i]+A(in.Imm)))
		for k, slot := range op.regs {
			(*[abi.WarpSize]R)(unsafe.Add(w.Base, slot))[i] = R(*(*T)(unsafe.Add(p, uintptr(k)*unsafe.Sizeof(*new(T)))))
		}
	}
}

// storeVector writes several registers to consecutive elements.
func storeVector[R, T, A interface{ lanes.Word | element }](w *warp, in *inst) {
	op := in.ext.(*memOp)
	a := (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	w.advance()
	for _, i := range w.lanesInOrder() {
		i &= 31
		p := w.pointer(in, int(i), uint64(a[i]+A(in.Imm)))
		for k, slot := range op.regs {
			v := (*[abi.WarpSize]R)(unsafe.Add(w.Base, slot))
			*(*T)(unsafe.Add(p, uintptr(k)*unsafe.Sizeof(*new(T)))) = T(v[i])
		}
	}
}

// pointer returns the memory of one lane's access, checked. It does not return when the access is a
// fault, unless the launch keeps going: then it returns memory to waste.
func (w *warp) pointer(in *inst, lane int, addr uint64) unsafe.Pointer {
	return w.pointerTo(in, lane, addr, in.ext.(*memOp).size)
}

// pointerTo is pointer for an access that uses only the first size bytes.
func (w *warp) pointerTo(in *inst, lane int, addr, size uint64) unsafe.Pointer {
	op := in.ext.(*memOp)
	seg := w.wk.segs[in.seg]
	if off := addr - seg.Base; off < seg.Size && seg.Size-off >= size && off&(op.size-1) == 0 && op.align == 0 {
		return unsafe.Add(seg.P, off)
	}
	local := w.localSegment(lane)
	s := w.find(op, addr, local)
	if s != nil {
		off := addr - s.Base
		if off < s.Size && s.Size-off >= size && off&(max(op.size, op.align)-1) == 0 && (op.kind == event.Load || !s.ReadOnly) {
			if in.seg >= segCache && s != local {
				w.wk.remember(in.seg, s)
			}
			return unsafe.Add(s.P, off)
		}
	}
	w.badAccess(in, lane, addr, s)
	return w.wk.wasted()
}

// remember makes an instruction look into s first from now on; a block's shared memory only as long
// as that block runs.
func (wk *worker) remember(seg uint32, s *memory.Segment) {
	wk.segs[seg] = s
	if memory.WindowOf(s.Base) == ptx.SharedSpace {
		wk.borrowed = append(wk.borrowed, seg)
	}
}

// forget makes the accesses that remember a segment look again.
func (wk *worker) forget(s *memory.Segment) {
	for i, old := range wk.segs {
		if i >= segCache && old == s {
			wk.segs[i] = &memory.Segment{}
		}
	}
}

// find returns the segment that an address of a space points into; nil for none.
func (w *warp) find(op *memOp, addr uint64, local *memory.Segment) *memory.Segment {
	switch op.space {
	case ptx.SharedSpace:
		if memory.IsPeer(addr) && len(w.cta.cluster.ctas) > 1 {
			return w.peer(op, addr, 0)
		}
		return w.wk.segs[segShared]
	case ptx.LocalSpace:
		local.Base = memory.LocalBase
		return local
	case ptx.GlobalSpace, ptx.ConstSpace:
		return w.wk.m.Find(addr)
	}
	switch memory.WindowOf(addr) { // generic; parameters have generic addresses
	case ptx.SharedSpace:
		if memory.IsPeer(addr) && len(w.cta.cluster.ctas) > 1 {
			return w.peer(op, addr, 1)
		}
		return w.wk.segs[segWindow]
	case ptx.LocalSpace:
		return local
	case ptx.ParamSpace:
		return w.wk.segs[segParam]
	}
	return w.wk.m.Find(addr)
}

// localSegment is a lane's local memory at its generic addresses, up to the end of the running
// frame.
func (w *warp) localSegment(lane int) *memory.Segment {
	s := &w.wk.local
	s.Base, s.Size = memory.LocalWindow+memory.LocalBase, uint64(w.fr.stack+w.fr.fn.frame.size)
	s.P = w.local.lane(lane)
	return s
}

// loadLocal and storeLocal access the threads' local memory.

func loadLocal[R, T, A interface{ lanes.Word | element }](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	d, a := (*[abi.WarpSize]R)(unsafe.Add(w.Base, in.D)), (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	limit := uint64(w.fr.stack + w.fr.fn.frame.size)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		off := uint64(a[i]) + in.Imm - memory.LocalBase
		if off >= limit || limit-off < size || off&(size-1) != 0 {
			d[i] = R(*(*T)(w.pointer(in, i, off+memory.LocalBase)))
			continue
		}
		d[i] = R(*(*T)(unsafe.Add(w.local.lane(i), off)))
	}
}

func storeLocal[R, T, A interface{ lanes.Word | element }](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	b, a := (*[abi.WarpSize]R)(unsafe.Add(w.Base, in.B)), (*[abi.WarpSize]A)(unsafe.Add(w.Base, in.A))
	limit := uint64(w.fr.stack + w.fr.fn.frame.size)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := firstLane(m)
		off := uint64(a[i]) + in.Imm - memory.LocalBase
		if off >= limit || limit-off < size || off&(size-1) != 0 {
			*(*T)(w.pointer(in, i, off+memory.LocalBase)) = T(b[i])
			continue
		}
		*(*T)(unsafe.Add(w.local.lane(i), off)) = T(b[i])
	}
}
