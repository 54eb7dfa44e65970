package gpumetric

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/pairs"
)

// DotPairs computes the dot product of every row of a with every row of b: element (i, j) of out is
// the product of row i of a and row j of b. out does not overlap with them.
func DotPairs[T gpublas.Float](h *Handle, a, b, out gpublas.Matrix[T]) error {
	if err := checkPairs(h, "DotPairs", a, b, out); err != nil {
		return err
	}
	return gpublas.Gemm(h.blas, gpublas.NoTrans, gpublas.Trans, 1, a, b, 0, out)
}

// CosineSimilarityPairs computes the cosine similarity of every row of a with every row of b, as
// DotPairs does.
func CosineSimilarityPairs[T gpublas.Float](h *Handle, a, b, out gpublas.Matrix[T]) error {
	return allPairs(h, "CosineSimilarityPairs", pairs.CosineSimilarity, a, b, out)
}

// CosineDistancePairs computes 1 less the cosine similarity of every row of a with every row of b,
// as DotPairs does.
func CosineDistancePairs[T gpublas.Float](h *Handle, a, b, out gpublas.Matrix[T]) error {
	return allPairs(h, "CosineDistancePairs", pairs.CosineDistance, a, b, out)
}

// SquaredEuclideanPairs computes the square of the Euclidean distance of every row of a with every
// row of b, as DotPairs does. It is x*x + y*y - 2*x*y, and for rows that are so close that this
// would cancel, the sum of (x-y)*(x-y): equal rows have the distance 0.
func SquaredEuclideanPairs[T gpublas.Float](h *Handle, a, b, out gpublas.Matrix[T]) error {
	return allPairs(h, "SquaredEuclideanPairs", pairs.SquaredEuclidean, a, b, out)
}

// EuclideanPairs computes the Euclidean distance of every row of a with every row of b, as
// SquaredEuclideanPairs does.
func EuclideanPairs[T gpublas.Float](h *Handle, a, b, out gpublas.Matrix[T]) error {
	return allPairs(h, "EuclideanPairs", pairs.Euclidean, a, b, out)
}

// allPairs queues the products of all pairs of rows, and what makes a metric of them.
func allPairs[T gpublas.Float](h *Handle, method string, m pairs.Metric, a, b, out gpublas.Matrix[T]) error {
	if err := checkPairs(h, method, a, b, out); err != nil {
		return err
	}
	if err := gpublas.Gemm(h.blas, gpublas.NoTrans, gpublas.Trans, 1, a, b, 0, out); err != nil || out.Rows == 0 || out.Cols == 0 {
		return err
	}
	return queue(h, method, func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.All(s, w, m, operand.Matrix[T](a), operand.Matrix[T](b), operand.Matrix[T](out))
	})
}

func checkPairs[T gpublas.Float](h *Handle, method string, a, b, out gpublas.Matrix[T]) error {
	call := h.core.Call(method)
	for name, m := range map[string]gpublas.Matrix[T]{"a": a, "b": b, "out": out} {
		if err := operand.Matrix[T](m).Check(call, name); err != nil {
			return err
		}
	}
	if a.Cols != b.Cols || out.Rows != a.Rows || out.Cols != b.Rows {
		return operand.Errorf(gpublas.ErrShape, "%s: a is %d x %d, b is %d x %d and out is %d x %d",
			call, a.Rows, a.Cols, b.Rows, b.Cols, out.Rows, out.Cols)
	}
	return nil
}
