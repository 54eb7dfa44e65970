package nearest

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Metric is the kind of a score.
type Metric int32

// Dot is the sum of the products, Cosine that over the norms, Euclidean less the root of the sum of
// the squared differences, so that the largest score is the best.
const (
	Dot Metric = iota
	Cosine
	Euclidean
)

// product and square add one term of a score to a sum.
func product(x, y, sum float32) float32 { return gpu.FMA(x, y, sum) }

func square(x, y, sum float32) float32 { return gpu.FMA(x-y, x-y, sum) }

// Shape is the layout of N rows and Queries queries of Cols elements, with the distance from one
// row to the next in elements.
type Shape struct {
	N, Queries, Cols          int
	RowsStride, QueriesStride int
	K                         int // how many rows are chosen for each query
	Len                       int // of a list of candidates
	Metric                    Metric
}

// scaled and distance make a score of a sum. x and y are 1 over the norms of the row and the query
// for a cosine, and otherwise 1.
func scaled(sum, x, y float32) float32 { return sum * x * y }

func distance(sum, _, _ float32) float32 { return -gpu.Sqrt(sum) }

// inverse leaves in out[i] 1 over the norm of row i, and 0 for a row of zeros. A warp takes a row:
// a lane adds the squares of every 32nd element, and then the sums of the lanes are added.
//
// Launch with any number of blocks.
//
//gpu:kernel block=256 T=float32,float64
func inverse[T gpu.Float](rows []float32, n, cols, stride int, out []T) {
	warps := gpu.BlockDim.X / gpu.WarpSize
	for row := gpu.BlockIdx.X*warps + gpu.WarpID(); row < n; row += gpu.GridDim.X * warps {
		x := rows[row*stride:][:cols]
		var sum T
		for i := gpu.LaneID(); i < cols; i += gpu.WarpSize {
			sum = gpu.FMA(T(x[i]), T(x[i]), sum)
		}
		if sum = collective.WarpSum(sum); gpu.LaneID() == 0 {
			if sum != 0 {
				sum = 1 / gpu.Sqrt(sum)
			}
			out[row] = sum
		}
	}
}
