// Package threads has kernels whose threads work together, by atomics of every order and width, in
// warps, blocks and grids, and kernels that print. Its tests run them on the simulator, under all
// checks, and on GPUs, and compare with what the host says.
package threads
