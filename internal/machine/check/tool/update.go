package tool

import (
	"slices"

	"github.com/gridstride/gridstride/internal/ptx"
)

// Update says whether a store writes back, changed, what a load has read from the same address, as
// sum[k] += v does, and by which operation: "add", or another of PTX's names for one.
func (f *Flow) Update(store int) (load int, op string, ok bool) {
	st := f.instrs[store]
	if does := f.does[store]; does.Kind != ptx.Stores || !does.Accesses(ptx.TypeSize) || len(st.Args) != 2 {
		return 0, "", false
	}
	change := f.definition(st.Args[1])
	if change < 0 {
		return 0, "", false
	}
	in := f.instrs[change]
	for _, operand := range in.Args[1:] {
		at := f.definition(operand)
		if at >= 0 && f.does[at].Kind == ptx.Loads && f.instrs[at].Args[1] == st.Args[0] {
			return at, in.Op, true
		}
	}
	return 0, "", false
}

// definition returns the number of the one instruction that computes the value of a register,
// looking through moves and conversions, or -1 if that is not known.
func (f *Flow) definition(o ptx.Operand) int {
	for range f.instrs { // moves may go in a circle
		name, ok := o.(ptx.Name)
		if !ok {
			return -1
		}
		found := -1
		for i, in := range f.instrs {
			if len(in.Args) < 2 || f.does[i].Kind == ptx.Stores || !slices.Contains(names(in.Args[0]), name) {
				continue
			}
			if found >= 0 {
				return -1
			}
			found = i
		}
		if found < 0 || f.instrs[found].Op != "mov" && f.instrs[found].Op != "cvt" {
			return found
		}
		o = f.instrs[found].Args[1]
	}
	return -1
}
