// Package warpgroups is the common part of matrix products of GPUs of 9.0, whose warpgroups
// multiply tiles in shared memory (wgmma) while a thread has the next ones copied: the sizes of a
// block, the loop over the tiles of C ([Products], and [Halves] for factors of 16 bits), and the
// layout of factors. Kernels decide what to do with the sums of a tile, so products with other ends
// than C = alpha*A*B + beta*C are separate packages. It has no kernels itself.
package warpgroups
