package frontend

import (
	"go/types"

	"github.com/gridstride/gridstride/internal/abi"
)

// Sizes are the sizes and offsets of Go types on the device.
var Sizes = types.SizesFor(abi.SizesCompiler, abi.SizesArch)

// VectorLanes is the number of lanes if t is a vector type of package gpu, else 0.
func VectorLanes(t types.Type) int {
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
// device: Go's, but for vectors.
func Align(t types.Type) int {
	if VectorLanes(t) > 0 {
		return int(Sizes.Sizeof(t))
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return Align(a.Elem())
	}
	return int(Sizes.Alignof(t))
}
