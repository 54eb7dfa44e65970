package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An argList is the variadic arguments of a call that must be known one by one when the kernel is
// compiled: the orderings of an atomic. go/ssa puts them into an array and makes a slice of it,
// which never lies in memory here.
type argList struct {
	args []value
}

// isArgList reports whether an array holds such arguments.
func isArgList(in *ssa.Alloc) bool {
	array, ok := in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	return ok && in.Comment == "varargs" && isOrdering(array.Elem())
}

// newArgList is the address of the array.
func newArgList(in *ssa.Alloc) value {
	array := in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	return value{leaves: []leaf{{list: &argList{args: make([]value, array.Len())}}}}
}

// element is the address of one of the arguments.
func (a *argList) element(in *ssa.IndexAddr) value {
	return value{leaves: []leaf{{arg: &a.args[in.Index.(*ssa.Const).Int64()]}}}
}
