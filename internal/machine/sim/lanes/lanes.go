// Package lanes has the loops over the 32 lanes of a warp: everything that an instruction computes
// from registers into registers. An operation sees no memory and no other warp, so each can be
// tested on a register file alone, and be replaced by assembly or by compiled code.
//
// Bind chooses the operation for a decoded instruction. An operation is written in one of two ways.
// The operations in which kernels spend their time are loops over the lanes, generic over the
// register type. The compiler turns them into straight code without bounds checks:
//
//	func add[T Word](w *Warp, in *Inst) { d, a, b := …; for i := range d { d[i] = a[i] + b[i] } }
//
// That runs about 3,000 million lanes a second (one core of a 2.6 GHz Xeon). All others are a
// function of one lane, which of1 to of4 apply to 32 of them at about 700 million a second.
// The commonest loops have twins in vector instructions (vector.go), with the same bits.
package lanes

import (
	"math/bits"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Warp is the part of a warp that an operation sees.
type Warp struct {
	Base  unsafe.Pointer // the register file of the running call
	Exec  uint32         // the lanes that run the instruction
	Carry uint32         // CC.CF of each lane
}

// Inst is the part of an instruction that an operation sees: the offsets of its slots in the
// register file.
type Inst struct {
	D, E    uint32 // results
	A, B, C uint32 // inputs
	X       uint32 // the fourth input
	Imm     uint64
}

// Op is an operation on the registers of a warp.
type Op func(w *Warp, in *Inst)

// Word is the type of a register slot in each lane. Registers of 8 and 16 bits live in 32-bit
// slots, zero-extended.
type Word interface {
	uint32 | uint64 | int32 | int64 | float32 | float64
}

// Reg is a register slot of the running call. It trusts the offset: decoding hands out slots inside
// the file and takes care that each is only used at its own width.
func Reg[T Word](w *Warp, slot uint32) *[abi.WarpSize]T {
	return (*[abi.WarpSize]T)(unsafe.Add(w.Base, slot))
}

// Pred is a predicate register: bit i belongs to lane i.
func Pred(w *Warp, slot uint32) *uint32 { return (*uint32)(unsafe.Add(w.Base, slot)) }

// SetPred writes the bits of the running lanes.
func (w *Warp) SetPred(slot, to uint32) {
	p := Pred(w, slot)
	*p = *p&^w.Exec | to&w.Exec
}

// Blend copies the running lanes of slot from to slot to.
func Blend[T Word](w *Warp, to, from uint32) {
	d, s := Reg[T](w, to), Reg[T](w, from)
	for m := w.Exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = s[i]
	}
}

// Spread writes one value to the running lanes of a 32-bit slot.
func (w *Warp) Spread(slot, v uint32) {
	d := Reg[uint32](w, slot)
	for m := w.Exec; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&31] = v
	}
}

// byType finds an Op by the type of an instruction.
type byType map[ptx.Type]Op

// of1, of2, of3 and of4 make an Op of a function from one to four input registers to a
// destination.

func of1[D, A Word](f func(a A) D) Op {
	return func(w *Warp, in *Inst) {
		d, a := Reg[D](w, in.D), Reg[A](w, in.A)
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func of2[D, A, B Word](f func(a A, b B) D) Op {
	return func(w *Warp, in *Inst) {
		d, a, b := Reg[D](w, in.D), Reg[A](w, in.A), Reg[B](w, in.B)
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func of3[D, A, B, C Word](f func(a A, b B, c C) D) Op {
	return func(w *Warp, in *Inst) {
		d, a, b, c := Reg[D](w, in.D), Reg[A](w, in.A), Reg[B](w, in.B), Reg[C](w, in.C)
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}

func of4[D, A, B, C, E Word](f func(a A, b B, c C, e E) D) Op {
	return func(w *Warp, in *Inst) {
		d, a, b, c, e := Reg[D](w, in.D), Reg[A](w, in.A), Reg[B](w, in.B), Reg[C](w, in.C), Reg[E](w, in.X)
		for i := range d {
			d[i] = f(a[i], b[i], c[i], e[i])
		}
	}
}

// narrow is a 16-bit type that lives in 32-bit slots.
type narrow interface{ uint16 | int16 }

func narrow1[T narrow](f func(a T) T) Op {
	return of1(func(a uint32) uint32 { return uint32(uint16(f(T(a)))) })
}

func narrow2[T narrow](f func(a, b T) T) Op {
	return of2(func(a, b uint32) uint32 { return uint32(uint16(f(T(a), T(b)))) })
}

func narrow3[T narrow](f func(a, b, c T) T) Op {
	return of3(func(a, b, c uint32) uint32 { return uint32(uint16(f(T(a), T(b), T(c)))) })
}

// pair2 applies a function of 16 bits to both halves of 32.
func pair2(f func(a, b uint16) uint16) Op {
	return of2(func(a, b uint32) uint32 {
		return uint32(f(uint16(a), uint16(b))) | uint32(f(uint16(a>>16), uint16(b>>16)))<<16
	})
}

// regs1, regs2 and regs3 fetch the registers of an instruction whose operands are all of one type.

func regs1[T Word](w *Warp, in *Inst) (d, a *[abi.WarpSize]T) {
	return Reg[T](w, in.D), Reg[T](w, in.A)
}

func regs2[T Word](w *Warp, in *Inst) (d, a, b *[abi.WarpSize]T) {
	return Reg[T](w, in.D), Reg[T](w, in.A), Reg[T](w, in.B)
}

func regs3[T Word](w *Warp, in *Inst) (d, a, b, c *[abi.WarpSize]T) {
	return Reg[T](w, in.D), Reg[T](w, in.A), Reg[T](w, in.B), Reg[T](w, in.C)
}
