package gpumetric

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/pairs"
)

// Metric is one of the metrics, for [Handle.Rows].
type Metric pairs.Metric

// The metrics. Each is a method of [Handle], which says what it is.
const (
	MSE              = Metric(pairs.MSE)
	RMSE             = Metric(pairs.RMSE)
	MAE              = Metric(pairs.MAE)
	SquaredEuclidean = Metric(pairs.SquaredEuclidean)
	Euclidean        = Metric(pairs.Euclidean)
	Manhattan        = Metric(pairs.Manhattan)
	Chebyshev        = Metric(pairs.Chebyshev)
	CosineSimilarity = Metric(pairs.CosineSimilarity)
	CosineDistance   = Metric(pairs.CosineDistance)
	Pearson          = Metric(pairs.Pearson)
)

var names = map[Metric]string{
	MSE:              "MSE",
	RMSE:             "RMSE",
	MAE:              "MAE",
	SquaredEuclidean: "SquaredEuclidean",
	Euclidean:        "Euclidean",
	Manhattan:        "Manhattan",
	Chebyshev:        "Chebyshev",
	CosineSimilarity: "CosineSimilarity",
	CosineDistance:   "CosineDistance",
	Pearson:          "Pearson",
}

// String is the name.
func (m Metric) String() string { return names[m] }

// MSE is the mean squared error: the mean of (x-y)*(x-y).
func (h *Handle[T]) MSE(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.MSETo(x, y, out) })
}

// MSETo leaves [Handle.MSE] in out[0].
func (h *Handle[T]) MSETo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(MSE, x, y, out)
}

// RMSE is the square root of the mean squared error.
func (h *Handle[T]) RMSE(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.RMSETo(x, y, out) })
}

// RMSETo leaves [Handle.RMSE] in out[0].
func (h *Handle[T]) RMSETo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(RMSE, x, y, out)
}

// MAE is the mean absolute error: the mean of |x-y|.
func (h *Handle[T]) MAE(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.MAETo(x, y, out) })
}

// MAETo leaves [Handle.MAE] in out[0].
func (h *Handle[T]) MAETo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(MAE, x, y, out)
}

// SquaredEuclidean is the square of the Euclidean distance: the sum of (x-y)*(x-y).
func (h *Handle[T]) SquaredEuclidean(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.SquaredEuclideanTo(x, y, out) })
}

// SquaredEuclideanTo leaves [Handle.SquaredEuclidean] in out[0].
func (h *Handle[T]) SquaredEuclideanTo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(SquaredEuclidean, x, y, out)
}

// Euclidean is the Euclidean distance of x and y.
func (h *Handle[T]) Euclidean(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.EuclideanTo(x, y, out) })
}

// EuclideanTo leaves [Handle.Euclidean] in out[0].
func (h *Handle[T]) EuclideanTo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(Euclidean, x, y, out)
}

// Manhattan is the sum of |x-y|.
func (h *Handle[T]) Manhattan(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.ManhattanTo(x, y, out) })
}

// ManhattanTo leaves [Handle.Manhattan] in out[0].
func (h *Handle[T]) ManhattanTo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(Manhattan, x, y, out)
}

// Chebyshev is the largest of |x-y|.
func (h *Handle[T]) Chebyshev(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.ChebyshevTo(x, y, out) })
}

// ChebyshevTo leaves [Handle.Chebyshev] in out[0].
func (h *Handle[T]) ChebyshevTo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(Chebyshev, x, y, out)
}

// CosineSimilarity is the cosine of the angle between x and y: their dot product through the
// product of their norms.
func (h *Handle[T]) CosineSimilarity(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.CosineSimilarityTo(x, y, out) })
}

// CosineSimilarityTo leaves [Handle.CosineSimilarity] in out[0].
func (h *Handle[T]) CosineSimilarityTo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(CosineSimilarity, x, y, out)
}

// CosineDistance is 1 less the cosine similarity.
func (h *Handle[T]) CosineDistance(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.CosineDistanceTo(x, y, out) })
}

// CosineDistanceTo leaves [Handle.CosineDistance] in out[0].
func (h *Handle[T]) CosineDistanceTo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(CosineDistance, x, y, out)
}

// Pearson is the correlation of x and y after Pearson.
func (h *Handle[T]) Pearson(ctx context.Context, x, y gpublas.Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.PearsonTo(x, y, out) })
}

// PearsonTo leaves [Handle.Pearson] in out[0].
func (h *Handle[T]) PearsonTo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.pair(Pearson, x, y, out)
}
