// Package f64 holds the kernels for float64: generated assembly, and the functions that choose
// among the instruction sets. They check nothing. Package blas does.
package f64
