package bench

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/proof/cublas"
	"github.com/gridstride/gridstride/internal/proof/openblas"
	"github.com/gridstride/gridstride/metric"
	"github.com/gridstride/gridstride/metric/gpumetric"
)

// number is a number that packages blas and metric compute from one or two vectors, on the
// processor and on a device.
type number[T float] struct {
	name string
	one  bool // of the first vector alone
	host func(x, y []T) T
	// exact is the same of more precise vectors, and magnitude the sum of the absolute values of
	// its terms; nil where that is the value itself.
	exact, magnitude func(x, y []float64) float64
	device           func(h *handles[T], x, y gpublas.Vector[T], out gridstride.Buffer[T]) error

	rivals rivals[T]
}

// rivals are the same functions of other libraries, nil for a library without it.
type rivals[T float] struct {
	cublas   func(h *cublas.Handle, x, y, out gridstride.Buffer[T]) error
	openblas func(l *openblas.Library, x, y []T) T
}

// handles are the libraries on a device.
type handles[T float] struct {
	blas   *gpublas.Handle
	metric *gpumetric.Handle
}

// unary makes a function of one vector one of two.
func unary[T float](f func(x []T) T) func(x, y []T) T { return func(x, _ []T) T { return f(x) } }

// ofDot is the sum of the absolute values of a dot product's terms.
func ofDot(x, y []float64) float64 {
	var s float64
	for i, v := range x {
		s += max(v*y[i], -v*y[i])
	}
	return s
}

// one is the magnitude of a result in [-1, 1].
func one(_, _ []float64) float64 { return 1 }

// numbersOf returns the numbers of a benchmark, "blas" or "metric".
func numbersOf[T float](what string) []number[T] {
	if what == "metric" {
		return metricNumbers[T]()
	}
	return blasNumbers[T]()
}

func blasNumbers[T float]() []number[T] {
	type out = gridstride.Buffer[T]
	type vector = gpublas.Vector[T]
	absolute := func(x, _ []float64) float64 { return blas.Asum(x) }
	ofOne := func(f func(h *cublas.Handle, x, out out) error) func(h *cublas.Handle, x, y, out out) error {
		return func(h *cublas.Handle, x, _, o out) error { return f(h, x, o) }
	}
	return []number[T]{
		{"dot", false, blas.Dot[T], blas.Dot[float64], ofDot,
			func(h *handles[T], x, y vector, o out) error { return gpublas.DotTo(h.blas, x, y, o) },
			rivals[T]{cublas.Dot[T], openblas.Dot[T]}},
		{"dotexact", false, blas.DotExact[T], blas.DotExact[float64], ofDot,
			func(h *handles[T], x, y vector, o out) error { return gpublas.DotExactTo(h.blas, x, y, o) },
			rivals[T]{}},
		{"dotreproducible", false, blas.DotReproducible[T], blas.DotReproducible[float64], ofDot,
			func(h *handles[T], x, y vector, o out) error { return gpublas.DotReproducibleTo(h.blas, x, y, o) },
			rivals[T]{}},
		{"nrm2", true, unary(blas.Nrm2[T]), unary(blas.Nrm2[float64]), nil,
			func(h *handles[T], x, _ vector, o out) error { return gpublas.Nrm2To(h.blas, x, o) },
			rivals[T]{ofOne(cublas.Nrm2[T]), func(l *openblas.Library, x, _ []T) T { return openblas.Nrm2(l, x) }}},
		{"asum", true, unary(blas.Asum[T]), unary(blas.Asum[float64]), nil,
			func(h *handles[T], x, _ vector, o out) error { return gpublas.AsumTo(h.blas, x, o) },
			rivals[T]{ofOne(cublas.Asum[T]), func(l *openblas.Library, x, _ []T) T { return openblas.Asum(l, x) }}},
		{"sum", true, unary(blas.Sum[T]), unary(blas.Sum[float64]), absolute,
			func(h *handles[T], x, _ vector, o out) error { return gpublas.SumTo(h.blas, x, o) },
			rivals[T]{}},
		{"sumreproducible", true, unary(blas.SumReproducible[T]), unary(blas.SumReproducible[float64]), absolute,
			func(h *handles[T], x, _ vector, o out) error { return gpublas.SumReproducibleTo(h.blas, x, o) },
			rivals[T]{}},
		{"sumsquares", true, unary(blas.SumSquares[T]), unary(blas.SumSquares[float64]), nil,
			func(h *handles[T], x, _ vector, o out) error { return gpublas.SumSquaresTo(h.blas, x, o) },
			rivals[T]{}},
		{"min", true, unary(blas.Min[T]), unary(blas.Min[float64]), one,
			func(h *handles[T], x, _ vector, o out) error { return gpublas.MinTo(h.blas, x, o) },
			rivals[T]{}},
		{"max", true, unary(blas.Max[T]), unary(blas.Max[float64]), one,
			func(h *handles[T], x, _ vector, o out) error { return gpublas.MaxTo(h.blas, x, o) },
			rivals[T]{}},
	}
}

func metricNumbers[T float]() []number[T] {
	type out = gridstride.Buffer[T]
	type vector = gpublas.Vector[T]
	return []number[T]{
		{"mse", false, metric.MSE[T], metric.MSE[float64], nil,
			func(h *handles[T], x, y vector, o out) error {
				return gpumetric.BetweenTo(h.metric, gpumetric.MSE, x, y, o)
			},
			rivals[T]{}},
		{"mae", false, metric.MAE[T], metric.MAE[float64], nil,
			func(h *handles[T], x, y vector, o out) error {
				return gpumetric.BetweenTo(h.metric, gpumetric.MAE, x, y, o)
			},
			rivals[T]{}},
		{"squarednorm", true, unary(metric.SquaredNorm[T]), unary(metric.SquaredNorm[float64]), nil,
			func(h *handles[T], x, _ vector, o out) error { return gpumetric.SquaredNormTo(h.metric, x, o) },
			rivals[T]{}},
		{"cosine", false, metric.CosineSimilarity[T], metric.CosineSimilarity[float64], one,
			func(h *handles[T], x, y vector, o out) error {
				return gpumetric.BetweenTo(h.metric, gpumetric.CosineSimilarity, x, y, o)
			},
			rivals[T]{}},
		{"euclidean", false, metric.Euclidean[T], metric.Euclidean[float64], nil,
			func(h *handles[T], x, y vector, o out) error {
				return gpumetric.BetweenTo(h.metric, gpumetric.Euclidean, x, y, o)
			},
			rivals[T]{}},
		{"manhattan", false, metric.Manhattan[T], metric.Manhattan[float64], nil,
			func(h *handles[T], x, y vector, o out) error {
				return gpumetric.BetweenTo(h.metric, gpumetric.Manhattan, x, y, o)
			},
			rivals[T]{}},
		{"chebyshev", false, metric.Chebyshev[T], metric.Chebyshev[float64], nil,
			func(h *handles[T], x, y vector, o out) error {
				return gpumetric.BetweenTo(h.metric, gpumetric.Chebyshev, x, y, o)
			},
			rivals[T]{}},
		{"pearson", false, metric.Pearson[T], metric.Pearson[float64], one,
			func(h *handles[T], x, y vector, o out) error {
				return gpumetric.BetweenTo(h.metric, gpumetric.Pearson, x, y, o)
			},
			rivals[T]{}},
	}
}

// reference is the number of the vectors in float64.
func (n *number[T]) reference(x, y []T) sum {
	a, b := doubles(x), doubles(y)
	s := sum{value: n.exact(a, b)}
	s.magnitude = s.value
	if n.magnitude != nil {
		s.magnitude = n.magnitude(a, b)
	}
	return s
}

// compareNumber holds a number of vectors of that length to its reference. Rounding explains as
// much as the ways to both round.
func compareNumber[T float](got T, want sum, length int) (float64, string) {
	return relative(float64(got), want.value, want.magnitude, bound[T](200+length/1_000_000)*want.magnitude)
}

// doubles are the elements in float64.
func doubles[T float](x []T) []float64 {
	return filled(len(x), func(v []float64, from int) {
		for i := range v {
			v[i] = float64(x[from+i])
		}
	})
}

// bound is the error of a number of roundings of a T.
func bound[T float](roundings int) float64 {
	eps := 0x1p-53
	if sizeOf[T]() == 4 {
		eps = 0x1p-24
	}
	return float64(roundings) * eps
}

// read waits for a number that a device left in a buffer.
func read[T float](ctx context.Context, s *gridstride.Stream, out gridstride.Buffer[T]) (T, error) {
	v, err := out.Read(ctx, s, nil)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}
