// Package halves has the matrix products of warpgroups for factors of 16 bits, bfloat16 and
// float16, with sums in float32.
package halves
