package lower

import (
	"go/types"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/language/compile/frontend"
)

// shapeOf is the type of a variable in shared memory, or of what a parameter points to, for
// findings. It is nil where PTX says as much, and for a type whose text would be too long.
func shapeOf(t types.Type) *abi.Shape {
	s := typeShape(t)
	if slice, ok := t.Underlying().(*types.Slice); ok {
		if s = typeShape(slice.Elem()); s != nil {
			s = abi.ArrayOf(-1, s)
		}
	}
	if s == nil || s.Plain() || len(s.String()) > abi.LongestShape {
		return nil
	}
	return s
}

// typeShape is the shape of a type of numbers, arrays and structs, and nil for another.
func typeShape(t types.Type) *abi.Shape {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		name := types.Typ[u.Kind()].Name()
		if size := abi.Numbers[name]; size > 0 {
			return &abi.Shape{Number: name, Size: size}
		}
	case *types.Array:
		if elem := typeShape(u.Elem()); elem != nil {
			return abi.ArrayOf(u.Len(), elem)
		}
	case *types.Struct:
		if isNumberOfGPU(t, u) {
			return typeShape(u.Field(0).Type())
		}
		return structShape(u)
	}
	return nil
}

// structShape is the shape of a struct. The bytes between its fields are fields without a name.
func structShape(u *types.Struct) *abi.Shape {
	s := &abi.Shape{}
	pad := func(to int64) bool {
		return to == s.Size || s.Add("_", abi.ArrayOf(to-s.Size, &abi.Shape{Number: "byte", Size: 1}))
	}
	offsets := frontend.Offsets(u)
	for i := range u.NumFields() {
		f := typeShape(u.Field(i).Type())
		if f == nil || !pad(offsets[i]) || !s.Add(u.Field(i).Name(), f) {
			return nil
		}
	}
	if !pad(frontend.Sizes.Sizeof(u)) {
		return nil
	}
	return s
}

// isNumberOfGPU reports whether a struct is how package gpu declares a type of its own, such as
// Float16 or MBarrier: nobody else can write its field.
func isNumberOfGPU(t types.Type, u *types.Struct) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == frontend.GPUPath && u.NumFields() == 1 && !u.Field(0).Exported()
}
