// Package compile turns Go packages with kernels into PTX.
//
//	Source ──frontend──▶ go/ssa ──lower──▶ kernel IR ──pass──▶ kernel IR ──emit──▶ PTX
//
// Package-level variables that kernels read are constant data. Where their initial values are no
// literals, lower has package interp run their IR.
//
// The steps:
//
//   - frontend finds the kernels, drops all code they do not reach, type-checks the rest and
//     refuses what a kernel cannot contain;
//   - lower translates go/ssa to the IR of package ir, with every call inlined;
//   - pass rewrites the IR;
//   - emit writes it down as PTX.
//
// Nothing here reads a disk or runs a program: sources come in as text, so that the compiler builds
// for GOOS=js as well. Its neighbour, package load, finds them on disk.
package compile
