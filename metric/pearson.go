package metric

import (
	"math"

	"github.com/gridstride/gridstride/blas"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// Pearson is the correlation of x and y after Pearson. The vectors are read once: blocks of them
// are summed relative to their first elements, and the blocks' moments are merged after Chan, Golub
// and LeVeque, "Algorithms for Computing the Sample Variance" (The American Statistician 1983).
// Where the first element of a block is far from the others, the block, which is still in the
// cache, is summed again relative to its mean.
func Pearson[T blas.Float](x, y []T) T {
	checkLengths("Pearson", x, y)
	all := over(x, y, blocks[T], func(all, part moments) moments {
		all.add(part)
		return all
	})
	r := all.xy / (math.Sqrt(all.xx) * math.Sqrt(all.yy))
	return clamp(T(r))
}

// blocks are the moments of vectors that are cut into blocks.
func blocks[T blas.Float](x, y []T) (all moments) {
	const block = 2048
	for i := 0; i < len(x); i += block {
		end := min(i+block, len(x))
		all.add(momentsOf(x[i:end], y[i:end]))
	}
	return all
}

// moments are means, and sums of products of differences from them.
type moments struct {
	n, x, y    float64
	xx, yy, xy float64
}

// add merges the moments of further elements into m.
func (m *moments) add(o moments) {
	n := m.n + o.n
	dx, dy := o.x-m.x, o.y-m.y
	weight := m.n * o.n / n
	m.xx += o.xx + float64(float64(dx*dx)*weight)
	m.yy += o.yy + float64(float64(dy*dy)*weight)
	m.xy += o.xy + float64(float64(dx*dy)*weight)
	m.x += float64(dx * (o.n / n))
	m.y += float64(dy * (o.n / n))
	m.n = n
}

func momentsOf[T blas.Float](x, y []T) moments {
	var s [5]T
	kernel.Moments(x, y, &s)
	n := float64(len(x))
	u, v := float64(s[0])/n, float64(s[1])/n
	m := moments{
		n: n, x: float64(x[0]) + u, y: float64(y[0]) + v,
		xx: float64(s[2]) - float64(float64(u*u)*n), yy: float64(s[3]) - float64(float64(v*v)*n), xy: float64(s[4]) - float64(float64(u*v)*n),
	}
	if inRange(s[2]) && inRange(s[3]) && m.xx >= float64(s[2])/16 && m.yy >= float64(s[3])/16 {
		return m
	}
	m.xx, m.yy, m.xy = 0, 0, 0
	for i, v := range x {
		dx, dy := float64(v)-m.x, float64(y[i])-m.y
		m.xx, m.yy, m.xy = math.FMA(dx, dx, m.xx), math.FMA(dy, dy, m.yy), math.FMA(dx, dy, m.xy)
	}
	return m
}
