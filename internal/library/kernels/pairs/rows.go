package pairs

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
)

// Rows is the layout of two matrices: row i of x begins at x[i*StrideX], row i of y at
// y[i*StrideY]. With a stride of 0 all are one row.
type Rows struct{ N, Cols, StrideX, StrideY int }

// Limits are the constants of a type.
type Limits[T gpu.Float] struct {
	Scales onepass.Scales[T]
	Range  Range[T]
}

// rowsByBlock computes a metric of each row of x with the same row of y, in out[i].
//
// Launch with any number of blocks.
//
//gpu:kernel block=256 T=float32,float64
func rowsByBlock[T gpu.Float](x, y []T, rows Rows, what Metric, limits Limits[T], out []T) {
	for i := gpu.BlockIdx.X; i < rows.N; i += gpu.GridDim.X {
		p := pair[T]{x[i*rows.StrideX:][:rows.Cols], y[i*rows.StrideY:][:rows.Cols], gpu.ThreadIdx.X, gpu.BlockDim.X, false}
		if v := p.metric(what, limits, block); gpu.ThreadIdx.X == 0 {
			out[i] = v
		}
	}
}

// rowsByWarp is rowsByBlock for short rows: a warp takes a row.
//
//gpu:kernel block=256 T=float32,float64
func rowsByWarp[T gpu.Float](x, y []T, rows Rows, what Metric, limits Limits[T], out []T) {
	const warps = 256 / gpu.WarpSize
	for i := gpu.BlockIdx.X*warps + gpu.WarpID(); i < rows.N; i += gpu.GridDim.X * warps {
		p := pair[T]{x[i*rows.StrideX:][:rows.Cols], y[i*rows.StrideY:][:rows.Cols], gpu.LaneID(), gpu.WarpSize, false}
		//gpu:allow vet the threads that work on a row are a warp, and no barrier is met
		if v := p.metric(what, limits, warp); gpu.LaneID() == 0 {
			out[i] = v
		}
	}
}

// pair is two adjacent vectors, and the caller's place among the threads that work on them. A rare
// one may be slow, because loads in flight take registers. rare is constant when the kernel is
// compiled.
type pair[T gpu.Float] struct {
	x, y       []T
	at, stride int
	rare       bool
}

// takePairs combines the caller's elements. It loads several before it uses the first. A row is
// short, so its turns, which each wait for memory, take most of its time.
func takePairs[T gpu.Float, A any](p pair[T], a A, take func(a A, v, w T) A) A {
	const several = 8
	x, y := p.x, p.y[:len(p.x)]
	if p.rare {
		for i := p.at; i < len(x); i += p.stride {
			a = take(a, x[i], y[i])
		}
		return a
	}
	for i := p.at; i < len(x); i += several * p.stride {
		var v, w [several]T
		for k := range several {
			if i+k*p.stride < len(x) {
				v[k], w[k] = x[i+k*p.stride], y[i+k*p.stride]
			}
		}
		for k := range several {
			if i+k*p.stride < len(x) {
				a = take(a, v[k], w[k])
			}
		}
	}
	return a
}

// metric is a metric of the pair, for all threads that work on it.
func (p pair[T]) metric(what Metric, limits Limits[T], t team) T {
	n := len(p.x)
	switch what {
	case Euclidean:
		return p.euclidean(limits.Scales, t)
	case squaredNorm:
		return sum(t, takePairs(p, T(0), func(sum, v, _ T) T { return gpu.FMA(v, v, sum) }))
	case Manhattan, MAE, Chebyshev:
		return takePairs(p, Absolute[T]{}, Absolute[T].take).of(t).metric(what, n)
	case CosineSimilarity, CosineDistance:
		return p.cosine(what, limits.Range, t)
	case Pearson:
		var fromX, fromY T
		if n > 0 {
			fromX, fromY = middle(p.x[0], p.x[n/2], p.x[n-1]), middle(p.y[0], p.y[n/2], p.y[n-1])
		}
		m := takePairs(p, Moments{}, func(m Moments, v, w T) Moments {
			return m.take(float64(v)-float64(fromX), float64(w)-float64(fromY))
		})
		return T(m.of(t).correlation(n))
	}
	return ofSquares(p.squaredEuclidean(t), what, n)
}

func (p pair[T]) squaredEuclidean(t team) T {
	return sum(t, takePairs(p, T(0), func(sum, v, w T) T { return gpu.FMA(v-w, v-w, sum) }))
}

func (p pair[T]) euclidean(scales onepass.Scales[T], t team) T {
	s := takePairs(p, onepass.Squares[T]{},
		func(s onepass.Squares[T], v, w T) onepass.Squares[T] { return scales.Add(s, v-w, v, w) })
	return over(s, t).Root(scales)
}

func (p pair[T]) cosine(what Metric, inRange Range[T], t team) T {
	a := takePairs(p, Angle[T]{}, Angle[T].take).of(t)
	if a.again(inRange) {
		p.rare = true
		//gpu:allow vet all threads have the same sum
		size := takePairs(p, Size[T]{}, Size[T].take).of(t)
		//gpu:allow vet all threads have the same sum
		a = takePairs(p, Angle[T]{}, func(a Angle[T], v, w T) Angle[T] { return size.scaled(a, v, w) }).of(t)
	}
	return a.cosine(what)
}
