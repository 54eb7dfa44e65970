// Package dot is the dot product of two vectors, from the first thing one writes to the limit of the memory: a ladder of variants,
// each a kernel whose comment says what it changes and why that helps.
//
// [Dot] is the product of two buffers by the best of them. A program that computes many makes a [Plan], which keeps
// the kernel and its working memory:
//
//	plan, err := dot.NewPlan(dev, dot.Best[float32](), n, dot.Options{})
//	defer plan.Free()
//	for … {
//		sum, err := plan.Dot(ctx, stream, a, b)
//	}
//
// [Variants] lists the ladder. Most variants leave a partial sum for each block of the grid, and the host adds these up in float64 with
// compensation; the last ones leave the result on the device. In exact arithmetic all give the same. In floating point each adds in an
// order of its own, fixed by the length and the size of grid and block, so that a result has the same bits each time and on every device; only
// the variant "atomic" adds in the order in which blocks happen to end.
package dot
