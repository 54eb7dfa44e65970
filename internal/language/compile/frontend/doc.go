// Package frontend turns the sources of a package into go/ssa functions, one an instance of a
// kernel.
//
// The steps, each in separate files:
//
//   - directive.go reads //gpu:kernel and //gpu:nobounds, and fast.go says what //gpu:fast permits;
//   - reach.go finds the declarations that kernels reach by name, in this package and in those it
//     imports, and prune.go keeps only these. Host code in the same package is never type-checked:
//     it may use launchers that are yet to be generated, and import anything;
//   - changes.go finds what changes a package-level variable, in host code too, and variables.go
//     says which variables are tables of constants;
//   - stride.go rewrites loops over gpu.GridStride to plain loops;
//   - std.go supplies the device forms of math, math/bits and cmp, written in Go over a few
//     intrinsics;
//   - check.go, check_call.go and recursion.go refuse what a kernel cannot contain, with a position
//     and a remedy; kernel.go looks at the kernels' own declarations;
//   - instance.go makes the instances of generic kernels;
//   - frontend.go type-checks and builds go/ssa; stamp.go says which lines that took.
//
// All errors of a package are reported at once, as an ErrorList.
package frontend
