// Package fast32 is the functions of package math32 for fast kernels: shorter, and with larger
// errors. Each has the name of the exact one whose place it takes.
//
// They are made of a GPU's approximations with .ftz: a subnormal argument of an approximation counts
// as 0, and so does a subnormal result. On the host these have the bits of an H200: see package mufu.
// NaN and infinities are no special cases. Each comment states the error, and the test holds the
// function to it.
package fast32
