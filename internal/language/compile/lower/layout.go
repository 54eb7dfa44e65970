package lower

import (
	"fmt"
	"go/types"

	"github.com/gridstride/gridstride/internal/language/compile/frontend"
	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// A scalar is one leaf of a Go type: what one IR value holds.
type scalar struct {
	mem   ir.Mem
	typ   ir.Type // Void for a function, which has no value in IR
	off   int64   // bytes from the start of the whole
	path  string  // from the whole: ".pos[1].x", "" for a scalar itself
	blank bool    // a field _, which comparisons skip
	text  bool    // the address of a string, whose length comes next
	pair  bool    // two numbers of 16 bits, at an address aligned for one or both (see half.go)
}

// maxScalars is the size up to which a value is taken apart into scalars. Larger values stay in
// memory.
const maxScalars = 64

// layout says how a Go type is stored in memory.
type layout struct {
	size    int64
	align   int
	scalars []scalar // nil if there are more than maxScalars
	large   bool
	refused string // why the type has no values on the device
}

func (l *lowerer) layout(t types.Type) *layout {
	if lay := l.layouts[t]; lay != nil {
		return lay
	}
	lay := &layout{size: frontend.Sizes.Sizeof(t), align: int(frontend.Sizes.Alignof(t))}
	l.layouts[t] = lay
	if why := frontend.RefuseSize(t); why != "" {
		l.errorf(l.here(), "%s", why)
		lay.size, lay.large = 1, true
	} else if countScalars(t) > maxScalars {
		lay.large = true
	} else {
		lay.addScalars(t, 0, "", false)
	}
	return lay
}

// allScalars are the scalars of the layout's type, also if they are many.
func (lay *layout) allScalars(t types.Type) []scalar {
	if !lay.large {
		return lay.scalars
	}
	all := &layout{}
	all.addScalars(t, 0, "", false)
	return all.scalars
}

// countScalars is the number of leaves of a type, or something above maxScalars.
func countScalars(t types.Type) int64 {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if frontend.IsHalfPair(t) {
			return 1
		}
		n := int64(0)
		for i := 0; i < u.NumFields() && n <= maxScalars; i++ {
			n = min(n+countScalars(u.Field(i).Type()), maxScalars+1)
		}
		return n
	case *types.Array:
		elem := countScalars(u.Elem())
		if elem == 0 || u.Len() == 0 {
			return 0
		}
		if u.Len() > maxScalars {
			return maxScalars + 1
		}
		return min(u.Len()*elem, maxScalars+1)
	case *types.Slice:
		return 3
	case *types.Basic:
		if _, isComplex := complexPart(u); isComplex || isString(u) {
			return 2
		}
	}
	return 1
}

func (lay *layout) addScalars(t types.Type, off int64, path string, blank bool) {
	add := func(typ ir.Type, mem ir.Mem, off int64, path string) {
		lay.scalars = append(lay.scalars, scalar{mem: mem, typ: typ, off: off, path: path, blank: blank})
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if frontend.IsHalfPair(t) {
			add(ir.I32, ir.B32, off, path)
			lay.scalars[len(lay.scalars)-1].pair = true
			return
		}
		offsets := frontend.Offsets(u)
		for i := range u.NumFields() {
			f := u.Field(i)
			lay.addScalars(f.Type(), off+offsets[i], path+"."+f.Name(), blank || f.Name() == "_")
		}
	case *types.Array:
		if countScalars(u.Elem()) == 0 {
			return
		}
		size := frontend.Sizes.Sizeof(u.Elem())
		for i := range u.Len() {
			lay.addScalars(u.Elem(), off+i*size, fmt.Sprintf("%s[%d]", path, i), blank)
		}
	case *types.Slice:
		add(ir.Ptr, ir.MPtr, off, path)
		add(ir.I64, ir.B64, off+8, path+".len")
		add(ir.I64, ir.B64, off+16, path+".cap")
	case *types.Pointer:
		add(ir.Ptr, ir.MPtr, off, path)
	case *types.Signature:
		add(ir.Void, ir.MemNone, off, path)
	case *types.Basic:
		if k, ok := kinds[u.Kind()]; ok {
			add(k.typ, k.mem, off, path)
			return
		}
		if k, ok := complexPart(u); ok {
			add(k.typ, k.mem, off, path+".real")
			add(k.typ, k.mem, off+int64(k.mem.Size()), path+".imag")
			return
		}
		if isString(u) {
			add(ir.Ptr, ir.MPtr, off, path)
			lay.scalars[len(lay.scalars)-1].text = true
			add(ir.I64, ir.B64, off+8, path+".len")
			return
		}
		lay.refused = t.String()
		add(ir.I64, ir.B64, off, path)
	default:
		lay.refused = t.String()
		add(ir.I64, ir.B64, off, path)
	}
}

// kind is a basic type's representation.
type kind struct {
	typ    ir.Type
	mem    ir.Mem
	bits   int
	signed bool
}

func (k kind) float() bool { return k.typ.IsFloat() }

var kinds = map[types.BasicKind]kind{
	types.Bool:    {ir.Bool, ir.U8, 1, false},
	types.Int8:    {ir.I32, ir.S8, 8, true},
	types.Int16:   {ir.I32, ir.S16, 16, true},
	types.Int32:   {ir.I32, ir.B32, 32, true},
	types.Int64:   {ir.I64, ir.B64, 64, true},
	types.Int:     {ir.I64, ir.B64, 64, true},
	types.Uint8:   {ir.I32, ir.U8, 8, false},
	types.Uint16:  {ir.I32, ir.U16, 16, false},
	types.Uint32:  {ir.I32, ir.B32, 32, false},
	types.Uint64:  {ir.I64, ir.B64, 64, false},
	types.Uint:    {ir.I64, ir.B64, 64, false},
	types.Uintptr: {ir.I64, ir.B64, 64, false}, // of unsafe.Sizeof only: package frontend refuses others
	types.Float32: {ir.F32, ir.MF32, 32, true},
	types.Float64: {ir.F64, ir.MF64, 64, true},

	types.UntypedBool:  {ir.Bool, ir.U8, 1, false},
	types.UntypedInt:   {ir.I64, ir.B64, 64, true},
	types.UntypedRune:  {ir.I32, ir.B32, 32, true},
	types.UntypedFloat: {ir.F64, ir.MF64, 64, true},
}

// kindOf is the representation of a type whose underlying type is basic.
func kindOf(t types.Type) (kind, bool) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return kind{}, false
	}
	k, ok := kinds[b.Kind()]
	return k, ok
}

// offsets are the offsets of a struct's fields.
func (l *lowerer) offsets(s *types.Struct) []int64 {
	offsets, ok := l.structs[s]
	if !ok {
		offsets = frontend.Offsets(s)
		l.structs[s] = offsets
	}
	return offsets
}

// varAlign is the alignment of a variable of a type: enough for vector accesses of its start.
func varAlign(t types.Type) int {
	size, align := frontend.Sizes.Sizeof(t), frontend.Align(t)
	for align < 16 && size >= int64(2*align) {
		align *= 2
	}
	return align
}

// isFunc reports whether a type is a function type.
func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
