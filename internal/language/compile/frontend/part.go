package frontend

import (
	"fmt"
	"go/types"

	"github.com/gridstride/gridstride/internal/abi"
)

// A Part is a piece of a kernel's parameter that the launch passes by itself: a slice, which is two
// parameters of the PTX, or a tensor map or a value, which is one. A parameter is one part, except
// that a struct or array that holds slices or tensor maps has one or more parts per field or
// element.
type Part struct {
	// Path is the Go expression after the name of the parameter: ".rows[1].data", "" for the whole.
	Path string
	// Name is the name of the PTX parameter: m_rows_1_data.
	Name string
	Type types.Type

	indices []int // of fields and elements
}

// Slice is the type of a part that is a slice, else nil.
func (p *Part) Slice() *types.Slice {
	s, _ := p.Type.Underlying().(*types.Slice)
	return s
}

// IsTensorMap reports whether t is gpu.TensorMap of some elements.
func IsTensorMap(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == GPUPath && n.Obj().Name() == "TensorMap"
}

// Offset is the part's offset in a parameter of type t, in bytes.
func (p *Part) Offset(t types.Type) (off int64) {
	for _, i := range p.indices {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			off += Offsets(u)[i]
			t = u.Field(i).Type()
		case *types.Array:
			off += int64(i) * Sizes.Sizeof(u.Elem())
			t = u.Elem()
		}
	}
	return off
}

// Parts takes a parameter of a kernel apart. Fields without a name, which nobody can read, and
// those without a size are no parts.
func Parts(v *types.Var) []Part {
	return appendParts(nil, Part{Name: v.Name(), Type: v.Type()})
}

func appendParts(parts []Part, p Part) []Part {
	part := func(path, name string, t types.Type, i int) Part {
		indices := append(p.indices[:len(p.indices):len(p.indices)], i)
		return Part{Path: p.Path + path, Name: p.Name + "_" + name, Type: t, indices: indices}
	}
	switch u := p.Type.Underlying().(type) {
	case *types.Struct:
		if IsTensorMap(p.Type) || !HoldsBuffer(u) {
			break
		}
		for i := range u.NumFields() {
			if f := u.Field(i); f.Name() != "_" && !sizeless(f.Type()) {
				parts = appendParts(parts, part("."+f.Name(), f.Name(), f.Type(), i))
			}
		}
		return parts
	case *types.Array:
		if !HoldsBuffer(u) {
			break
		}
		for i := range int(min(u.Len(), abi.PortableParams)) {
			parts = appendParts(parts, part(fmt.Sprintf("[%d]", i), fmt.Sprint(i), u.Elem(), i))
		}
		return parts
	}
	p.Name = Mangle(p.Name)
	return append(parts, p)
}

// HoldsBuffer reports whether a type is a slice or a tensor map, for which the host gives memory of
// the device, or a struct or an array with one in it.
func HoldsBuffer(t types.Type) bool { return holdsBuffer(t, map[*types.Named]bool{}) }

// holdsBuffer is HoldsBuffer. It looks into named types once.
func holdsBuffer(t types.Type, seen map[*types.Named]bool) bool {
	if IsTensorMap(t) {
		return true
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if seen[named] {
			return false
		}
		seen[named] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Array:
		return u.Len() != 0 && holdsBuffer(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if holdsBuffer(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// sizeless reports that a type has no size, whatever its type parameters are.
func sizeless(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() == 0 || sizeless(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !sizeless(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}
