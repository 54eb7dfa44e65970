// Package fast32 is the functions of package math32 for fast kernels: shorter, and with larger
// errors. Each has the name of the exact one whose place it takes.
//
// They are made of a GPU's approximations, of which those with .ftz are meant: a subnormal argument
// of one counts as 0, and so does a subnormal result. On the host these are the bits of an H200: see
// package mufu. The functions take NaN and infinities for no special case. Each comment says what is
// known of the error, and the test holds the function to it.
package fast32
