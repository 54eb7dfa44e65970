// Package formats is the matrix products of a device whose factors are of another type than C, or
// are taken for another: C = alpha*A*B + beta*C as package level3 has it.
//
// They are for the tensor cores of GPUs of 8.0 and newer. A block's stages of A and B come by
// asynchronous copies, so many in flight, and go to the tensor cores by ldmatrix: package tile has
// that, for every format alike. What these instructions do not take is packed first, as are TF32,
// which are rounded, and the parts that stand for a float32. There is no choice that changes the
// order of additions, so that the bits depend on the tensor cores alone.
//
// Large products of GPUs of 9.0 are those of package warpgroups, and small ones those of package
// onegroup, which packs nothing. Devices without tensor cores
// multiply float32 by package level3.
//
// float32 as a sum of three BFloat16 is the method of G. Henry, P. Tang and A. Heinecke,
// "Leveraging the bfloat16 artificial intelligence datatype for higher-precision computations"
// (ARITH 2019). What tensor cores cut off would add up, so that a few products at a time are added
// to the sum with a rounding to nearest, as in H. Ootomo and R. Yokota, "Recovering single
// precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance"
// (IJHPCA 2022).
package formats
