package metric

import (
	"fmt"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
	"github.com/gridstride/gridstride/internal/math/extent"
)

// Rows computes a metric of each row of a with the same row of b, or with the only row of b where b
// has one. The result for row i goes to out[i].
//
//	metric.Rows(metric.MSE, a, b, out)
func Rows[T blas.Float](metric func(x, y []T) T, a, b blas.Matrix[T], out []T) {
	checkMatrix("Rows", "a", a)
	checkMatrix("Rows", "b", b)
	if a.Cols != b.Cols || b.Rows != a.Rows && b.Rows != 1 || len(out) != a.Rows {
		panic(fmt.Sprintf("metric: Rows: a is %d x %d, b is %d x %d and out has %d elements",
			a.Rows, a.Cols, b.Rows, b.Cols, len(out)))
	}
	for i := range out {
		out[i] = metric(a.Row(i), b.Row(min(i, b.Rows-1)))
	}
}

// DotPairs computes the dot product of every row of a with every row of b: out[i][j] is the product
// of row i of a and row j of b. Out must not overlap with them.
func DotPairs[T blas.Float](a, b, out blas.Matrix[T]) {
	checkPairs("DotPairs", a, b, out)
	blas.Gemm(blas.NoTrans, blas.Trans, 1, a, b, 0, out)
}

// CosineSimilarityPairs computes the cosine similarity of every row of a with every row of b, as
// DotPairs does.
func CosineSimilarityPairs[T blas.Float](a, b, out blas.Matrix[T]) {
	checkPairs("CosineSimilarityPairs", a, b, out)
	pairs(a, b, out, func(x, y []T, xy, xx, yy T) T { return cosine(x, y, xy, xx, yy) })
}

// CosineDistancePairs computes 1 less the cosine similarity of every row of a with every row of b,
// as DotPairs does.
func CosineDistancePairs[T blas.Float](a, b, out blas.Matrix[T]) {
	checkPairs("CosineDistancePairs", a, b, out)
	pairs(a, b, out, func(x, y []T, xy, xx, yy T) T { return 1 - cosine(x, y, xy, xx, yy) })
}

// SquaredEuclideanPairs computes the square of the Euclidean distance of every row of a with every
// row of b, as DotPairs does. It is x*x + y*y - 2*x*y, and for rows that are so close that this
// would cancel, the sum of (x-y)*(x-y): equal rows have the distance 0.
func SquaredEuclideanPairs[T blas.Float](a, b, out blas.Matrix[T]) {
	checkPairs("SquaredEuclideanPairs", a, b, out)
	pairs(a, b, out, squaredEuclidean[T])
}

// EuclideanPairs computes the Euclidean distance of every row of a with every row of b, as
// SquaredEuclideanPairs does.
func EuclideanPairs[T blas.Float](a, b, out blas.Matrix[T]) {
	checkPairs("EuclideanPairs", a, b, out)
	pairs(a, b, out, func(x, y []T, xy, xx, yy T) T {
		if sum := squaredEuclidean(x, y, xy, xx, yy); inRange(sum) {
			return sqrt(sum)
		}
		return Euclidean(x, y)
	})
}

func squaredEuclidean[T blas.Float](x, y []T, xy, xx, yy T) T {
	norms := xx + yy
	if sum := norms - 2*xy; sum >= norms/16 && inRange(sum) {
		return sum
	}
	return kernel.SquaredDistance(x, y)
}

// pairs computes a metric of all pairs of rows from their dot products and squared norms.
func pairs[T blas.Float](a, b, out blas.Matrix[T], metric func(x, y []T, xy, xx, yy T) T) {
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	blas.Gemm(blas.NoTrans, blas.Trans, 1, a, b, 0, out)
	squares := make([]T, b.Rows)
	for j := range squares {
		squares[j] = blas.SumSquares(b.Row(j))
	}
	for i := range out.Rows {
		x, row := a.Row(i), out.Row(i)
		xx := blas.SumSquares(x)
		for j, xy := range row {
			row[j] = metric(x, b.Row(j), xy, xx, squares[j])
		}
	}
}

// checkMatrix panics where a matrix cannot be one.
func checkMatrix[T blas.Float](function, name string, m blas.Matrix[T]) {
	if fault := extent.MatrixFault(len(m.Data), m.Rows, m.Cols, m.Stride); fault != "" {
		panic(fmt.Sprintf("metric: %s: %s %s", function, name, fault))
	}
}

func checkPairs[T blas.Float](function string, a, b, out blas.Matrix[T]) {
	checkMatrix(function, "a", a)
	checkMatrix(function, "b", b)
	checkMatrix(function, "out", out)
	if a.Cols != b.Cols || out.Rows != a.Rows || out.Cols != b.Rows {
		panic(fmt.Sprintf("metric: %s: a is %d x %d, b is %d x %d and out is %d x %d",
			function, a.Rows, a.Cols, b.Rows, b.Cols, out.Rows, out.Cols))
	}
}
