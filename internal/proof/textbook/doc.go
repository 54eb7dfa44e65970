// Command textbook holds kernels written in Go, as one writes them, beside the same kernels in CUDA
// C++: twelve of a textbook, each line by line in kernels.go and in twins.cu.
//
// Its test runs all of them on the simulator. The command runs them on a GPU, by turns. It needs no
// Go there, but nvcc:
//
//	textbook [-nvcc nvcc] [-rounds 15] [-before kernels.ptx] [-o textbook.json]
//
// The C++ is compiled twice: as nvcc does it by default, and with -fmad=false, which rounds each
// operation as Go does. Before kernels are timed, their results are compared with float64 ones.
package main
