// Package onegroup has the matrix products of GPUs of 9.0 that are too small for the tiles of
// package warpgroups: C = alpha*A*B + beta*C in tiles of 64 rows, which a warpgroup multiplies
// (wgmma), or of 128, which two do. One thread has the factors copied by tensor maps, as many tiles
// ahead as shared memory has places for, which for a small product is all of it: such a product
// takes as long as its launch and one trip to memory.
//
// The copies bring factors in their layout, in either direction, and round float32 to TF32. TF32
// across k goes from there into registers, like a tensor core's A. For a B across k, the transposes
// of the products are computed. The threads of a block convert in shared memory any other layout
// that tensor cores do not take: they turn int8 across k, and TF32 if both factors are across k,
// and cut float32 into three BFloat16. So there is one launch, and no memory is made.
//
// Sums are added up in the order of the other kernels of these formats, so the bits are the same.
//
// This package has the parts that the formats share: the loops over places, the copies, the stores
// of sums, and the choice among kernels. A device loads the PTX of a package whole, so each
// format's kernels are a separate package.
package onegroup
