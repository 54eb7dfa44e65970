// Package onegroup has the matrix products of GPUs of 9.0 that are too small for the tiles of package
// warpgroups: C = alpha*A*B + beta*C in tiles of 64 rows, which a warpgroup multiplies (wgmma), or of
// 128, which two do. One thread has the factors copied by tensor maps, as many tiles ahead as shared
// memory has places for, which for a small product is all of it: such a product takes as long as its
// launch and one trip to memory.
//
// The copies bring factors as they lie, in either direction, and round float32 to TF32. What tensor
// cores do not take so, the threads of a block make in shared memory: they turn TF32 and int8 that
// lie across k, and cut float32 into three BFloat16. So there is one launch, and no memory is made.
//
// Sums are added up in the order of the other kernels of these formats, so the bits are the same.
package onegroup
