// Command textbook holds kernels written in Go, as one writes them, beside the same kernels in CUDA
// C++, line by line. A family of kernels has a file of each, such as filters.go and filters.cu, and a
// file with its problems: data, and references in float64 or integers. The twelve of a textbook were
// first.
//
// Its test runs all of them on the simulator. The command runs them on a GPU, by turns. It needs no
// Go there, but nvcc:
//
//	textbook [-nvcc nvcc] [-rounds 15] [-run ^trees/] [-fast] [-before kernels.ptx] [-o textbook.json]
//
// The C++ is compiled twice: as nvcc does it by default, and with -fmad=false, which rounds each
// operation as Go does. -fast measures the kernels of kernels_fast.go, which are the family twelve
// with inexact arithmetic, beside the C++ with --use_fast_math. Before kernels are timed, their
// results are compared with the references.
package main
