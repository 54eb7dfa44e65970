// Package warpgroups is what matrix products of GPUs of 9.0 have in common, whose warpgroups
// multiply tiles in shared memory (wgmma) while a thread has the next ones copied: the sizes of a
// block, the loop over the tiles of C ([Products], and [Halves] for factors of 16 bits), and where
// the factors lie. What is done with the sums of a tile is up to the kernel, so that products with
// other ends than C = alpha*A*B + beta*C are packages of their own. It has no kernels itself.
package warpgroups
