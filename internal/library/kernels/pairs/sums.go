package pairs

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
)

// Metric is the function of two vectors.
type Metric int32

// The metrics.
const (
	SquaredEuclidean Metric = iota
	MSE
	RMSE
	Euclidean
	Manhattan
	MAE
	Chebyshev
	CosineSimilarity
	CosineDistance
	Pearson
	squaredNorm // of x
)

// team is the threads that work on a pair of vectors. It is known when the kernel is compiled.
type team bool

const (
	block team = false
	warp  team = true
)

// sum is the sum of v over the threads of t.
func sum[T gpu.Float](t team, v T) T {
	if t == warp {
		return collective.WarpSum(v)
	}
	return collective.BlockSum(v)
}

// sums is the sum of each of v over the threads of t.
func sums[T gpu.Float](t team, v [5]T) [5]T {
	for i := range v {
		v[i] = collective.WarpSum(v[i])
	}
	if t == warp {
		return v
	}
	all := gpu.Shared[[onepass.Block / gpu.WarpSize][5]T]()
	if gpu.LaneID() == 0 {
		all[gpu.WarpID()] = v
	}
	gpu.SyncThreads()
	v = all[0]
	for w := 1; w < len(all); w++ {
		for i := range v {
			v[i] += all[w][i]
		}
	}
	gpu.SyncThreads() // all may be written again
	return v
}

// most is the largest v of the threads of t.
func most[T gpu.Float](t team, v T) T {
	if t == warp {
		return collective.WarpMax(v)
	}
	return collective.BlockMax(v)
}

// Absolute is the sum, and the largest, of the |x-y|.
type Absolute[T gpu.Float] struct{ Sum, Most T }

func (a Absolute[T]) take(v, w T) Absolute[T] {
	d := gpu.Abs(v - w)
	if d > a.Most {
		a.Most = d
	}
	a.Sum += d
	return a
}

func (a Absolute[T]) plus(b Absolute[T]) Absolute[T] {
	if b.Most > a.Most {
		a.Most = b.Most
	}
	a.Sum += b.Sum
	return a
}

func (a Absolute[T]) of(t team) Absolute[T] { return Absolute[T]{sum(t, a.Sum), most(t, a.Most)} }

// metric is one of n elements. The sum tells of a NaN, which the largest does not.
func (a Absolute[T]) metric(what Metric, n int) T {
	switch {
	case what == MAE:
		return a.Sum / T(n)
	case what == Chebyshev && !gpu.IsNaN(a.Sum):
		return a.Most
	}
	return a.Sum
}

// ofSquares is a metric of n elements with a sum of squared differences.
func ofSquares[T gpu.Float](sum T, what Metric, n int) T {
	switch what {
	case MSE:
		sum /= T(n)
	case RMSE:
		sum = gpu.Sqrt(sum / T(n))
	}
	return sum
}

// Angle is the sums of products that a cosine is made of, and of the |x| and |y|.
type Angle[T gpu.Float] struct{ XY, XX, YY, X, Y T }

func (a Angle[T]) take(v, w T) Angle[T] {
	return Angle[T]{gpu.FMA(v, w, a.XY), gpu.FMA(v, v, a.XX), gpu.FMA(w, w, a.YY), a.X + gpu.Abs(v), a.Y + gpu.Abs(w)}
}

func (a Angle[T]) plus(b Angle[T]) Angle[T] {
	return Angle[T]{a.XY + b.XY, a.XX + b.XX, a.YY + b.YY, a.X + b.X, a.Y + b.Y}
}

func (a Angle[T]) of(t team) Angle[T] {
	v := sums(t, [5]T{a.XY, a.XX, a.YY, a.X, a.Y})
	return Angle[T]{v[0], v[1], v[2], v[3], v[4]}
}

// Size is the largest |x| and |y|.
type Size[T gpu.Float] struct{ X, Y T }

func (s Size[T]) take(v, w T) Size[T] { return Size[T]{max(s.X, gpu.Abs(v)), max(s.Y, gpu.Abs(w))} }

// scaled is the sums with a pair of elements, divided by the largest. A zero vector stays one.
func (s Size[T]) scaled(a Angle[T], v, w T) Angle[T] {
	if s.X > 0 {
		v /= s.X
	}
	if s.Y > 0 {
		w /= s.Y
	}
	return a.take(v, w)
}

func (s Size[T]) of(t team) Size[T] { return Size[T]{most(t, s.X), most(t, s.Y)} }

// Range is the sums of squares that lost nothing by overflow or underflow.
type Range[T gpu.Float] struct{ Least, Most T }

func (r Range[T]) has(sum T) bool { return sum >= r.Least && sum <= r.Most }

// again reports whether the vectors must be read again, divided by their largest elements: where a
// square is out of range, or the sum of the elements that a zero vector would be told by.
func (a Angle[T]) again(r Range[T]) bool {
	return !(r.has(a.XX) && r.has(a.YY)) && (a.X > 0 && a.Y > 0 || a.X == inf[T]() || a.Y == inf[T]())
}

// cosine is the cosine of the angle. A zero vector has 0 with every one. Vectors with an infinite
// element have none.
func (a Angle[T]) cosine(what Metric) T {
	c := a.XY / (gpu.Sqrt(a.XX) * gpu.Sqrt(a.YY))
	if a.X == 0 && a.Y < inf[T]() || a.Y == 0 && a.X < inf[T]() {
		c = 0
	}
	if c = max(-1, min(1, c)); what == CosineDistance {
		c = 1 - c
	}
	return c
}

func inf[T gpu.Float]() T { return T(math.Inf(1)) }

// Moments are sums of the differences from one place, and of their products, in float64: there no
// product of two float32 is rounded.
type Moments struct{ X, Y, XX, YY, XY float64 }

func (m Moments) take(v, w float64) Moments {
	return Moments{m.X + v, m.Y + w, gpu.FMA(v, v, m.XX), gpu.FMA(w, w, m.YY), gpu.FMA(v, w, m.XY)}
}

func (m Moments) plus(o Moments) Moments {
	return Moments{m.X + o.X, m.Y + o.Y, m.XX + o.XX, m.YY + o.YY, m.XY + o.XY}
}

func (m Moments) of(t team) Moments {
	v := sums(t, [5]float64{m.X, m.Y, m.XX, m.YY, m.XY})
	return Moments{v[0], v[1], v[2], v[3], v[4]}
}

// correlation is the correlation of n elements.
func (m Moments) correlation(n int) float64 {
	x, y := m.X/float64(n), m.Y/float64(n)
	xx, yy, xy := gpu.FMA(-x, m.X, m.XX), gpu.FMA(-y, m.Y, m.YY), gpu.FMA(-x, m.Y, m.XY)
	return max(-1, min(1, xy/(gpu.Sqrt(xx)*gpu.Sqrt(yy))))
}

// middle is the one of three numbers between the others. The moments of a vector are summed
// relative to the middle one of three elements: one that is far from all others is not it.
func middle[T gpu.Float](a, b, c T) T {
	if a > b {
		a, b = b, a
	}
	if c < a {
		return a
	}
	if c > b {
		return b
	}
	return c
}

// Comparison is the sums of metric.Comparison, in its order.
type Comparison[T gpu.Float] struct{ XY, XX, YY, Squares, Absolute T }

func (c Comparison[T]) take(v, w T) Comparison[T] {
	d := v - w
	return Comparison[T]{
		gpu.FMA(v, w, c.XY), gpu.FMA(v, v, c.XX), gpu.FMA(w, w, c.YY), gpu.FMA(d, d, c.Squares), c.Absolute + gpu.Abs(d),
	}
}

func (c Comparison[T]) plus(o Comparison[T]) Comparison[T] {
	return Comparison[T]{c.XY + o.XY, c.XX + o.XX, c.YY + o.YY, c.Squares + o.Squares, c.Absolute + o.Absolute}
}

func (c Comparison[T]) of(t team) Comparison[T] {
	v := sums(t, [5]T{c.XY, c.XX, c.YY, c.Squares, c.Absolute})
	return Comparison[T]{v[0], v[1], v[2], v[3], v[4]}
}

// over combines sums of squares.
func over[T gpu.Float](s onepass.Squares[T], t team) onepass.Squares[T] {
	return onepass.Squares[T]{Middle: sum(t, s.Middle), Large: sum(t, s.Large), Small: sum(t, s.Small)}
}
