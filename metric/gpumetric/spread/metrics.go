package spread

import (
	"context"
	"math"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/pairs"
	"github.com/gridstride/gridstride/metric"
	"github.com/gridstride/gridstride/metric/gpumetric"
)

// Between computes a metric of x and y, as [gpumetric.Between].
func Between[T gpublas.Float](ctx context.Context, h *Handle, m gpumetric.Metric, x, y []gpublas.Vector[T]) (T, error) {
	if err := check(h, "Between", x, y); err != nil {
		return 0, err
	}
	n := T(length(x))
	switch m {
	case gpumetric.SquaredEuclidean:
		return total(ctx, h, m, x, y)
	case gpumetric.MSE, gpumetric.RMSE:
		sum, err := total(ctx, h, gpumetric.SquaredEuclidean, x, y)
		if m == gpumetric.RMSE {
			return T(math.Sqrt(float64(sum / n))), err
		}
		return sum / n, err
	case gpumetric.Manhattan:
		return total(ctx, h, m, x, y)
	case gpumetric.MAE:
		sum, err := total(ctx, h, gpumetric.Manhattan, x, y)
		return sum / n, err
	case gpumetric.Euclidean:
		parts, err := ofParts(ctx, h, m, x, y)
		return blas.Nrm2(parts), err
	case gpumetric.Chebyshev:
		parts, err := ofParts(ctx, h, m, x, y)
		var most T
		for _, v := range parts {
			most = max(most, v)
		}
		return most, err
	case gpumetric.CosineSimilarity:
		return cosine(ctx, h, x, y)
	case gpumetric.CosineDistance:
		c, err := cosine(ctx, h, x, y)
		return 1 - c, err
	case gpumetric.Pearson:
		return pearson(ctx, h, x, y)
	}
	return 0, operand.Errorf(gridstride.ErrRange, "spread: Between: there is no metric %d", int(m))
}

// ofParts are a metric of each part.
func ofParts[T gpublas.Float](ctx context.Context, h *Handle, m gpumetric.Metric, x, y []gpublas.Vector[T]) (list []T, err error) {
	all, err := numbers(ctx, h, m.String(), 1, x, y, func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error {
		return p.Metric(s, w, pairs.Metric(m), x, y, out)
	})
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		list = append(list, v[0])
	}
	return list, nil
}

// total is the sum of a metric of the parts.
func total[T gpublas.Float](ctx context.Context, h *Handle, m gpumetric.Metric, x, y []gpublas.Vector[T]) (sum T, err error) {
	parts, err := ofParts(ctx, h, m, x, y)
	for _, v := range parts {
		sum += v
	}
	return sum, err
}

// sums is the number of sums of a metric.Comparison.
const sums = 5

// Compare reads two vectors once for all sums of a metric.Comparison, as [gpumetric.Compare].
func Compare[T gpublas.Float](ctx context.Context, h *Handle, x, y []gpublas.Vector[T]) (c metric.Comparison[T], err error) {
	if err := check(h, "Compare", x, y); err != nil {
		return c, err
	}
	return compare(ctx, h, x, y)
}

func compare[T gpublas.Float](ctx context.Context, h *Handle, x, y []gpublas.Vector[T]) (c metric.Comparison[T], err error) {
	all, err := numbers(ctx, h, "Compare", sums, x, y, func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error {
		return p.Compare(s, w, x, y, out)
	})
	if err != nil {
		return c, err
	}
	c.N = length(x)
	for _, v := range all {
		c.Dot, c.SquaredNormX, c.SquaredNormY = c.Dot+v[0], c.SquaredNormX+v[1], c.SquaredNormY+v[2]
		c.SquaredEuclidean, c.Manhattan = c.SquaredEuclidean+v[3], c.Manhattan+v[4]
	}
	return c, nil
}

// SquaredNorm is the sum of the squares of x, as [gpumetric.SquaredNorm].
func SquaredNorm[T gpublas.Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (sum T, err error) {
	if err := check(h, "SquaredNorm", x, x); err != nil {
		return 0, err
	}
	parts := make([]T, len(h.ranks))
	err = h.each(func(r int, k *rank) (err error) {
		parts[r], err = gpublas.SumSquares(ctx, k.blas, x[r])
		return err
	})
	for _, v := range parts {
		sum += v
	}
	return sum, err
}

// pearson is the correlation of x and y: the moments of the parts, merged after Chan, Golub and
// LeVeque, "Algorithms for Computing the Sample Variance" (The American Statistician 1983).
func pearson[T gpublas.Float](ctx context.Context, h *Handle, x, y []gpublas.Vector[T]) (T, error) {
	const count = 7
	all, err := numbers(ctx, h, "Pearson", count, x, y, func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[float64]) error {
		return p.Moments(s, w, x, y, out)
	})
	if err != nil {
		return 0, err
	}
	var whole moments
	for r, v := range all {
		if n := float64(x[r].N); n > 0 {
			whole.merge(moments{
				n: n, x: v[0] + v[2]/n, y: v[1] + v[3]/n,
				xx: v[4] - float64(v[2]/n*v[2]), yy: v[5] - float64(v[3]/n*v[3]), xy: v[6] - float64(v[2]/n*v[3]),
			})
		}
	}
	return T(max(-1, min(1, whole.xy/(math.Sqrt(whole.xx)*math.Sqrt(whole.yy))))), nil
}

// moments are means, and sums of products of differences from them.
type moments struct{ n, x, y, xx, yy, xy float64 }

// merge adds the moments of further elements.
func (m *moments) merge(o moments) {
	n := m.n + o.n
	dx, dy, weight := o.x-m.x, o.y-m.y, m.n*o.n/n
	m.xx += o.xx + float64(dx*dx*weight) // the conversions keep products from being fused
	m.yy += o.yy + float64(dy*dy*weight)
	m.xy += o.xy + float64(dx*dy*weight)
	m.x, m.y, m.n = m.x+float64(dx*(o.n/n)), m.y+float64(dy*(o.n/n)), n
}
