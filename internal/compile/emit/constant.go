package emit

import (
	"encoding/binary"
	"fmt"

	"github.com/gridstride/gridstride/internal/compile/ir"
	"github.com/gridstride/gridstride/internal/ptx"
)

// constant returns the name of a variable that holds data, one for equal data.
func (m *moduleEmitter) constant(v *ir.Var) string {
	refs := map[int64]string{}
	for _, r := range v.Refs { // which are declared before it
		refs[r.Off] = m.constant(r.Var)
	}
	key := fmt.Sprint(v.Space, v.Align, v.Elem, refs, string(v.Init))
	if name, ok := m.consts[key]; ok {
		return name
	}
	name := m.unique(v.Name)
	m.consts[key] = name
	decl := &ptx.Var{Space: ptx.GlobalSpace, Align: max(v.Align, 1), Type: constantType(v), Name: name}
	if v.Space == ir.Constant {
		decl.Space = ptx.ConstSpace
	}
	size := int(decl.Type.Bytes())
	init, used := initialValues(decl.Type, v.Init, refs)
	if v.Space == ir.Constant {
		init = init[:used]
	}
	decl.Dims, decl.Init = []int{len(v.Init) / size}, init
	m.varDecls = append(m.varDecls, decl)
	return name
}

// constantType is the type as which constant data is written down.
func constantType(v *ir.Var) ptx.Type {
	switch {
	case len(v.Refs) > 0:
		return ptx.U64
	case v.Elem.Size() > 1 && v.Elem != ir.MPtr && len(v.Init)%v.Elem.Size() == 0:
		return memTypes[v.Elem]
	}
	return ptx.B8
}

// initialValues are the elements of an array, and how many there are without the zeros at the end,
// at least one.
func initialValues(t ptx.Type, data []byte, refs map[int64]string) (list ptx.List, used int) {
	used = 1
	size := int(t.Bytes())
	for off := 0; off < len(data); off += size {
		var word [8]byte
		copy(word[:], data[off:off+size])
		bits := binary.LittleEndian.Uint64(word[:])
		name, isRef := refs[int64(off)]
		if bits != 0 || isRef {
			used = off/size + 1
		}
		switch {
		case isRef:
			list = append(list, ptx.Offset{Name: name, Offset: int64(bits), Generic: true})
		case t.IsFloat():
			list = append(list, ptx.Float{Bits: bits, Single: t == ptx.F32})
		case t == ptx.S16:
			list = append(list, ptx.Int{Bits: uint64(int64(int16(bits)))})
		default:
			list = append(list, ptx.Int{Bits: bits})
		}
	}
	return list, used
}
