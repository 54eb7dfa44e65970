// Package formats is the matrix products of a device whose factors are of another type than C, or
// are read as another: C = alpha*A*B + beta*C as in package level3.
//
// They are for the tensor cores of GPUs of 8.0 and newer. Asynchronous copies fetch a block's
// stages of A and B, several in flight, and ldmatrix hands them to the tensor cores: package tile
// does that for every format. Factors that these instructions do not accept are packed first: TF32,
// which are rounded, and the parts that represent a float32. No choice changes the order of
// additions, so the bits depend on the tensor cores alone.
//
// Large products of GPUs of 9.0 use package warpgroups, and small ones package
// onegroup, which packs nothing. Devices without tensor cores multiply float32 by
// package level3.
//
// float32 as a sum of three BFloat16 is the method of G. Henry, P. Tang and A. Heinecke,
// "Leveraging the bfloat16 artificial intelligence datatype for higher-precision computations"
// (ARITH 2019). What tensor cores cut off would add up, so that a few products at a time are added
// to the sum with a rounding to nearest, as in H. Ootomo and R. Yokota, "Recovering single
// precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance"
// (IJHPCA 2022).
package formats
