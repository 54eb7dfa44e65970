// Package matmul is the matrix product C = A·B on the device, where A has M rows and N columns, B
// has N rows and L columns, and C has M and L, all of any size and row after row: from one thread
// an element of C to tiles in registers. Each variant is a kernel whose comment says what it
// changes and why that helps.
//
//	plan, err := matmul.NewPlan(dev, matmul.Best[float32]())
//	err = plan.Launch(stream,
//		matmul.Matrix[float32]{Rows: m, Cols: n, Data: a},
//		matmul.Matrix[float32]{Rows: n, Cols: l, Data: b},
//		matmul.Matrix[float32]{Rows: m, Cols: l, Data: c})
//
// Every variant adds the products of an element of C in the same order, the first column of A
// first, each with one fused multiply-add: all give the same bits, on every device. The error of an
// element is at most N roundings of the sum of the absolute values of its products.
//
// What holds the best variant back are the registers: a multiply-add takes three operands, and
// registers hand out two in its time. On an H200, multiply-adds that find only their sum anew reach
// 61.1 TFLOP/s in float32 and 29.9 in float64; those of a register tile, which find a factor anew
// as well, 54.2 and 26.9; and the variant, which also has to bring its operands, 48.6 and 24.1 for
// matrices of 4096 by 4096, 49.5 and 23.6 for 8192 by 8192. In the same run cuBLAS's Sgemm has 49.4
// and 50.8, and its Dgemm, on the tensor cores, 60.7 and 61.4: these kernels do not use them. While
// products in float64 run, the clock falls, too, from 1,980 to 1,800 MHz
// (docs/measurements/2026-11-21-h200-matmul.json).
package matmul
