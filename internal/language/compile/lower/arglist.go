package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An argList is the variadic arguments of a call that must be known one by one when the kernel is
// compiled: the orderings of an atomic, the caches of a copy, the values that are printed. go/ssa
// puts them into an array and makes a slice of it, which is never in memory here.
type argList struct {
	args []argument
}

// An argument is one of them.
type argument struct {
	v    value
	from ssa.Value // its operand, before the conversion to an interface
}

// set makes it the argument.
func (a *argument) set(f *frame, x ssa.Value) {
	if m, ok := x.(*ssa.MakeInterface); ok {
		x = m.X
	}
	*a = argument{f.value(x), x}
}

// isArgList reports whether an array holds such arguments.
func isArgList(in *ssa.Alloc) bool {
	array, ok := in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	return ok && in.Comment == "varargs" && (isQualifier(array.Elem()) || isAny(array.Elem()))
}

// newArgList is the address of the array.
func newArgList(in *ssa.Alloc) value {
	array := in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	return value{leaves: []leaf{{list: &argList{args: make([]argument, array.Len())}}}}
}

// element is the address of one of the arguments.
func (a *argList) element(in *ssa.IndexAddr) value {
	return value{leaves: []leaf{{arg: &a.args[in.Index.(*ssa.Const).Int64()]}}}
}

// isAny reports whether a type is an interface without methods.
func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}
