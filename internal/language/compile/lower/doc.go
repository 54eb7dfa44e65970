// Package lower translates go/ssa to the kernel IR of package ir.
//
// One call of Kernel makes one function: every call is inlined while it is lowered, closures and
// function values included, so these must be known at that point. Structs, arrays, slices and
// tuples are taken apart into scalars on the way. A large array that is used as a value lives in a
// temporary of local memory instead.
//
// Who finds what:
//
//   - lower.go: the kernel as a whole, its parameters, errors and positions;
//   - frame.go: the body of one inlined call, its blocks and phis;
//   - instr.go: the instructions of go/ssa, one case each;
//   - layout.go and value.go: how Go types are stored in memory, and how Go values are represented
//     while lowering;
//   - table.go and compute.go: package-level variables as constant data, and the initial values
//     that are computed, by running their IR (package interp);
//   - arith.go, convert.go, compare.go, constant.go: operators, conversions and constants;
//   - memory.go, slice.go, bulk.go: variables, loads and stores, indexing, copy and clear;
//   - call.go, builtin.go, intrinsic.go: calls;
//   - atomic.go, barrier.go, exchange.go, mma.go, print.go: the functions of package gpu that are
//     more than an operation on scalars, and arglist.go their variadic arguments;
//   - text.go, complex.go and half.go: strings, complex numbers and numbers of 16 bits;
//   - typeswitch.go: questions about the type of a value, which are answered here;
//   - escape.go: refuses a variable in a loop whose address outlives the iteration.
//
// Go's run-time panics become Check instructions. Slices, variables of shared memory, addresses of
// variables and elements are never nil, so no nil checks are made for them.
package lower
