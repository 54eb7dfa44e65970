package decode

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// mov copies a register, constant, special register or address, or packs and unpacks a vector.
func (d *decoder) mov() {
	t := d.d.Type
	from, dst := d.in.Args[1], d.in.Args[0]
	if v, ok := dst.(ptx.Vec); ok {
		d.unpack(v, d.operand(from, t))
		return
	}
	if v, ok := from.(ptx.Vec); ok {
		d.pack(d.dest(dst, t), v)
		return
	}
	src := d.operand(from, t)
	d.copy(d.dest(dst, t), src)
}

// copy moves a slot.
func (d *decoder) copy(dst, src code.Slot) {
	if dst.Bits != 128 {
		d.emit(step(ptx.OpMov, bitsType(dst.Bits)), to(dst), src)
		return
	}
	for i := range 2 {
		d.copy(dst.Half(i), src.Half(i))
	}
}

// unpack puts the parts of a slot into registers, the lowest first. They are narrower, so none of
// them is the operand.
func (d *decoder) unpack(v ptx.Vec, src code.Slot) {
	width := d.d.Type.Bits() / len(v)
	for i, x := range v {
		if x == ptx.Operand(ptx.Name("_")) {
			continue
		}
		dst, at, from := d.dest(x, bitsType(width)), i*width, src
		if src.Bits == 128 {
			from, at = src.Half(at/64), at%64
		}
		if width == from.Bits {
			d.copy(dst, from)
			continue
		}
		in := step(code.OpExtract, bitsType(dst.Bits), bitsType(from.Bits))
		in.Imm, in.Width = uint64(at), width
		d.emit(in, to(dst), from)
	}
}

// pack makes a slot of parts, the lowest first.
func (d *decoder) pack(dst code.Slot, v ptx.Vec) {
	width := d.d.Type.Bits() / len(v)
	var parts []code.Slot
	for _, x := range v {
		parts = append(parts, d.operand(x, bitsType(width)))
	}
	if dst.Bits == 128 {
		d.pack128(dst, parts, width)
		return
	}
	d.join(dst, parts, width)
}

// pack128 packs two or four parts into the two halves of a 128-bit slot.
func (d *decoder) pack128(dst code.Slot, parts []code.Slot, width int) {
	half := len(parts) / 2
	words := []code.Slot{d.fn.File.Alloc(64), d.fn.File.Alloc(64)} // a part may be in the destination
	for i, w := range words {
		if width == 64 {
			d.copy(w, parts[i])
		} else {
			d.join(w, parts[i*half:(i+1)*half], width)
		}
	}
	for i, w := range words {
		d.copy(dst.Half(i), w)
	}
}

// join makes a slot of two or four parts of a width.
func (d *decoder) join(dst code.Slot, parts []code.Slot, width int) {
	in := step(code.OpJoin, bitsType(dst.Bits))
	in.Width = width
	d.emit(in, to(dst), parts...)
}

// bitsType is the untyped type of a width.
func bitsType(width int) ptx.Type {
	return map[int]ptx.Type{1: ptx.Pred, 8: ptx.B8, 16: ptx.B16, 32: ptx.B32, 64: ptx.B64, 128: ptx.B128}[width]
}

// cvt converts. Registers may be wider than the types: only the low bits of the operand count, and
// the result is extended to the destination by its type.
func (d *decoder) cvt() {
	switch {
	case d.d.Has("pack"), d.d.Type == ptx.F16x2, d.d.Type == ptx.BF16x2:
		args := d.inputs()
		d.emit(d.inst(), to(d.dest(d.in.Args[0], ptx.B32)), args...)
		return
	case d.d.Type == ptx.E4M3x2, d.d.Type == ptx.E5M2x2:
		args := d.inputs()
		d.emit(d.inst(), to(d.dest(d.in.Args[0], ptx.B16)), args...)
		return
	}
	src := d.wideOperand(d.in.Args[1], d.d.SrcType)
	dst, width := d.wideDest(d.in.Args[0])
	in := d.inst()
	in.Width = width
	d.emit(in, to(dst), src)
}

// wideOperand is an operand whose register may be wider than t.
func (d *decoder) wideOperand(o ptx.Operand, t ptx.Type) code.Slot {
	if name, ok := o.(ptx.Name); ok {
		return d.named(d.lookup(string(name)))
	}
	return d.operand(o, t)
}

// wideDest is a destination register of any width, and that width.
func (d *decoder) wideDest(o ptx.Operand) (code.Slot, int) {
	name, ok := o.(ptx.Name)
	if !ok {
		d.failf("%s cannot be written", ptx.OperandString(o))
	}
	sym := d.lookup(string(name))
	if sym.Kind == ptx.SinkSymbol {
		return d.fn.File.Alloc(64), 64
	}
	d.writes(sym)
	return d.register(sym), sym.Type.Bits()
}
