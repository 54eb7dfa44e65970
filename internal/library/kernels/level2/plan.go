package level2

import (
	"errors"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Plan is the kernels for one element type made ready on a device: functions that queue one launch
// each. They expect operands that were checked, and at least one row and column.
//
// Errors of the functions: [gridstride.Kernel.Launch]'s.
type Plan[T operand.Float] struct {
	Gemv func(s *gridstride.Stream, w onepass.Work, trans bool, alpha T, a operand.Matrix[T], x operand.Vector[T],
		beta T, y operand.Vector[T]) error
	Ger func(s *gridstride.Stream, alpha T, x, y operand.Vector[T], a operand.Matrix[T]) error
}

// NewPlan loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan[T operand.Float](dev *gridstride.Device) (*Plan[T], error) {
	var p any
	var err error
	switch any(T(0)).(type) {
	case float32:
		p, err = load[float32, gpu.Float32x4](dev)
	case float64:
		p, err = load[float64, gpu.Float64x2](dev)
	}
	return p.(*Plan[T]), err
}

// kernels is the kernels for a type and its vectors of 16 bytes.
type kernels[T operand.Float, V gpu.Float32x4 | gpu.Float64x2] struct {
	gemv      *gemvKernel[T, V]
	gemvShort *gemvShortKernel[T, V]
	gemvTrans *gemvTransKernel[T, V]
	ger       *gerKernel[T, V]
}

func load[T operand.Float, V gpu.Float32x4 | gpu.Float64x2](dev *gridstride.Device) (*Plan[T], error) {
	k := &kernels[T, V]{}
	var errs [4]error
	k.gemv, errs[0] = loadGemv[T, V](dev)
	k.gemvShort, errs[1] = loadGemvShort[T, V](dev)
	k.gemvTrans, errs[2] = loadGemvTrans[T, V](dev)
	k.ger, errs[3] = loadGer[T, V](dev)
	return &Plan[T]{k.product, k.update}, errors.Join(errs[:]...)
}

func (k *kernels[T, V]) product(s *gridstride.Stream, w onepass.Work, trans bool, alpha T, a operand.Matrix[T], x operand.Vector[T],
	beta T, y operand.Vector[T],
) error {
	av, err := wide[V](a)
	if err != nil {
		return err
	}
	shape := shapeOf(a, x, y)
	switch {
	case trans:
		return k.transposed(s, w, alpha, av, a, x, beta, y, shape)
	case a.Cols <= 4*gpu.WarpSize*lanes[T]():
		return k.gemvShort.Launch(s, gridstride.Grid((a.Rows-1)/(Block/gpu.WarpSize)+1), av, a.Data, x.Data, y.Data, shape, alpha, beta)
	}
	var xv gridstride.Buffer[V]
	if x.Inc == 1 && x.Data.Aligned(16) {
		if xv, err = gridstride.Cast[V](x.Data.Slice(0, a.Cols/lanes[T]()*lanes[T]())); err != nil {
			return err
		}
	}
	return k.gemv.Launch(s, gridstride.Grid((a.Rows-1)/rowsTogether+1), av, a.Data, xv, x.Data, y.Data, shape, alpha, beta)
}

// transposed chooses into how many parts the rows go: as many as make one block for each place that
// the multiprocessors of an H200 have, four each, not so many that a thread has few rows, and not
// more than there is working memory for. The number does not depend on the device, so that a result
// does not.
func (k *kernels[T, V]) transposed(s *gridstride.Stream, w onepass.Work, alpha T, av gridstride.Buffer[V], a operand.Matrix[T],
	x operand.Vector[T], beta T, y operand.Vector[T], shape Shape,
) error {
	const enough, rounds = 4 * 132, 4
	columns := (a.Cols-1)/(transCols*lanes[T]()) + 1
	parts := max(1, min(enough/columns, a.Rows/(threadRows*rowsAhead*rounds), onepass.PartialBytes/int(unsafe.Sizeof(alpha))/a.Cols))
	partial, err := onepass.Partial[T](w, a.Cols*parts)
	if parts == 1 {
		partial, err = gridstride.Buffer[T]{}, nil
	}
	if err != nil {
		return err
	}
	return k.gemvTrans.Launch(s, gridstride.Grid(columns, parts), av, a.Data, x.Data, y.Data, shape, (a.Rows+parts-1)/parts, alpha, beta,
		partial, w.Ticket)
}

func (k *kernels[T, V]) update(s *gridstride.Stream, alpha T, x, y operand.Vector[T], a operand.Matrix[T]) error {
	av, err := wide[V](a)
	if err != nil {
		return err
	}
	rows := (a.Rows-1)/gerRows + 1
	high := min(rows, 1<<15)
	grid := gridstride.Grid((a.Cols-1)/(gerCols*lanes[T]())+1, high, (rows-1)/high+1)
	return k.ger.Launch(s, grid, av, a.Data, x.Data, y.Data, shapeOf(a, x, y), alpha)
}

func shapeOf[T operand.Float](a operand.Matrix[T], x, y operand.Vector[T]) Shape {
	return Shape{Rows: a.Rows, Cols: a.Cols, Row: a.Stride, X: x.First(), IncX: x.Inc, Y: y.First(), IncY: y.Inc}
}

// wide is the elements of a matrix as vectors of 16 bytes, none where its rows begin elsewhere.
func wide[V any, T operand.Float](a operand.Matrix[T]) (gridstride.Buffer[V], error) {
	if !a.Data.Aligned(16) || a.Stride%lanes[T]() != 0 {
		return gridstride.Buffer[V]{}, nil
	}
	n := (a.Rows-1)*a.Stride + a.Cols
	return gridstride.Cast[V](a.Data.Slice(0, n/lanes[T]()*lanes[T]()))
}

// lanes is the number of elements in 16 bytes.
func lanes[T operand.Float]() int { return 16 / int(unsafe.Sizeof(T(0))) }
