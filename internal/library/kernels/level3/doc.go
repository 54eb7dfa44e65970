// Package level3 is the matrix products of BLAS's level 3 on a device: C = alpha*A*B + beta*C for
// matrices that are transposed or not, one or a batch, whole or a triangle.
//
// A kernel computes tiles of C. Large products take large tiles, with which a thread takes little
// from shared memory for many multiply-adds. Smaller ones take smaller tiles, so that all
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
// What holds back the kernels that do without them are the registers: a multiply-add takes three
// operands, and registers hand out two in its time. multiply's order, and what else keeps operands
// in different banks of the registers, is most of the speed.
package level3
