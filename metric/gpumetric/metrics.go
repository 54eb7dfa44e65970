package gpumetric

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/library/kernels/pairs"
)

// Metric is one of the metrics, for [Between] and [Rows]. Package metric's functions have the same
// names.
type Metric pairs.Metric

const (
	// MSE is the mean squared error: the mean of (x-y)*(x-y).
	MSE = Metric(pairs.MSE)
	// RMSE is the square root of the mean squared error.
	RMSE = Metric(pairs.RMSE)
	// MAE is the mean absolute error: the mean of |x-y|.
	MAE = Metric(pairs.MAE)
	// SquaredEuclidean is the square of the Euclidean distance: the sum of (x-y)*(x-y).
	SquaredEuclidean = Metric(pairs.SquaredEuclidean)
	// Euclidean is the Euclidean distance of x and y.
	Euclidean = Metric(pairs.Euclidean)
	// Manhattan is the sum of |x-y|.
	Manhattan = Metric(pairs.Manhattan)
	// Chebyshev is the largest of |x-y|.
	Chebyshev = Metric(pairs.Chebyshev)
	// CosineSimilarity is the cosine of the angle between x and y: their dot product divided by the
	// product of their norms.
	CosineSimilarity = Metric(pairs.CosineSimilarity)
	// CosineDistance is 1 less the cosine similarity.
	CosineDistance = Metric(pairs.CosineDistance)
	// Pearson is Pearson's correlation of x and y.
	Pearson = Metric(pairs.Pearson)
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
func (m Metric) String() string {
	if name, ok := names[m]; ok {
		return name
	}
	return fmt.Sprintf("Metric(%d)", int(m))
}
