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
// The last and fastest variant is examples/ladder/matmul/fast, whose comment says what limits it. The
// libraries have products that go on from there. Every variant adds the products of an element of C
// in the same order, the first column of A first, each with one fused multiply-add: all give the
// same bits, on every device. The error of an element is at most N roundings of the sum of the
// absolute values of its products.
package matmul
