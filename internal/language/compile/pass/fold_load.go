package pass

import (
	"encoding/binary"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// foldLoad reads a lane of a load from constant data at a constant offset. At one of two offsets it
// reads both and selects. It gives v, what is loaded, where the load is another.
func (r *rewriter) foldLoad(v, load *ir.Value, lane int) *ir.Value {
	base, off := constOffset(load.Args[0])
	off += int64(lane) * int64(load.Mem.Size())
	if base.Op != ir.PtrAdd {
		if w := r.foldElement(v.Type, load.Mem, base, off); w != nil {
			return w
		}
		return v
	}
	table, more := constOffset(base.Args[0])
	c, i, j := choice(base.Args[1])
	if c == nil || v.Type == ir.Ptr {
		return v
	}
	x := r.foldElement(v.Type, load.Mem, table, off+more+int64(i))
	y := r.foldElement(v.Type, load.Mem, table, off+more+int64(j))
	if x == nil || y == nil {
		return v
	}
	return r.foldAgain(r.emit(ir.Select, v.Type, c, x, y))
}

// foldElement reads the value at an offset of constant data. It returns nil if base is no constant
// data, or if the offset is outside, so that the check before the load fails.
func (r *rewriter) foldElement(t ir.Type, mem ir.Mem, base *ir.Value, off int64) *ir.Value {
	if base.Op != ir.VarAddr || base.Var.Init == nil {
		return nil
	}
	size := int64(mem.Size())
	if off < 0 || off+size > int64(len(base.Var.Init)) {
		return nil
	}
	data := base.Var.Init[off : off+size]
	var bits uint64
	switch mem {
	case ir.MPtr:
		return r.foldAddress(base.Var, off, data)
	case ir.U8:
		bits = uint64(data[0])
	case ir.S8:
		bits = uint64(int8(data[0]))
	case ir.U16:
		bits = uint64(binary.LittleEndian.Uint16(data))
	case ir.S16:
		bits = uint64(int16(binary.LittleEndian.Uint16(data)))
	case ir.B32, ir.MF32:
		bits = uint64(binary.LittleEndian.Uint32(data))
	default:
		bits = binary.LittleEndian.Uint64(data)
	}
	return r.constant(t, bits)
}

// foldAddress reads an address, which is nil or a variable's.
func (r *rewriter) foldAddress(of *ir.Var, off int64, data []byte) *ir.Value {
	for _, ref := range of.Refs {
		if ref.Off == off {
			addr := r.emit(ir.VarAddr, ir.Ptr)
			addr.Var, addr.Space, addr.Align = ref.Var, ref.Var.Space, ref.Var.Align
			at := binary.LittleEndian.Uint64(data) // offset from the variable
			if at == 0 {
				return addr
			}
			p := r.emit(ir.PtrAdd, ir.Ptr, addr, r.int(ir.I64, int64(at)))
			p.Space = addr.Space
			return p
		}
	}
	return r.emit(ir.NilPtr, ir.Ptr)
}
