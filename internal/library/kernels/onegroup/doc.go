// Package onegroup has the matrix products of GPUs of 9.0 that are too small for the tiles of
// package warpgroups: C = alpha*A*B + beta*C in tiles of 64 rows, which a warpgroup multiplies
// (wgmma), or of 128, which two do. One thread has the factors copied by tensor maps, as many tiles
// ahead as shared memory has places for, which for a small product is all of it: such a product
// takes as long as its launch and one trip to memory.
//
// The copies bring factors as they lie, in either direction, and round float32 to TF32. TF32 that
// lies across k goes from there into registers, as tensor cores take an A. Where it is B, the
// transposes of the products are computed. Whatever else tensor cores do not take as it lies, the
// threads of a block make in shared memory: they turn int8 that lies across k, and TF32 where both
// factors do, and cut float32 into three BFloat16. So there is one launch, and no memory is made.
//
// Sums are added up in the order of the other kernels of these formats, so the bits are the same.
//
// This package has what the formats share: the loops over places, the copies, where sums go, and
// the choice among kernels. A device loads the PTX of a package whole, so each format's kernels are
// a package of their own.
package onegroup
