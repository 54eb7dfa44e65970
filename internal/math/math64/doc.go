// Package math64 is the functions of package math, and some that it lacks, written so that they
// have the same bits on the host and in kernels. A kernel that calls math.Exp runs Exp of this
// package. So does a program that calls gpu.Exp.
//
// The code is for both: it branches little, keeps no tables where a polynomial will do, and says
// every fused multiplication. What is not fused is converted explicitly, as a Go compiler may fuse
// the rest. It uses packages ieee, mathcommon and math32 alone.
//
// Special values are as in C99's Annex F, which package math has too but where a comment says
// otherwise. docs/math.md has the largest error of each function, and the input that gives it.
package math64
