package pairs

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
)

//go:generate go tool gridstride build

// squares is SquaredEuclidean, MSE or RMSE of x and y.
//
// Launch with any grid of one dimension. xv, yv, x, y, rest, partial and ticket are as in package
// level1. So it is for all kernels here.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func squares[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest, what Metric,
	partial []T, ticket []uint32, result []T,
) {
	sum := onepass.TakePairs(xv, yv, x, y, rest, 0, func(sum, v, w T) T { return gpu.FMA(v-w, v-w, sum) }, add[T])
	sum, last := onepass.Finish(sum, 0, collective.BlockSum[T], add[T], partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0] = ofSquares(sum, what, len(xv)*lanes[T, V]()+rest.N)
	}
}

// euclidean is the distance of x and y, without overflow or underflow.
//
//gpu:kernel block=256 minblocks=3 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func euclidean[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest, scales onepass.Scales[T],
	partial []onepass.Squares[T], ticket []uint32, result []T,
) {
	plus, reduce := onepass.Squares[T].Plus, onepass.Squares[T].Block
	sum := onepass.TakePairs(xv, yv, x, y, rest, onepass.Squares[T]{},
		func(sum onepass.Squares[T], v, w T) onepass.Squares[T] { return scales.Add(sum, v-w, v, w) }, plus)
	sum, last := onepass.Finish(sum, onepass.Squares[T]{}, reduce, plus, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0] = sum.Root(scales)
	}
}

// absolute is Manhattan, MAE or Chebyshev of x and y.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func absolute[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest, what Metric,
	partial []Absolute[T], ticket []uint32, result []T,
) {
	sum := onepass.TakePairs(xv, yv, x, y, rest, Absolute[T]{}, Absolute[T].take, Absolute[T].plus)
	reduce := func(a Absolute[T]) Absolute[T] { return a.of(block) }
	sum, last := onepass.Finish(sum, Absolute[T]{}, reduce, Absolute[T].plus, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0] = sum.metric(what, len(xv)*lanes[T, V]()+rest.N)
	}
}

// cosine is CosineSimilarity or CosineDistance of x and y. Vectors whose squares are out of range
// are read again by the last block.
//
//gpu:kernel block=256 minblocks=3 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func cosine[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest, what Metric, inRange Range[T],
	partial []Angle[T], ticket []uint32, result []T,
) {
	sum := onepass.TakePairs(xv, yv, x, y, rest, Angle[T]{}, Angle[T].take, Angle[T].plus)
	reduce := func(a Angle[T]) Angle[T] { return a.of(block) }
	sum, last := onepass.Finish(sum, Angle[T]{}, reduce, Angle[T].plus, partial, ticket)
	if !last {
		return
	}
	if sum.again(inRange) {
		p := spread[T]{x, y, rest, len(xv)*lanes[T, V]() + rest.N}
		size := p.size().of(block)    //gpu:allow vet all threads of the last block have the same sum
		sum = p.angle(size).of(block) //gpu:allow vet all threads of the last block have the same sum
	}
	if gpu.ThreadIdx.X == 0 {
		result[0] = sum.cosine(what)
	}
}

// spread is two vectors in memory, for the threads of one block.
type spread[T gpu.Float] struct {
	x, y []T
	rest onepass.Rest
	n    int
}

// size is the caller's part of the largest |x| and |y|.
func (p spread[T]) size() (s Size[T]) {
	for i := gpu.ThreadIdx.X; i < p.n; i += onepass.Block {
		s = s.take(p.x[p.rest.X+i*p.rest.IncX], p.y[p.rest.Y+i*p.rest.IncY])
	}
	return s
}

// angle is the caller's part of the sums of the vectors divided by their largest elements.
func (p spread[T]) angle(size Size[T]) (a Angle[T]) {
	for i := gpu.ThreadIdx.X; i < p.n; i += onepass.Block {
		a = size.scaled(a, p.x[p.rest.X+i*p.rest.IncX], p.y[p.rest.Y+i*p.rest.IncY])
	}
	return a
}

// pearson is the correlation of x and y.
//
//gpu:kernel block=256 minblocks=2 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func pearson[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest,
	partial []Moments, ticket []uint32, result []T,
) {
	n := len(xv)*lanes[T, V]() + rest.N
	fromX, fromY := origin(x, rest.X, rest.IncX, n), origin(y, rest.Y, rest.IncY, n)
	sum := onepass.TakePairs(xv, yv, x, y, rest, Moments{}, func(m Moments, v, w T) Moments {
		return m.take(float64(v)-float64(fromX), float64(w)-float64(fromY))
	}, Moments.plus)
	reduce := func(m Moments) Moments { return m.of(block) }
	sum, last := onepass.Finish(sum, Moments{}, reduce, Moments.plus, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0] = T(sum.correlation(n))
	}
}

// moments is the moments of x and y, for a correlation of more than these elements: the places in x and
// y that the differences are from, and the Moments.
//
//gpu:kernel block=256 minblocks=2 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func moments[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest,
	partial []Moments, ticket []uint32, result []float64,
) {
	n := len(xv)*lanes[T, V]() + rest.N
	fromX, fromY := origin(x, rest.X, rest.IncX, n), origin(y, rest.Y, rest.IncY, n)
	sum := onepass.TakePairs(xv, yv, x, y, rest, Moments{}, func(m Moments, v, w T) Moments {
		return m.take(float64(v)-float64(fromX), float64(w)-float64(fromY))
	}, Moments.plus)
	reduce := func(m Moments) Moments { return m.of(block) }
	sum, last := onepass.Finish(sum, Moments{}, reduce, Moments.plus, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0], result[1] = float64(fromX), float64(fromY)
		result[2], result[3], result[4], result[5], result[6] = sum.X, sum.Y, sum.XX, sum.YY, sum.XY
	}
}

// origin is the place that the moments of a vector are from, 0 for an empty one.
func origin[T gpu.Float](x []T, first, inc, n int) (from T) {
	if n > 0 {
		from = middle(x[first], x[first+n/2*inc], x[first+(n-1)*inc])
	}
	return from
}

// compare is the five sums of a Comparison.
//
//gpu:kernel block=256 minblocks=3 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func compare[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest,
	partial []Comparison[T], ticket []uint32, result []T,
) {
	sum := onepass.TakePairs(xv, yv, x, y, rest, Comparison[T]{}, Comparison[T].take, Comparison[T].plus)
	reduce := func(c Comparison[T]) Comparison[T] { return c.of(block) }
	sum, last := onepass.Finish(sum, Comparison[T]{}, reduce, Comparison[T].plus, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0], result[1], result[2], result[3], result[4] = sum.XY, sum.XX, sum.YY, sum.Squares, sum.Absolute
	}
}

func add[T gpu.Float](x, y T) T { return x + y }

// lanes is the number of elements in 16 bytes.
func lanes[T gpu.Float, V gpu.FloatVector[T, V]]() int {
	var v V
	return v.Lanes()
}
