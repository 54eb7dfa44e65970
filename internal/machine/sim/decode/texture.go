package decode

import (
	"github.com/gridstride/gridstride/internal/machine/sim/code"
	"github.com/gridstride/gridstride/internal/ptx"
)

// texture decodes tex and tld4. What chooses a level is not looked at: there is one.
func (d *decoder) texture() {
	in := d.inst()
	in.Mem = []code.Address{d.texels(d.constant(ptx.B64, 0))}
	args := d.point(d.in.Args[1], d.d.SrcType)
	d.emit(in, d.registers(d.in.Args[0], d.d.Type, true), args...)
}

// surfaceLoad decodes suld.
func (d *decoder) surfaceLoad() {
	in := d.inst()
	in.Mem = []code.Address{d.texels(d.fn.File.Alloc(64))}
	in.Width = d.registerBits(d.in.Args[0])
	args := d.point(d.in.Args[1], ptx.S32)
	d.emit(in, d.registers(d.in.Args[0], d.d.Type, true), args...)
}

// surfaceStore decodes sust: the registers that are stored follow the coordinates.
func (d *decoder) surfaceStore() {
	in := d.inst()
	in.Mem = []code.Address{d.texels(d.fn.File.Alloc(64))}
	args := d.point(d.in.Args[0], ptx.S32)
	d.emit(in, nil, append(args, d.registers(d.in.Args[1], d.d.Type, false)...)...)
}

// texels is the address of texels, which the instruction itself works out and keeps in a slot.
func (d *decoder) texels(at code.Slot) code.Address {
	a := code.Address{Space: ptx.GlobalSpace, Base: at, Memo: d.kernel.Memos}
	d.kernel.Memos++
	return a
}

// point is the handle, the layer, 0 without one, and the coordinates, which are of a type.
func (d *decoder) point(o ptx.Operand, t ptx.Type) []code.Slot {
	handle, layer, coordinates := d.d.TexelParts(o)
	if handle == nil {
		d.failf("%s is no handle with coordinates", ptx.OperandString(o))
	}
	args := []code.Slot{d.operand(handle, ptx.U64), d.constant(ptx.B32, 0)}
	if layer != nil {
		args[1] = d.operand(layer, ptx.B32)
	}
	for _, x := range coordinates {
		args = append(args, d.operand(x, t))
	}
	return args
}

// query decodes txq and suq.
func (d *decoder) query() {
	handle := ptx.HandlePart(d.in.Args[1])
	if handle == nil {
		d.failf("%s is no handle", ptx.OperandString(d.in.Args[1]))
	}
	arg := d.operand(handle, ptx.U64)
	d.emit(d.inst(), to(d.dest(d.in.Args[0], ptx.B32)), arg)
}
