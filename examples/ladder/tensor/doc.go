// Package tensor is the matrix product C = A·Bᵀ on tensor cores, of BFloat16 added up as float32:
// from the first instruction to a pipeline. A has M rows and N columns, B has L rows and N columns,
// and C has M and L, row after row. An element of C is the dot product of a row of A and a row of
// B, as a search compares queries with documents. Each variant is a kernel whose comment says what
// it changes and why that helps.
//
//	plan, err := tensor.NewPlan(dev, tensor.Best())
//	err = plan.Launch(stream,
//		tensor.Matrix[gpu.BFloat16]{Rows: m, Cols: n, Data: a},
//		tensor.Matrix[gpu.BFloat16]{Rows: l, Cols: n, Data: b},
//		tensor.Matrix[float32]{Rows: m, Cols: l, Data: c})
//
// The first variants need a GPU of 8.0 or newer, tma one of 9.0 or newer, and the later ones a 9.0.
// The tutorial's chapter about tensor cores goes through them. Package blas/gpublas has products
// for all sizes and more formats.
//
// Tensor cores add 16 products at once, and cut off bits far below the largest. All variants add
// the same 16 products in the same order. The bits are the simulator's, which has one model for mma
// and one for wgmma, on every GPU of 9.0.
package tensor
