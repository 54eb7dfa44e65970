// Package pass improves kernels between lowering and emission. It is a list of passes that one can
// read.
//
// Each pass is a function on ir.Func in a separate file. No pass may change what the kernel
// computes, except fast operations. None may make a check fail earlier or later than the stores,
// atomics and barriers around it. None may duplicate a convergent operation, merge two, or move one
// across control flow. (Unroll copies one only with a whole loop of a constant number of rounds.
// Each copy runs in place of its round, so no thread meets another operation, or meets it under
// another condition, than before. UnrollCounted copies one only with a loop that all threads of a
// block run equally often. Version copies one only with a part that all threads of a grid
// run in the same version.) Floating-point operations are never reassociated, and contracted
// by Fuse alone, if they are fast (ir.Value.Fast). A pass that replaces a fast operation may
// leave the new one exact, but none makes an exact one fast.
//
// Passes are tested on text, before and after (testdata), and on random functions that an
// interpreter runs before and after each pass of the list (TestMeaning). A new pass is a file with
// one function, a row in List, and a folder in testdata.
package pass

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride/internal/language/compile/ir"
)

// Pass is one rewrite of a function.
type Pass struct {
	Name string
	Run  func(*ir.Func)
}

// List is every pass, in the order in which they run.
var List = []Pass{
	// What lowering wrote down as memory becomes values.
	{"SimplifyCFG", SimplifyCFG},
	{"Registers", Registers},
	{"Fold", Fold},
	{"GVN", GVN},
	{"DeadCode", DeadCode},
	{"SimplifyCFG", SimplifyCFG},
	{"Tables", Tables},
	{"Unroll", Unroll},
	{"GVN", GVN},
	{"Registers", Registers}, // local arrays whose addresses differed in the copies of a loop
	{"Fold", Fold},
	{"Tables", Tables},
	{"Local", Local},
	{"ExpandMem", ExpandMem},
	{"Spaces", Spaces},
	// What cannot fail is not checked.
	{"Unrotate", Unrotate},
	{"Rebase", Rebase},
	{"Checks", Checks},
	{"Fold", Fold},
	{"SimplifyCFG", SimplifyCFG},
	{"GVN", GVN},
	{"Common", Common},
	{"Unroll", Unroll},
	{"Version", Version},
	{"Guard", Guard},
	{"Approximate", Approximate},
	{"Hoist", Hoist},
	{"Split", Split},
	{"Checks", Checks},
	{"Fold", Fold},
	{"SimplifyCFG", SimplifyCFG},
	// Loops take the form in which they run, and do less.
	{"UnrollCounted", UnrollCounted},
	{"Spaces", Spaces},
	{"GVN", GVN},
	{"Loads", Loads},
	{"Rotate", Rotate},
	{"Hoist", Hoist},
	{"Addresses", Addresses},
	{"Fold", Fold},
	{"GVN", GVN},
	{"DeadCode", DeadCode},
	{"Hoist", Hoist},
	{"Strength", Strength},
	{"Fuse", Fuse},
	// What remains becomes cheaper.
	{"Narrow", Narrow},
	{"Divide", Divide},
	{"Bypass", Bypass},
	{"Fold", Fold},
	{"GVN", GVN},
	{"DeadCode", DeadCode},
	{"Hoist", Hoist}, // what Narrow made of bounds
	{"Sink", Sink},
	{"IfConvert", IfConvert},
	{"JoinTests", JoinTests},
	{"SimplifyCFG", SimplifyCFG},
	{"Lift", Lift},
	{"Spaces", Spaces},
	{"Vectorize", Vectorize},
	{"Schedule", Schedule},
	{"Fold", Fold},
	{"DeadCode", DeadCode},
	// And is laid out for emission.
	{"Layout", Layout},
	{"Uniform", Uniform},
	{"Notes", Notes},
}

// Without is List without the passes of a name.
func Without(name string) []Pass {
	return slices.DeleteFunc(slices.Clone(List), func(p Pass) bool { return p.Name == name })
}

// Run applies the passes of a list, such as List, to f.
func Run(f *ir.Func, list []Pass) {
	for _, p := range list {
		p.Run(f)
	}
}

// RunVerified is Run that holds f to ir.Verify before the first pass and after each. The error
// names the pass that broke f. No later one runs.
func RunVerified(f *ir.Func, list []Pass) error {
	if err := ir.Verify(f); err != nil {
		return fmt.Errorf("%s as lowered: %w", f.GoName, err)
	}
	for i, p := range list {
		p.Run(f)
		if err := ir.Verify(f); err != nil {
			return fmt.Errorf("%s after pass %d (%s): %w", f.GoName, i, p.Name, err)
		}
	}
	return nil
}
