// Package reduce computes a number from all elements of a vector on the device: the sum, the sum of
// squares, the smallest, the largest, and where these are. It is a ladder of one rung, the kernels
// of examples/ladder/reduce/fast, with the host's side of them: results come back as Go values.
//
//	largest, err := reduce.Max(ctx, stream, x)
//
// [Sum], [SumSquares], [Min], [Max], [ArgMin] and [ArgMax] make a plan for one reduction, which
// costs more than the reduction of a short vector, and wait for the result. Their errors are those
// of [NewPlan], [Plan.Launch] and [Plan.Value]. A program that computes many keeps a [Plan], with
// kernels and working memory, so that nothing is allocated:
//
//	plan, err := reduce.NewPlan[float32](dev)
//	defer plan.Free()
//	for … {
//		norm2, err := plan.SumSquares(ctx, stream, x)
//	}
//
// Results have the same bits from run to run and on every device: see the kernels' comment for the
// order and the error of sums.
package reduce
