// Package fast is the ladder's fastest matrix product C = A·B on buffers of a device: its kernels,
// and the [Plan] that chooses among them. A has m rows and n columns, B has n rows and l columns,
// and C has m and l, all of any size and row after row.
//
// The products of an element of C are added in one order, the first column of A first, each with
// one fused multiply-add: the bits are the same on every device. The error of an element is at most
// n roundings of the sum of the absolute values of its products.
//
// The registers hold the kernels back: a multiply-add takes three operands, and registers hand out
// two in its time. On an H200, multiply-adds that find only their sum anew reach 61.1 TFLOP/s in
// float32 and 29.9 in float64; multiply-adds of a register tile, which find a factor anew as well,
// 54.2 and 26.9; and the kernels, which also have to bring their operands, 48.6 and 24.1 for
// matrices of 4096 by 4096, 49.5 and 23.6 for 8192 by 8192. In the same run cuBLAS's Sgemm has 49.4
// and 50.8, and its Dgemm, on the tensor cores, 60.7 and 61.4: these kernels do not use them. While
// products in float64 run, the clock falls, too, from 1,980 to 1,800 MHz
// (docs/measurements/2026-11-21-h200-matmul.json).
package fast
