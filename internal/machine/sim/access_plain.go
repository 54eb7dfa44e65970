package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
)

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
// consecutive elements, and for 32 lanes whose addresses the segment holds.
func loadRow[T uint32 | uint64, A uint32 | uint64](w *warp, in *inst) {
	size := uint64(unsafe.Sizeof(*new(T)))
	a := reg[A](w, in.A)
	if w.Exec == ^uint32(0) {
		seg := w.wk.segs[in.seg]
		off := uint64(a[0]) + in.Imm - seg.Base
		if off < seg.Size && seg.Size-off >= abi.WarpSize*size && off&(size-1) == 0 && lanes.Consecutive(a, A(size)) {
			row := unsafe.Add(seg.P, off)
			lanes.CopyRow(unsafe.Add(w.Base, in.D), row, w.wk.nextRow(in.seg, uintptr(row)), abi.WarpSize*int(size))
			return
		}
		if lanes.Gather(reg[T](w, in.D), a, A(seg.Base-in.Imm), seg.P, seg.Size) {
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
	if w.Exec == ^uint32(0) && lanes.Consecutive(a, A(size)) {
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

// loadVector reads consecutive elements into several registers.
func loadVector[R, T, A interface{ lanes.Word | element }](w *warp, in *inst) {
	op := in.mem
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
	op := in.mem
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
	op := in.mem
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
