// Package reduce computes a number from all elements of a vector on the device: the sum, the sum of
// squares, the smallest, the largest, and where these are.
//
//	largest, err := reduce.Max(ctx, stream, x)
//
// [Sum], [SumSquares], [Min], [Max], [ArgMin] and [ArgMax] make a plan for one reduction, which
// costs more than the reduction of a short vector, and wait for the result; their errors are those
// of [NewPlan], [Plan.Launch] and [Plan.Value]. A program that computes many keeps a [Plan], with
// kernels and working memory, so that nothing is allocated:
//
//	plan, err := reduce.NewPlan[float32](dev)
//	defer plan.Free()
//	for … {
//		norm2, err := plan.SumSquares(ctx, stream, x)
//	}
//
// Results have the same bits from run to run and on every device. Elements are combined in an order
// that depends on the length alone: each thread takes every so many, a block's threads are combined
// in a tree, and so are the blocks' results, in the block that is the last to end. A sum is
// computed in the type of the elements: integers wrap, and the error of a sum of n float32 or
// float64 is at most about 100 + n/35,000,000 roundings of the sum of the absolute values, where
// adding one after the other has n.
package reduce
