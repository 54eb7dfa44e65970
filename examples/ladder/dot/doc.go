// Package dot is the dot product of two vectors, from the first thing one writes to the limit of
// the memory: a ladder of variants, each a kernel whose comment says what it changes and why that
// helps.
//
// [Dot] is the product of two buffers by the best of them. A program that computes many makes a
// [Plan], which keeps the kernel and its working memory:
//
//	plan, err := dot.NewPlan(dev, dot.Best[float32](), n, dot.Options{})
//	defer plan.Free()
//	for … {
//		sum, err := plan.Dot(ctx, stream, a, b)
//	}
//
// [Variants] lists the ladder. Most variants leave a partial sum for each block of the grid, and
// the host adds these up in float64 with compensation. The last ones leave the result on the
// device. In exact arithmetic all give the same. In floating point each adds in an order of its
// own, fixed by the length and the size of grid and block, so that a result has the same bits each
// time and on every device. There are two exceptions: "atomic" adds in the order in which blocks
// happen to end, and "vector", "twokernels" and "onepass" add views that start in the middle of 16
// bytes in another order than those that do not.
//
// The error of a product of n elements is at most about 100 + n/t roundings of the sum of the
// absolute values of its terms, where t is the number of sums at a time: the grid's threads, two
// million for a long vector; 16 times as many in "vector", "twokernels" and "onepass" (8 times for
// float64); one in "single". "products" rounds each term once, and "atomic" the result once more
// for each block.
package dot
