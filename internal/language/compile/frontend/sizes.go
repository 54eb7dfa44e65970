package frontend

import (
	"fmt"
	"go/types"
	"math"
	"slices"
	"strconv"

	"github.com/gridstride/gridstride/internal/abi"
)

// Sizes are the sizes and offsets of Go types on the device. Sizeof is negative for a type whose
// size is no int64.
var Sizes types.Sizes = sizes{types.SizesFor(abi.SizesCompiler, abi.SizesArch)}

// MaxSize is the size of the largest type, in bytes. The Go compiler has the same limit on machines
// of 64 bits.
const MaxSize = 1 << 50

// RefuseSize says why a type is too large for its size and the offsets in it to be computed, "" if
// it is not.
func RefuseSize(t types.Type) string {
	size := Sizes.Sizeof(t)
	if 0 <= size && size <= MaxSize {
		return ""
	}
	bytes := "more than 9223372036854775807"
	if size >= 0 {
		bytes = strconv.FormatInt(size, 10)
	}
	name := types.TypeString(t, func(p *types.Package) string { return p.Name() })
	return fmt.Sprintf("type %s takes %s bytes: no type has more than %d, make it smaller", name, bytes, int64(MaxSize))
}

// sizes computes the sizes of go/types, in time proportional to the parts of a type. go/types
// measures the fields of a struct several times, which takes seconds if structs are nested 13 deep.
type sizes struct{ basic types.Sizes }

// extent is a type's size, negative if it exceeds int64, and its alignment.
type extent struct{ size, align int64 }

// Sizeof implements types.Sizes.
func (s sizes) Sizeof(t types.Type) int64 { return s.extent(t, map[*types.Named]extent{}).size }

// Alignof implements types.Sizes.
func (s sizes) Alignof(t types.Type) int64 { return s.extent(t, map[*types.Named]extent{}).align }

// Offsetsof implements types.Sizes.
func (s sizes) Offsetsof(fields []*types.Var) []int64 {
	offsets, _ := s.fields(fields, map[*types.Named]extent{})
	return offsets
}

// extent measures a type. Those that have a name are measured once.
func (s sizes) extent(t types.Type, known map[*types.Named]extent) (e extent) {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if e, ok := known[named]; ok {
			return e
		}
		defer func() { known[named] = e }()
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		elem := s.extent(u.Elem(), known)
		n := max(u.Len(), 0)
		if elem.size < 0 || elem.size > 0 && n > math.MaxInt64/elem.size {
			return extent{-1, elem.align}
		}
		return extent{n * elem.size, elem.align}
	case *types.Struct:
		if u.NumFields() > 0 {
			_, e := s.fields(slices.Collect(u.Fields()), known)
			return e
		}
	}
	return extent{s.basic.Sizeof(t), s.basic.Alignof(t)}
}

// fields are the offsets of a struct's fields, and its own extent. A last field without a size
// takes a byte, so that its address is in the struct.
func (s sizes) fields(fields []*types.Var, known map[*types.Named]extent) (offsets []int64, e extent) {
	e.align = 1
	for i, f := range fields {
		field := s.extent(f.Type(), known)
		e.align = max(e.align, field.align)
		at := alignUp(e.size, field.align)
		offsets = append(offsets, at)
		if i == len(fields)-1 && field.size == 0 && at > 0 {
			field.size = 1
		}
		if at < 0 || field.size < 0 || at > math.MaxInt64-field.size {
			e.size = -1
		} else {
			e.size = at + field.size
		}
	}
	e.size = alignUp(e.size, e.align)
	return offsets, e
}

// alignUp is the least multiple of align that is not below n, or negative if no int64 is or n is
// negative.
func alignUp(n, align int64) int64 {
	if n < 0 || n > math.MaxInt64-align {
		return -1
	}
	return (n + align - 1) / align * align
}

// Offsets are the offsets of a struct's fields. Function fields, which have no value on the device,
// count as pointers.
func Offsets(s *types.Struct) []int64 {
	return Sizes.Offsetsof(slices.Collect(s.Fields()))
}

// VectorLanes is the number of lanes if t is a vector type of package gpu or a complex type, else
// 0.
func VectorLanes(t types.Type) int {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsComplex != 0 {
		return 2
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != GPUPath {
		return 0
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok || s.NumFields() != 2 && s.NumFields() != 4 || n.Obj().Name() == "Dim3" {
		return 0
	}
	return s.NumFields()
}

// Align is the alignment that parameters, variables and slice elements of a type have on the
// device: Go's, except for vectors and complex numbers.
func Align(t types.Type) int {
	if VectorLanes(t) > 0 {
		return int(Sizes.Sizeof(t))
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return Align(a.Elem())
	}
	return int(Sizes.Alignof(t))
}

// IsHalf reports whether t is a floating-point number of 16 bits.
func IsHalf(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == GPUPath &&
		(n.Obj().Name() == "Float16" || n.Obj().Name() == "BFloat16")
}

// IsHalfPair reports whether t is made as a pair of such numbers is: with lanes X and Y and nothing
// else. In a register it is 32 bits.
func IsHalfPair(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	return ok && s.NumFields() == 2 && s.Field(0).Name() == "X" && s.Field(1).Name() == "Y" &&
		IsHalf(s.Field(0).Type()) && types.Identical(s.Field(0).Type(), s.Field(1).Type())
}
