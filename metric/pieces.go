package metric

import (
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/library/asm/cores"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// sums are up to five sums over a pair of vectors.
type sums[T blas.Float] [5]T

// plus adds the sums over further elements.
func (s sums[T]) plus(o sums[T]) sums[T] {
	for i, v := range o {
		s[i] += v
	}
	return s
}

// over calls of for each piece of a pair of vectors and merges the results with plus, in the order
// of the pieces. The idle processors share the pieces.
func over[T blas.Float, R any](x, y []T, of func(x, y []T) R, plus func(all, part R) R) R {
	if len(x) <= cores.Piece {
		return of(x, y)
	}
	parts := make([]R, cores.CountPieces(len(x)))
	cores.Pieces(len(x), func(i, from, to int) { parts[i] = of(x[from:to], y[from:to]) })
	all := parts[0]
	for _, part := range parts[1:] {
		all = plus(all, part)
	}
	return all
}

// squaredDistance is the sum of (x-y)*(x-y).
func squaredDistance[T blas.Float](x, y []T) T {
	return over(x, y, kernel.SquaredDistance[T], func(all, part T) T { return all + part })
}

// manhattan is the sum of |x-y|.
func manhattan[T blas.Float](x, y []T) T {
	return over(x, y, func(x, y []T) T {
		var s [2]T
		kernel.Differences(x, y, &s)
		return s[1]
	}, func(all, part T) T { return all + part })
}

// chebyshev is the largest of |x-y|.
func chebyshev[T blas.Float](x, y []T) T {
	return over(x, y, func(x, y []T) T {
		var s [2]T
		kernel.Differences(x, y, &s)
		if s[1] != s[1] { // the sum tells of a NaN, which the maximum does not
			return s[1]
		}
		return s[0]
	}, func(all, part T) T { return max(all, part) })
}

// cosineSums are the sums of x*y, x*x and y*y.
func cosineSums[T blas.Float](x, y []T) sums[T] {
	return over(x, y, func(x, y []T) sums[T] {
		var s [3]T
		kernel.Cosine(x, y, &s)
		return sums[T]{s[0], s[1], s[2]}
	}, sums[T].plus)
}

// compareSums are the sums for a Comparison.
func compareSums[T blas.Float](x, y []T) sums[T] {
	return over(x, y, func(x, y []T) sums[T] {
		var s [5]T
		kernel.Compare(x, y, &s)
		return s
	}, sums[T].plus)
}
