// Package level3 is the matrix products of BLAS's level 3 on a device: C = alpha*A*B + beta*C for
// matrices that are transposed or not, one or a batch, whole or a triangle.
//
// A kernel computes tiles of C. Large products take large tiles, with which a thread takes little
// from shared memory for many multiply-adds; smaller ones take smaller tiles, so that all
// multiprocessors have some, and let warps, or blocks, share k. The choice is by the sizes alone.
//
// So the bits are the same on every device: the products of an element of C are added along k, each
// with one fused multiply-add, in as many runs as the choice has slices and parts, and the sums of
// the runs in their order. The error of an element is at most k roundings of the sum of the
// absolute values of its products.
//
// Where the device is a 9.0 or newer, float64 is multiplied by tensor cores. They add the products
// of an element in the same order with the same roundings, so the bits are the same again.
//
// Products of other formats ([Mixed]) are for the tensor cores of GPUs of 8.0 and newer. A block's
// stages of A and B come by asynchronous copies, so many in flight, and go to the tensor cores by
// ldmatrix: package tile has that, for every format alike. What these instructions do not take is
// packed first, as are TF32, which are rounded, and the parts that stand for a float32. There is no
// choice that changes the order of additions, so that the bits depend on the tensor cores alone.
//
// float32 as a sum of three BFloat16 is the method of G. Henry, P. Tang and A. Heinecke, "Leveraging
// the bfloat16 artificial intelligence datatype for higher-precision computations" (ARITH 2019). What
// tensor cores cut off would add up, so that a few products at a time are added to the sum with a
// rounding to nearest, as in H. Ootomo and R. Yokota, "Recovering single precision accuracy from
// Tensor Cores while surpassing the FP32 theoretical peak performance" (IJHPCA 2022).
//
// What holds back the kernels that do without them are the registers: a multiply-add takes three
// operands, and registers hand out two in its time. multiply's order, and what else keeps operands
// in different banks of the registers, is most of the speed.
package level3
