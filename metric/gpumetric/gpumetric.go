// Package gpumetric is package metric on the buffers of a device, a GPU or a simulated one, with
// the same names.
//
//	h, err := gpumetric.New(dev.Stream())
//	…
//	defer h.Close()
//	x, y := gpublas.VectorOf(prediction), gpublas.VectorOf(target)
//	loss, err := gpumetric.Between(ctx, h, gpumetric.MSE, x, y)
//
// A [Metric] is a value. [Between] computes it for two vectors, and [Rows] for the rows of two
// matrices. Functions with Pairs in their names are for every row of one matrix with every row of
// another. As in package gpublas, whose vectors and matrices it takes, a [Handle] queues on one
// stream. A function that takes a context waits for its result and returns it, and one with To in
// its name queues, and leaves the result in a buffer. Each metric reads the vectors once, in one
// launch, the cosine too. [Compare] gives several for one pass.
//
// # What is defined
//
// The definitions are package metric's, also for empty and zero vectors, NaN, infinities, and
// numbers whose squares overflow or underflow. A result has the same bits each time and on every
// device. The bits differ from package metric's, which adds in another order. If the squares of a
// vector are out of range, one block computes its cosine again, which is as accurate, and slow.
//
// Errors are as in package gpublas, which has their kinds.
package gpumetric

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/pairs"
	"github.com/gridstride/gridstride/metric"
)

// Handle is a stream, with working memory and the kernels that its device has loaded. It serves
// every element type. Any number of goroutines may use it.
type Handle struct {
	core *handle.Core
	blas *gpublas.Handle
}

// New makes the metrics ready on a stream: it allocates working memory of ten megabytes. Calls
// allocate no more. Kernels are loaded by the first call that needs them, which takes a moment the
// first time on a device, and returns the errors of [gridstride.Device.Load]. The stream stays the
// caller's.
//
// Errors: the errors of [gridstride.Make].
func New(s *gridstride.Stream) (*Handle, error) {
	core, err := handle.New("gpumetric", s)
	if err != nil {
		return nil, err
	}
	blas, err := gpublas.New(s)
	if err != nil {
		return nil, errors.Join(err, core.Close())
	}
	return &Handle{core: core, blas: blas}, nil
}

// planOf loads the kernels for a type.
func planOf[T gpublas.Float](h *Handle) (*pairs.Plan[T], error) {
	return handle.PlanOf(h.core, pairs.NewPlan[T])
}

// Stream is the stream on which the methods queue.
func (h *Handle) Stream() *gridstride.Stream { return h.core.Stream() }

// Close gives the working memory back. What is queued still runs, and nothing more can be queued. A
// second Close does nothing.
func (h *Handle) Close() error { return errors.Join(h.core.Close(), h.blas.Close()) }

// SquaredNorm is the sum of the squares of x, as of a gradient.
func SquaredNorm[T gpublas.Float](ctx context.Context, h *Handle, x gpublas.Vector[T]) (T, error) {
	return gpublas.SumSquares(ctx, h.blas, x)
}

// SquaredNormTo leaves [SquaredNorm] in out[0].
func SquaredNormTo[T gpublas.Float](h *Handle, x gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return gpublas.SumSquaresTo(h.blas, x, out)
}

// queue queues launches of the kernels.
func queue[T gpublas.Float](h *Handle, method string, launch func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work) error) error {
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		p, err := planOf[T](h)
		if err != nil {
			return err
		}
		return launch(p, s, w)
	})
}

// Between computes a metric of x and y, which are equally long.
//
//	loss, err := gpumetric.Between(ctx, h, gpumetric.MSE, x, y)
func Between[T gpublas.Float](ctx context.Context, h *Handle, m Metric, x, y gpublas.Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return BetweenTo(h, m, x, y, out) })
}

// BetweenTo leaves [Between] in out[0].
func BetweenTo[T gpublas.Float](h *Handle, m Metric, x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	if err := errors.Join(m.check(h.core.Call("Between")), checkPair(h, m.String(), x, y, out, 1)); err != nil {
		return err
	}
	return queue(h, m.String(), func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.Metric(s, w, pairs.Metric(m), operand.Vector[T](x), operand.Vector[T](y), out)
	})
}

// check is an error unless m is one of the metrics.
func (m Metric) check(call string) error {
	if _, ok := names[m]; !ok {
		return operand.Errorf(gridstride.ErrRange, "%s: there is no metric %d", call, int(m))
	}
	return nil
}

// checkPair is an error unless there are two vectors of one length, and room for a result.
func checkPair[T gpublas.Float](h *Handle, method string, x, y gpublas.Vector[T], out gridstride.Buffer[T], room int) error {
	if err := operand.CheckPair(h.core.Call(method), operand.Vector[T](x), operand.Vector[T](y)); err != nil {
		return err
	}
	return operand.CheckRoom(h.core.Call(method), out, 1, room)
}

// sums is the number of sums of a metric.Comparison.
const sums = 5

// Compare reads two vectors once for all sums of a metric.Comparison.
func Compare[T gpublas.Float](ctx context.Context, h *Handle, x, y gpublas.Vector[T]) (metric.Comparison[T], error) {
	v, err := handle.Values(ctx, h.core, sums, func(out gridstride.Buffer[T]) error { return CompareTo(h, x, y, out) })
	if err != nil {
		return metric.Comparison[T]{}, err
	}
	return metric.Comparison[T]{
		N: x.N, Dot: v[0], SquaredNormX: v[1], SquaredNormY: v[2], SquaredEuclidean: v[3], Manhattan: v[4],
	}, nil
}

// CompareTo leaves the dot product of x and y, the squares of their norms, the square of their
// Euclidean distance and their Manhattan distance in out[0] to out[4].
func CompareTo[T gpublas.Float](h *Handle, x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	if err := checkPair(h, "Compare", x, y, out, sums); err != nil {
		return err
	}
	return queue(h, "Compare", func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.Compare(s, w, operand.Vector[T](x), operand.Vector[T](y), out)
	})
}

// Rows computes a metric of each row of a with the same row of b, or with the only row of b where b
// has one. The result for row i goes to out[i]. out does not overlap with a and b.
//
//	err := gpumetric.Rows(h, gpumetric.MSE, a, b, out)
func Rows[T gpublas.Float](h *Handle, m Metric, a, b gpublas.Matrix[T], out gridstride.Buffer[T]) error {
	call := h.core.Call("Rows")
	if err := errors.Join(m.check(call), operand.Matrix[T](a).Check(call, "a"), operand.Matrix[T](b).Check(call, "b")); err != nil {
		return err
	}
	if a.Cols != b.Cols || b.Rows != a.Rows && b.Rows != 1 {
		return operand.Errorf(gpublas.ErrShape, "%s: a is %d x %d and b is %d x %d", call, a.Rows, a.Cols, b.Rows, b.Cols)
	}
	if err := operand.CheckRoom(call, out, a.Rows, 1); err != nil {
		return err
	}
	out = out.Slice(0, a.Rows)
	if out.Overlaps(a.Data) || out.Overlaps(b.Data) {
		return operand.Errorf(gpublas.ErrOverlap, "%s: the buffer for the results overlaps with a or b", call)
	}
	rows := pairs.Rows{N: a.Rows, Cols: a.Cols, StrideX: a.Stride, StrideY: b.Stride}
	if b.Rows == 1 {
		rows.StrideY = 0
	}
	if a.Cols == 0 { // there is no row to begin anywhere
		rows.StrideX, rows.StrideY = 0, 0
	}
	return queue(h, "Rows", func(p *pairs.Plan[T], s *gridstride.Stream, _ onepass.Work) error {
		return p.Rows(s, pairs.Metric(m), a.Data, b.Data, rows, out)
	})
}
