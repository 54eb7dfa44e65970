package emit

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
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

// isLong reports whether v is a float64 that no machine instruction has room for: they take the
// upper half of one, and NVIDIA's assembler makes the others with two instructions each time.
func isLong(v *ir.Value) bool {
	return v.Op == ir.Const && v.Type == ir.F64 && uint32(v.Int) != 0
}

// loaded is the constant v in a register, from constant memory, which a machine instruction reads
// as it reads a register, or which is loaded once before a loop.
func (e *emitter) loaded(v *ir.Value) ptx.Name {
	t := e.temp(f64Class)
	e.ins(ptx.OpLd.Of(ptx.ConstSpace, ptx.F64), t, e.m.number(v.Int))
	return t
}

// number is where the module keeps the float64 with some bits.
func (m *moduleEmitter) number(bits uint64) ptx.Addr {
	if m.numbers == nil {
		m.numbers = &ptx.Var{Space: ptx.ConstSpace, Align: 8, Type: ptx.F64, Name: m.unique("numbers")}
		m.varDecls = append(m.varDecls, m.numbers)
	}
	list, _ := m.numbers.Init.(ptx.List)
	i := slices.Index(list, ptx.Operand(ptx.Float{Bits: bits}))
	if i < 0 {
		i = len(list)
		list = append(list, ptx.Float{Bits: bits})
		m.numbers.Init, m.numbers.Dims = list, []int{len(list)}
	}
	return ptx.Addr{Base: ptx.Name(m.numbers.Name), Offset: int64(8 * i)}
}
