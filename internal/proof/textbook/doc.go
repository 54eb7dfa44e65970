// Command textbook holds kernels written in Go, as one writes them, beside the same kernels in CUDA
// C++: twelve of a textbook, each line by line in kernels.go and in twins.cu.
//
// Its test assembles the Go kernels and holds the instructions of their hot loops to recorded
// numbers. The command runs both on a GPU, by turns. It needs nvcc:
//
//	textbook [-nvcc nvcc] [-rounds 15] [-o textbook.json]
//
// The C++ is compiled twice: as nvcc does it by default, and with -fmad=false, which rounds each
// operation as Go does. Before it is timed, each kernel's result is compared with the C++ one's.
package main
