package sim

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/gridstride/gridstride/internal/sim/softfloat"

	"github.com/gridstride/gridstride/internal/ptx"
)

// atomOp is the part of a memOp that only atomics have.
type atomOp struct {
	name string
	red  bool // the result is not used
	// What the operation makes of the old value; c is the new value of cas, whose b is the value to
	// compare with.
	f32 func(old, b, c uint32) uint32
	f64 func(old, b, c uint64) uint64
}

// atom32 performs a 32-bit atomic for each running lane in turn: sources in slots b and c, the old
// value into slot d.
func atom32(w *warp, in *inst) {
	op := in.ext.(*memOp)
	b, c := reg[uint32](w, in.b), reg[uint32](w, in.c)
	var result *[WarpSize]uint32
	if !op.atom.red {
		result = reg[uint32](w, in.d)
	}
	changed := false
	for _, i := range w.lanesInOrder() {
		i &= 31
		p := (*uint32)(w.pointer(in, int(i), w.address(op, in, int(i))))
		old := rmw32(p, op.atom.f32, b[i], c[i], in.seg != segShared)
		changed = changed || op.atom.f32(old, b[i], c[i]) != old
		if w.wk.obs != nil {
			w.wk.recordAtomic(int(i), uint64(old), uint64(op.atom.f32(old, b[i], c[i])), old == b[i])
		}
		if result != nil {
			result[i] = old
		}
	}
	w.contended(changed, op)
}

// atom64 is atom32 for 64 bits.
func atom64(w *warp, in *inst) {
	op := in.ext.(*memOp)
	b, c := reg[uint64](w, in.b), reg[uint64](w, in.c)
	var result *[WarpSize]uint64
	if !op.atom.red {
		result = reg[uint64](w, in.d)
	}
	changed := false
	for _, i := range w.lanesInOrder() {
		i &= 31
		p := (*uint64)(w.pointer(in, int(i), w.address(op, in, int(i))))
		old := rmw64(p, op.atom.f64, b[i], c[i], in.seg != segShared)
		changed = changed || op.atom.f64(old, b[i], c[i]) != old
		if w.wk.obs != nil {
			w.wk.recordAtomic(int(i), old, op.atom.f64(old, b[i], c[i]), old == b[i])
		}
		if result != nil {
			result[i] = old
		}
	}
	w.contended(changed, op)
}

// atom16 performs a 16-bit atomic on the 32-bit word around it.
func atom16(w *warp, in *inst) {
	op := in.ext.(*memOp)
	b, c := reg[uint32](w, in.b), reg[uint32](w, in.c)
	changed := false
	for _, i := range w.lanesInOrder() {
		i &= 31
		addr := w.address(op, in, int(i))
		word, shift := wordAround(w.pointer(in, int(i), addr), addr)
		f := func(old, b, c uint32) uint32 {
			half := op.atom.f32(old>>shift&0xffff, b, c) & 0xffff
			return old&^(0xffff<<shift) | half<<shift
		}
		all := rmw32(word, f, b[i], c[i], true)
		old := all >> shift & 0xffff
		changed = changed || f(all, b[i], c[i]) != all
		if w.wk.obs != nil {
			w.wk.recordAtomic(int(i), uint64(old), uint64(f(all, b[i], c[i])>>shift&0xffff), old == b[i])
		}
		if !op.atom.red {
			reg[uint32](w, in.d)[i] = old
		}
	}
	w.contended(changed, op)
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

// contended notes whether an atomic was a step forward or perhaps a turn of a waiting loop.
func (w *warp) contended(changed bool, op *memOp) {
	if changed {
		w.advance()
	} else if !op.atom.red {
		w.poll()
	}
}

// address is a lane's address of an access.
func (w *warp) address(op *memOp, in *inst, lane int) uint64 {
	if op.addr32 {
		return uint64(reg[uint32](w, in.a)[lane&31] + uint32(in.imm))
	}
	return reg[uint64](w, in.a)[lane&31] + in.imm
}

// newAtomOp decodes the operation of atom and red.
func newAtomOp(d *ptx.Decoded) *atomOp {
	op := &atomOp{name: d.Mod("op"), red: d.Form.Op == "red"}
	switch d.Type {
	case ptx.F32:
		op.f32 = func(old, b, _ uint32) uint32 {
			s := math.Float32frombits(old) + math.Float32frombits(b)
			if s != s {
				return softfloat.NaN32
			}
			return math.Float32bits(s)
		}
	case ptx.F64:
		op.f64 = func(old, b, _ uint64) uint64 {
			x, y := math.Float64frombits(old), math.Float64frombits(b)
			s := x + y
			if s != s {
				s = softfloat.NaNOf(x, y)
			}
			return math.Float64bits(s)
		}
	case ptx.F16, ptx.BF16:
		fm := shortFormats[d.Type]
		op.f32 = func(old, b, _ uint32) uint32 { return fm.Add(old, b) }
	case ptx.F16x2, "bf16x2":
		fm := shortFormats[d.Type]
		op.f32 = func(old, b, _ uint32) uint32 {
			return fm.Add(old&0xffff, b&0xffff) | fm.Add(old>>16, b>>16)<<16
		}
	case ptx.S32:
		f := rmwSigned[int32](op.name)
		op.f32 = func(old, b, _ uint32) uint32 { return uint32(f(int32(old), int32(b))) }
	case ptx.S64:
		f := rmwSigned[int64](op.name)
		op.f64 = func(old, b, _ uint64) uint64 { return uint64(f(int64(old), int64(b))) }
	case ptx.U64, ptx.B64:
		op.f64 = rmwFunc[uint64](op.name)
	default:
		op.f32 = rmwFunc[uint32](op.name)
	}
	return op
}

// rmwSigned is the operation on signed integers.
func rmwSigned[T int32 | int64](name string) func(old, b T) T {
	switch name {
	case "add":
		return func(old, b T) T { return old + b }
	case "min":
		return func(old, b T) T { return min(old, b) }
	case "max":
		return func(old, b T) T { return max(old, b) }
	}
	return nil
}

// rmwFunc is the operation on unsigned integers and bits.
func rmwFunc[T uint32 | uint64](name string) func(old, b, c T) T {
	switch name {
	case "add":
		return func(old, b, _ T) T { return old + b }
	case "min":
		return func(old, b, _ T) T { return min(old, b) }
	case "max":
		return func(old, b, _ T) T { return max(old, b) }
	case "and":
		return func(old, b, _ T) T { return old & b }
	case "or":
		return func(old, b, _ T) T { return old | b }
	case "xor":
		return func(old, b, _ T) T { return old ^ b }
	case "exch":
		return func(_, b, _ T) T { return b }
	case "cas":
		return func(old, b, c T) T {
			if old == b {
				return c
			}
			return old
		}
	case "inc":
		return func(old, b, _ T) T {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case "dec":
		return func(old, b, _ T) T {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	}
	return nil
}
