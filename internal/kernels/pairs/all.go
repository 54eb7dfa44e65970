package pairs

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// All says where the rows of two matrices and the numbers of all pairs of them lie: that of row i
// of x and row j of y is out[i*RowOut+j].
type All struct{ M, N, Cols, RowX, RowY, RowOut int }

// fromProducts makes a metric of the products of all pairs of rows, which out has before, and of
// the squared norms of the rows of x and of y. Where these do not say it, because squares are out
// of range or a difference of sums would be mostly rounding, a warp reads the two rows.
//
// Launch with blocks for the columns of out, and in the second dimension any number for its rows.
//
//gpu:kernel block=256 T=float32,float64
func fromProducts[T gpu.Float](x, y []T, all All, what Metric, limits Limits[T], xx, yy, out []T) {
	j := gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X
	first := j - gpu.LaneID()
	for i := gpu.BlockIdx.Y; i < all.M; i += gpu.GridDim.Y {
		var v T
		known := true
		if j < all.N {
			v, known = fromProduct(what, limits, out[i*all.RowOut+j], xx[i], yy[j])
		}
		for left := gpu.BallotSync(gpu.FullMask, !known); left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left)
			p := pair[T]{x[i*all.RowX:][:all.Cols], y[(first+lane)*all.RowY:][:all.Cols], gpu.LaneID(), gpu.WarpSize}
			//gpu:allow vet the threads that work on a pair are a warp, and no barrier is met
			if exact := p.metric(what, limits, warp); gpu.LaneID() == lane {
				v = exact
			}
		}
		if j < all.N {
			out[i*all.RowOut+j] = v
		}
	}
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
