// Package f32 holds the kernels for float32: generated assembly, and the functions that choose
// among the instruction sets. They check nothing. Package blas does.
package f32
