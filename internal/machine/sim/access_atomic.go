package sim

import (
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/machine/sim/lanes"
	"github.com/gridstride/gridstride/internal/machine/sim/memory"
	"github.com/gridstride/gridstride/internal/ptx"
)

// atomOp is the part of a memOp that only atomics have.
type atomOp struct {
	name string // for events, such as "add" and "mbarrier.arrive"
	cas  bool
	red  bool // the result is not used
	// Of a vector, which of its elements the atomic is of, and how many there are; else 0.
	element, elements int
	lanes.Modify
}

// atom32 performs a 32-bit atomic for each running lane in turn: operands in slots b and c, the old
// value into slot d.
func atom32(w *warp, in *inst) {
	op := in.mem
	b, c := reg[uint32](w, in.B), reg[uint32](w, in.C)
	var result *[abi.WarpSize]uint32
	if !op.atom.red {
		result = reg[uint32](w, in.D)
	}
	changed, addr := false, uint64(0)
	for _, i := range w.lanesInOrder() {
		i &= 31
		addr = w.address(op, in, int(i))
		p := (*uint32)(w.pointer(in, int(i), addr))
		modify := op.atom.Narrow
		if op.atom.Global != nil && op.space != ptx.SharedSpace && memory.WindowOf(addr) != ptx.SharedSpace {
			modify = op.atom.Global
		}
		old := rmw32(p, modify, b[i], c[i], in.seg != segShared)
		changed = changed || modify(old, b[i], c[i]) != old
		if w.wk.obs != nil {
			w.wk.noteAtomic(int(i), uint64(old), uint64(modify(old, b[i], c[i])), old == b[i])
		}
		if result != nil {
			result[i] = old
		}
	}
	w.contended(changed, op, addr)
}

// atom64 is atom32 for 64 bits.
func atom64(w *warp, in *inst) {
	op := in.mem
	b, c := reg[uint64](w, in.B), reg[uint64](w, in.C)
	var result *[abi.WarpSize]uint64
	if !op.atom.red {
		result = reg[uint64](w, in.D)
	}
	changed, addr := false, uint64(0)
	for _, i := range w.lanesInOrder() {
		i &= 31
		addr = w.address(op, in, int(i))
		p := (*uint64)(w.pointer(in, int(i), addr))
		old := rmw64(p, op.atom.Wide, b[i], c[i], in.seg != segShared)
		changed = changed || op.atom.Wide(old, b[i], c[i]) != old
		if w.wk.obs != nil {
			w.wk.noteAtomic(int(i), old, op.atom.Wide(old, b[i], c[i]), old == b[i])
		}
		if result != nil {
			result[i] = old
		}
	}
	w.contended(changed, op, addr)
}

// atom16 performs a 16-bit atomic on the 32-bit word around it.
func atom16(w *warp, in *inst) {
	op := in.mem
	b, c := reg[uint32](w, in.B), reg[uint32](w, in.C)
	changed, addr := false, uint64(0)
	for _, i := range w.lanesInOrder() {
		i &= 31
		addr = w.address(op, in, int(i))
		word, shift := wordAround(w.pointer(in, int(i), addr), addr)
		f := func(old, b, c uint32) uint32 {
			half := op.atom.Narrow(old>>shift&0xffff, b, c) & 0xffff
			return old&^(0xffff<<shift) | half<<shift
		}
		all := rmw32(word, f, b[i], c[i], true)
		old := all >> shift & 0xffff
		changed = changed || f(all, b[i], c[i]) != all
		if w.wk.obs != nil {
			w.wk.noteAtomic(int(i), uint64(old), uint64(f(all, b[i], c[i])>>shift&0xffff), old == b[i])
		}
		if !op.atom.red {
			reg[uint32](w, in.D)[i] = old
		}
	}
	w.contended(changed, op, addr)
}

// atomByte compares and swaps a word for the sake of one byte in it, at the address: what the lanes
// find and leave is that byte.
func atomByte(w *warp, in *inst) {
	op := in.mem
	b, c := reg[uint32](w, in.B), reg[uint32](w, in.C)
	changed, addr := false, uint64(0)
	for _, i := range w.lanesInOrder() {
		i &= 31
		addr = w.address(op, in, int(i))
		word, shift := wordAround(w.pointer(in, int(i), addr), addr)
		old := rmw32(word, op.atom.Narrow, b[i], c[i], true)
		now := op.atom.Narrow(old, b[i], c[i])
		changed = changed || now != old
		if w.wk.obs != nil {
			w.wk.noteAtomic(int(i), uint64(old>>shift&0xff), uint64(now>>shift&0xff), old == b[i])
		}
		if !op.atom.red {
			reg[uint32](w, in.D)[i] = old
		}
	}
	w.contended(changed, op, addr)
}

// halves are the two 64-bit registers of 128 bits that begin at a slot.
func halves(w *warp, slot uint32) (low, high *[abi.WarpSize]uint64) {
	return reg[uint64](w, slot), reg[uint64](w, slot+code.Bytes64)
}

// atom128 exchanges, or compares and swaps, 128 bits. No processor that Go knows has that, so one
// lane of the machine does it at a time. It is one step for others that do the same.
func atom128(w *warp, in *inst) {
	op := in.mem
	bLow, bHigh := halves(w, in.B)
	cLow, cHigh := halves(w, in.C)
	changed, addr := false, uint64(0)
	for _, i := range w.lanesInOrder() {
		i &= 31
		addr = w.address(op, in, int(i))
		p := (*[2]uint64)(w.pointer(in, int(i), addr))
		w.wk.m.wide.Lock()
		old := [2]uint64{atomic.LoadUint64(&p[0]), atomic.LoadUint64(&p[1])}
		matched := old == [2]uint64{bLow[i], bHigh[i]}
		now := [2]uint64{cLow[i], cHigh[i]}
		if op.atom.cas && !matched {
			now = old
		}
		atomic.StoreUint64(&p[0], now[0])
		atomic.StoreUint64(&p[1], now[1])
		w.wk.m.wide.Unlock()
		changed = changed || now != old
		if w.wk.obs != nil {
			w.wk.noteAtomic(int(i), old[0], now[0], matched)
			w.wk.atomics.oldHigh[i], w.wk.atomics.newHigh[i] = old[1], now[1]
		}
		if !op.atom.red {
			low, high := halves(w, in.D)
			low[i], high[i] = old[0], old[1]
		}
	}
	w.contended(changed, op, addr)
}

// wordAround is the aligned 32-bit word that holds a byte or half word. Every segment's storage is
// a whole number of words.
func wordAround(p unsafe.Pointer, addr uint64) (*uint32, uint) {
	in := addr & 3
	return (*uint32)(unsafe.Add(p, -int(in))), uint(in) * 8
}

// rmw32 replaces *p by f of it and returns what was there. Only memory that several workers see
// needs the processor's atomics.
func rmw32(p *uint32, f func(old, b, c uint32) uint32, b, c uint32, shared bool) uint32 {
	if !shared {
		old := *p
		*p = f(old, b, c)
		return old
	}
	for {
		old := atomic.LoadUint32(p)
		if atomic.CompareAndSwapUint32(p, old, f(old, b, c)) {
			return old
		}
	}
}

func rmw64(p *uint64, f func(old, b, c uint64) uint64, b, c uint64, shared bool) uint64 {
	if !shared {
		old := *p
		*p = f(old, b, c)
		return old
	}
	for {
		old := atomic.LoadUint64(p)
		if atomic.CompareAndSwapUint64(p, old, f(old, b, c)) {
			return old
		}
	}
}

// contended notes whether an atomic was a step forward or perhaps a turn of a waiting loop, at the
// address of one of its lanes.
func (w *warp) contended(changed bool, op *memOp, addr uint64) {
	if changed {
		w.advance()
	} else if !op.atom.red {
		w.poll(addr)
	}
}
