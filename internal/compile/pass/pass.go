// Package pass improves kernels between lowering and emission: a list of passes that one can read.
//
// Each pass is a function on ir.Func in a file of its own. What no pass may do: change what the kernel computes, make a check fail earlier or
// later than stores, atomics and barriers around it, or duplicate, merge or move a convergent operation across control flow.
// Floating-point operations are never reassociated or contracted.
package pass

import "github.com/gridstride/gridstride/internal/compile/ir"

// Pass is one rewrite of a function.
type Pass struct {
	Name string
	Run  func(*ir.Func)
}

// List is every pass in the order in which Run applies them.
var List = []Pass{
	{"SimplifyCFG", SimplifyCFG},
	{"Registers", Registers},
	{"Fold", Fold},
	{"GVN", GVN},
	{"DeadCode", DeadCode},
	{"SimplifyCFG", SimplifyCFG},
	{"Unroll", Unroll},
	{"GVN", GVN},
	{"ExpandMem", ExpandMem},
	{"Unrotate", Unrotate},
	{"Checks", Checks},
	{"Fold", Fold},
	{"SimplifyCFG", SimplifyCFG},
	{"Split", Split},
	{"Checks", Checks},
	{"Fold", Fold},
	{"SimplifyCFG", SimplifyCFG},
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
	{"Narrow", Narrow},
	{"Divide", Divide},
	{"Fold", Fold},
	{"GVN", GVN},
	{"DeadCode", DeadCode},
	{"IfConvert", IfConvert},
	{"SimplifyCFG", SimplifyCFG},
	{"Spaces", Spaces},
	{"Vectorize", Vectorize},
	{"Schedule", Schedule},
	{"Fold", Fold},
	{"DeadCode", DeadCode},
	{"Layout", Layout},
	{"Uniform", Uniform},
	{"Notes", Notes},
}

// Run applies every pass to f.
func Run(f *ir.Func) {
	for _, p := range List {
		p.Run(f)
	}
}
