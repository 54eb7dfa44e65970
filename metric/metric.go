// Package metric is how far apart vectors are: losses, distances and similarities of slices of
// float32 and float64, computed by the CPU with the widest vectors it has. It needs no cgo and
// opens no device.
//
//	loss := metric.MSE(prediction, target)
//	similarity := metric.CosineSimilarity(x, y)
//
// Each function reads its vectors once, the cosine too, which needs three sums. [Compare] gives
// several metrics for one pass. [Rows] is any of them for the rows of two matrices, and the
// functions with Pairs in their names are for every row of one matrix with every row of another.
// They are matrix products in disguise and as fast.
//
// # What is defined
//
// Both vectors must have the same length. Otherwise a function panics with both lengths. The means
// of empty vectors are NaN, their distances and sums are 0. A zero vector, an empty one too, has
// the cosine similarity 0 with every vector, and so the distance 1. The correlation with a vector
// whose elements are all equal is NaN. A NaN in a vector makes a result NaN, and so do infinities
// without a limit, as in inf-inf. Similarities and correlations are in [-1, 1], rounding
// notwithstanding. Cosines, norms and Euclidean distances are right also where squares overflow or
// underflow. Means and sums of squares are infinite if they overflow.
//
// A result has the same bits on every CPU, with every instruction set and any number of processors:
// a sum over more than 65,536 elements is the sum of partial sums over pieces of 65,536 elements,
// which the idle processors share.
package metric

import (
	"fmt"
	"math"

	"github.com/gridstride/gridstride/blas"
)

// checkLengths panics where two vectors are not equally long.
func checkLengths[T blas.Float](function string, x, y []T) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("metric: %s: x has %d elements and y has %d", function, len(x), len(y)))
	}
}

func sqrt[T blas.Float](v T) T { return T(math.Sqrt(float64(v))) }

// MSE is the mean squared error: the mean of (x-y)*(x-y).
func MSE[T blas.Float](x, y []T) T {
	checkLengths("MSE", x, y)
	return squaredDistance(x, y) / T(len(x))
}

// RMSE is the square root of the mean squared error.
func RMSE[T blas.Float](x, y []T) T {
	checkLengths("RMSE", x, y)
	return sqrt(squaredDistance(x, y) / T(len(x)))
}

// MAE is the mean absolute error: the mean of |x-y|.
func MAE[T blas.Float](x, y []T) T {
	checkLengths("MAE", x, y)
	return manhattan(x, y) / T(len(x))
}

// SquaredNorm is the sum of the squares of x, as of a gradient.
func SquaredNorm[T blas.Float](x []T) T { return blas.SumSquares(x) }

// SquaredEuclidean is the square of the Euclidean distance: the sum of (x-y)*(x-y).
func SquaredEuclidean[T blas.Float](x, y []T) T {
	checkLengths("SquaredEuclidean", x, y)
	return squaredDistance(x, y)
}

// Euclidean is the Euclidean distance of x and y.
func Euclidean[T blas.Float](x, y []T) T {
	checkLengths("Euclidean", x, y)
	if sum := squaredDistance(x, y); inRange(sum) {
		return sqrt(sum)
	}
	return scaledEuclidean(x, y)
}

// Manhattan is the sum of |x-y|.
func Manhattan[T blas.Float](x, y []T) T {
	checkLengths("Manhattan", x, y)
	return manhattan(x, y)
}

// Chebyshev is the largest of |x-y|.
func Chebyshev[T blas.Float](x, y []T) T {
	checkLengths("Chebyshev", x, y)
	return chebyshev(x, y)
}

// CosineSimilarity is the cosine of the angle between x and y: their dot product through the
// product of their norms.
func CosineSimilarity[T blas.Float](x, y []T) T {
	checkLengths("CosineSimilarity", x, y)
	sums := cosineSums(x, y)
	return cosine(x, y, sums[0], sums[1], sums[2])
}

// CosineDistance is 1 less the cosine similarity.
func CosineDistance[T blas.Float](x, y []T) T {
	checkLengths("CosineDistance", x, y)
	return 1 - CosineSimilarity(x, y)
}

// cosine is the similarity of two vectors, given their sums.
func cosine[T blas.Float](x, y []T, xy, xx, yy T) T {
	if inRange(xx) && inRange(yy) {
		return clamp(xy / (sqrt(xx) * sqrt(yy)))
	}
	return scaledCosine(x, y)
}

// clamp brings what rounding has put outside back into [-1, 1]. NaN stays.
func clamp[T blas.Float](v T) T { return max(-1, min(1, v)) }

// Comparison are the sums of a pair of vectors that several metrics are made of.
type Comparison[T blas.Float] struct {
	N                int // elements of each vector
	Dot              T   // sum of x*y
	SquaredNormX     T   // sum of x*x
	SquaredNormY     T   // sum of y*y
	SquaredEuclidean T   // sum of (x-y)*(x-y)
	Manhattan        T   // sum of |x-y|
}

// Compare reads two vectors once for all sums of a Comparison.
func Compare[T blas.Float](x, y []T) Comparison[T] {
	checkLengths("Compare", x, y)
	s := compareSums(x, y)
	return Comparison[T]{len(x), s[0], s[1], s[2], s[3], s[4]}
}

// MSE is the mean squared error.
func (c Comparison[T]) MSE() T { return c.SquaredEuclidean / T(c.N) }

// RMSE is the square root of the mean squared error.
func (c Comparison[T]) RMSE() T { return sqrt(c.MSE()) }

// MAE is the mean absolute error.
func (c Comparison[T]) MAE() T { return c.Manhattan / T(c.N) }

// Euclidean is the Euclidean distance, where its square is a number of the type.
func (c Comparison[T]) Euclidean() T { return sqrt(c.SquaredEuclidean) }

// CosineSimilarity is the cosine of the angle, where the squares of the norms are numbers of the
// type.
func (c Comparison[T]) CosineSimilarity() T {
	if c.SquaredNormX == 0 || c.SquaredNormY == 0 {
		return 0 * c.Dot
	}
	return clamp(c.Dot / (sqrt(c.SquaredNormX) * sqrt(c.SquaredNormY)))
}
