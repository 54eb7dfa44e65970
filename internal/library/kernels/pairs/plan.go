package pairs

import (
	"errors"
	"math"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Plan is the kernels for one element type made ready on a device: functions that queue one launch
// each. They expect operands that were checked, and room for the result. Kernels with the same Work
// run one after the other. With a Work for each, several streams may use a Plan.
//
// Errors of the functions: [gridstride.Kernel.Launch]'s.
type Plan[T operand.Float] struct {
	// Metric leaves a metric of x and y in out[0].
	Metric func(s *gridstride.Stream, w onepass.Work, what Metric, x, y operand.Vector[T], out gridstride.Buffer[T]) error
	// Compare leaves the sums of a Comparison in out.
	Compare func(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error
	// Moments leaves the places that the moments of x and y are from, and their Moments, in out.
	Moments func(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[float64]) error
	// Rows leaves a metric of each row of x with the row of y in out.
	Rows func(s *gridstride.Stream, what Metric, x, y gridstride.Buffer[T], rows Rows, out gridstride.Buffer[T]) error
	// All makes a metric of all pairs of rows. out has their products before. It queues several
	// launches.
	All func(s *gridstride.Stream, w onepass.Work, what Metric, x, y, out operand.Matrix[T]) error
}

// NewPlan loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan[T operand.Float](dev *gridstride.Device) (*Plan[T], error) {
	var p any
	var err error
	switch any(T(0)).(type) {
	case float32:
		p, err = load[float32, gpu.Float32x4](dev, Limits[float32]{onepass.Scales32, Range[float32]{0x1p-90, math.MaxFloat32}})
	case float64:
		p, err = load[float64, gpu.Float64x2](dev, Limits[float64]{onepass.Scales64, Range[float64]{0x1p-900, math.MaxFloat64}})
	}
	return p.(*Plan[T]), err
}

// kernels is the kernels for a type and its vectors of 16 bytes.
type kernels[T operand.Float, V gpu.Float32x4 | gpu.Float64x2] struct {
	limits      Limits[T]
	squares     *squaresKernel[T, V]
	euclidean   *euclideanKernel[T, V]
	absolute    *absoluteKernel[T, V]
	cosine      *cosineKernel[T, V]
	pearson     *pearsonKernel[T, V]
	moments     *momentsKernel[T, V]
	compare     *compareKernel[T, V]
	rowsByBlock *rowsByBlockKernel[T]
	rowsByWarp  *rowsByWarpKernel[T]
	products    *fromProductsKernel[T]
}

func load[T operand.Float, V gpu.Float32x4 | gpu.Float64x2](dev *gridstride.Device, limits Limits[T]) (*Plan[T], error) {
	k := &kernels[T, V]{limits: limits}
	var errs [10]error
	k.squares, errs[0] = loadSquares[T, V](dev)
	k.euclidean, errs[1] = loadEuclidean[T, V](dev)
	k.absolute, errs[2] = loadAbsolute[T, V](dev)
	k.cosine, errs[3] = loadCosine[T, V](dev)
	k.pearson, errs[4] = loadPearson[T, V](dev)
	k.compare, errs[5] = loadCompare[T, V](dev)
	k.rowsByBlock, errs[6] = loadRowsByBlock[T](dev)
	k.rowsByWarp, errs[7] = loadRowsByWarp[T](dev)
	k.products, errs[8] = loadFromProducts[T](dev)
	k.moments, errs[9] = loadMoments[T, V](dev)
	return &Plan[T]{k.metricOf, k.compareOf, k.momentsOf, k.rowsOf, k.allOf}, errors.Join(errs[:]...)
}

func (k *kernels[T, V]) metricOf(s *gridstride.Stream, w onepass.Work, what Metric, x, y operand.Vector[T],
	out gridstride.Buffer[T],
) error {
	p, err := onepass.SplitPair[V](x, y)
	if err != nil {
		return err
	}
	grid := gridstride.Grid(p.Blocks)
	switch what {
	case Euclidean:
		partial, err := onepass.Partial[onepass.Squares[T]](w, p.Blocks)
		if err != nil {
			return err
		}
		return k.euclidean.Launch(s, grid, p.XV, p.YV, p.X, p.Y, p.Rest, k.limits.Scales, partial, w.Ticket, out)
	case Manhattan, MAE, Chebyshev:
		partial, err := onepass.Partial[Absolute[T]](w, p.Blocks)
		if err != nil {
			return err
		}
		return k.absolute.Launch(s, grid, p.XV, p.YV, p.X, p.Y, p.Rest, what, partial, w.Ticket, out)
	case CosineSimilarity, CosineDistance:
		partial, err := onepass.Partial[Angle[T]](w, p.Blocks)
		if err != nil {
			return err
		}
		return k.cosine.Launch(s, grid, p.XV, p.YV, p.X, p.Y, p.Rest, what, k.limits.Range, partial, w.Ticket, out)
	case Pearson:
		partial, err := onepass.Partial[Moments](w, p.Blocks)
		if err != nil {
			return err
		}
		return k.pearson.Launch(s, grid, p.XV, p.YV, p.X, p.Y, p.Rest, partial, w.Ticket, out)
	}
	partial, err := onepass.Partial[T](w, p.Blocks)
	if err != nil {
		return err
	}
	return k.squares.Launch(s, grid, p.XV, p.YV, p.X, p.Y, p.Rest, what, partial, w.Ticket, out)
}

func (k *kernels[T, V]) compareOf(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error {
	p, err := onepass.SplitPair[V](x, y)
	if err != nil {
		return err
	}
	partial, err := onepass.Partial[Comparison[T]](w, p.Blocks)
	if err != nil {
		return err
	}
	return k.compare.Launch(s, gridstride.Grid(p.Blocks), p.XV, p.YV, p.X, p.Y, p.Rest, partial, w.Ticket, out)
}

func (k *kernels[T, V]) momentsOf(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[float64]) error {
	p, err := onepass.SplitPair[V](x, y)
	if err != nil {
		return err
	}
	partial, err := onepass.Partial[Moments](w, p.Blocks)
	if err != nil {
		return err
	}
	return k.moments.Launch(s, gridstride.Grid(p.Blocks), p.XV, p.YV, p.X, p.Y, p.Rest, partial, w.Ticket, out)
}

// maxGrid is as many blocks as there is a use for: they go on to other rows.
const maxGrid = 1 << 20

// rowsOf has a warp take a short row, and a block a long one.
func (k *kernels[T, V]) rowsOf(s *gridstride.Stream, what Metric, x, y gridstride.Buffer[T], rows Rows, out gridstride.Buffer[T]) error {
	const short, warps = 2048, onepass.Block / gpu.WarpSize
	switch {
	case rows.N == 0:
		return nil
	case rows.Cols <= short:
		return k.rowsByWarp.Launch(s, gridstride.Grid(min((rows.N-1)/warps+1, maxGrid)), x, y, rows, what, k.limits, out)
	}
	return k.rowsByBlock.Launch(s, gridstride.Grid(min(rows.N, maxGrid)), x, y, rows, what, k.limits, out)
}

// allOf takes as many rows at a time as there is working memory for their norms.
func (k *kernels[T, V]) allOf(s *gridstride.Stream, w onepass.Work, what Metric, x, y, out operand.Matrix[T]) error {
	most := onepass.PartialBytes / 2 / int(unsafe.Sizeof(T(0)))
	norms, err := onepass.Partial[T](w, 2*most)
	if err != nil {
		return err
	}
	for i := 0; i < x.Rows; i += most {
		part := x.RowsFrom(i, min(i+most, x.Rows))
		xx := norms.Slice(0, part.Rows)
		if err := k.normsOf(s, part, xx); err != nil {
			return err
		}
		for j := 0; j < y.Rows; j += most {
			other := y.RowsFrom(j, min(j+most, y.Rows))
			yy := norms.Slice(most, most+other.Rows)
			if err := k.normsOf(s, other, yy); err != nil {
				return err
			}
			all := All{M: part.Rows, N: other.Rows, Cols: x.Cols, RowX: x.Stride, RowY: y.Stride, RowOut: out.Stride}
			if x.Cols == 0 { // there is no row to begin anywhere
				all.RowX, all.RowY = 0, 0
			}
			grid := gridstride.Grid((other.Rows-1)/onepass.Block+1, min((part.Rows-1)/rowsTogether+1, 1<<15))
			results := out.Data.Slice(i*out.Stride+j, out.Data.Len())
			if err := k.products.Launch(s, grid, part.Data, other.Data, all, what, k.limits, xx, yy, results); err != nil {
				return err
			}
		}
	}
	return nil
}

// normsOf leaves the squared norms of rows in out.
func (k *kernels[T, V]) normsOf(s *gridstride.Stream, x operand.Matrix[T], out gridstride.Buffer[T]) error {
	rows := Rows{N: x.Rows, Cols: x.Cols, StrideX: x.Stride, StrideY: x.Stride}
	if x.Cols == 0 {
		rows.StrideX, rows.StrideY = 0, 0
	}
	return k.rowsOf(s, squaredNorm, x.Data, x.Data, rows, out)
}
