package lanes

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

var moves = byType{ptx.Pred: movPred, ptx.B32: move[uint32], ptx.B64: move[uint64]}

func move[T uint32 | uint64](w *Warp, in *Inst) {
	*Reg[T](w, in.D) = *Reg[T](w, in.A)
}

// extraction takes Width bits out of a slot, from bit Imm on.
func extraction(d *code.Inst) Op {
	at, width := d.Imm, d.Width
	mask := ^uint64(0) >> (64 - width)
	switch from := d.Args[0]; {
	case from.Bits == 64 && width == 32:
		return word32
	case from.Bits == 64:
		return of1(func(a uint64) uint32 { return uint32(a >> at & mask) })
	}
	return of1(func(a uint32) uint32 { return a >> at & uint32(mask) })
}

// word32 is a half of a 64-bit register, whose lowest bit is Imm.
func word32(w *Warp, in *Inst) {
	d, a := Reg[uint32](w, in.D), Reg[uint64](w, in.A)
	shift := in.Imm & 63
	for i := range d {
		d[i] = uint32(a[i] >> shift)
	}
}

// join64 is a 64-bit register of two halves.
func join64(w *Warp, in *Inst) {
	d, a, b := Reg[uint64](w, in.D), Reg[uint32](w, in.A), Reg[uint32](w, in.B)
	for i := range d {
		d[i] = uint64(a[i]) | uint64(b[i])<<32
	}
}

// join makes a slot of two or four parts of Width bits, the lowest first.
func join(d *code.Inst) Op {
	width, wide := d.Width, d.Dst[0].Bits == 64
	switch {
	case len(d.Args) == 2 && wide:
		return join64
	case len(d.Args) == 2:
		low := uint32(1)<<width - 1
		return of2(func(a, b uint32) uint32 { return a&low | b&low<<width })
	case wide:
		return of4(func(a, b, c, e uint32) uint64 {
			return uint64(a&0xffff) | uint64(b&0xffff)<<16 | uint64(c&0xffff)<<32 | uint64(e&0xffff)<<48
		})
	}
	return of4(func(a, b, c, e uint32) uint32 { return a&0xff | b&0xff<<8 | c&0xff<<16 | e<<24 })
}
