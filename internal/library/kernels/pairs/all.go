package pairs

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// All is the layout of the rows of two matrices and the numbers of all pairs of them: the number of
// row i of x and row j of y is out[i*RowOut+j].
type All struct{ M, N, Cols, RowX, RowY, RowOut int }

// fromProducts makes a metric of the products of all pairs of rows, which out has before, and of
// the squared norms of the rows of x and of y. Where these do not say it, because squares are out
// of range or a difference of sums would be mostly rounding, a warp reads the two rows.
//
// A thread loads rowsTogether products of a column before it uses the first.
//
// Launch with blocks for the columns of out, and in the second dimension any number for its rows.
//
//gpu:kernel block=256 minblocks=4 T=float32,float64
func fromProducts[T gpu.Float](x, y []T, all All, what Metric, limits Limits[T], xx, yy, out []T) {
	j := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	var norm T
	if j < all.N {
		norm = yy[j]
	}
	for i := gpu.BlockIdx.Y * rowsTogether; i < all.M; i += gpu.GridDim.Y * rowsTogether {
		var v, norms [rowsTogether]T
		for k := range rowsTogether {
			if i+k < all.M && j < all.N {
				v[k], norms[k] = out[(i+k)*all.RowOut+j], xx[i+k]
			}
		}
		var unknown uint32 // a bit for each row
		for k := range rowsTogether {
			if i+k < all.M && j < all.N {
				v, known := fromProduct(what, limits, v[k], norms[k], norm)
				if !known {
					unknown |= 1 << k
				}
				out[(i+k)*all.RowOut+j] = v
			}
		}
		for {
			lanes := gpu.BallotSync(gpu.FullMask, unknown != 0)
			if lanes == 0 {
				break
			}
			lane := bits.TrailingZeros32(lanes)
			row := i + bits.TrailingZeros32(gpu.ShflSync(gpu.FullMask, unknown, lane))
			other := j - gpu.LaneID() + lane
			p := pair[T]{x[row*all.RowX:][:all.Cols], y[other*all.RowY:][:all.Cols], gpu.LaneID(), gpu.WarpSize, true}
			//gpu:allow vet the threads that work on a pair are a warp, and no barrier is met
			if exact := p.exactly(what, limits); gpu.LaneID() == lane {
				out[row*all.RowOut+other] = exact
				unknown &= unknown - 1
			}
		}
	}
}

// rowsTogether is how many products of a column are on their way from memory at once.
const rowsTogether = 4

// exactly is one of the metrics that products tell, for all threads of a warp.
func (p pair[T]) exactly(what Metric, limits Limits[T]) T {
	switch what {
	case Euclidean:
		return p.euclidean(limits.Scales, warp)
	case SquaredEuclidean:
		return p.squaredEuclidean(warp)
	}
	return p.cosine(what, limits.Range, warp)
}

// fromProduct is a metric of two rows whose products with each other and with themselves are known,
// if these say it.
func fromProduct[T gpu.Float](what Metric, limits Limits[T], xy, xx, yy T) (v T, known bool) {
	if what == CosineSimilarity || what == CosineDistance {
		a := Angle[T]{XY: xy, XX: xx, YY: yy, X: 1, Y: 1}
		return a.cosine(what), limits.Range.has(xx) && limits.Range.has(yy)
	}
	norms := xx + yy
	v = norms - 2*xy
	known = v >= norms/16 && limits.Range.has(v)
	if what == Euclidean {
		v = gpu.Sqrt(v)
	}
	return v, known
}
