// Package gpumetric is package metric on the buffers of a device, a GPU or a simulated one, with
// the same names.
//
//	h, err := gpumetric.New[float32](dev.Stream())
//	…
//	defer h.Close()
//	loss, err := h.MSE(ctx, gpublas.VectorOf(prediction), gpublas.VectorOf(target))
//
// As in package gpublas, whose vectors and matrices it takes, a [Handle] queues on one stream; a
// method that takes a context waits for its result and returns it, and one with To in its name
// queues, and leaves the result in a buffer. Each metric of a pair reads the vectors once, in one
// launch, the cosine too. [Handle.Compare] gives several for one pass.
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
	"sync"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/library/kernels/pairs"
	"github.com/gridstride/gridstride/metric"
)

// Handle is the metrics for one element type on one stream. Any number of goroutines may use it.
type Handle[T gpublas.Float] struct {
	core  *handle.Core[T]
	pairs func() (*pairs.Plan[T], error) // loads the kernels when it is first called
	blas  *gpublas.Handle[T]
}

// New makes the metrics ready on a stream: it allocates working memory of ten megabytes. Calls
// allocate no more. Kernels are loaded by the first call that needs them, which takes a moment the
// first time on a device, and returns the errors of [gridstride.Device.Load]. The stream stays the
// caller's.
//
// Errors: the errors of [gridstride.Make].
func New[T gpublas.Float](s *gridstride.Stream) (*Handle[T], error) {
	core, err := handle.New[T]("gpumetric", s)
	if err != nil {
		return nil, err
	}
	blas, err := gpublas.New[T](s)
	if err != nil {
		return nil, errors.Join(err, core.Close())
	}
	dev := s.Device()
	return &Handle[T]{core, sync.OnceValues(func() (*pairs.Plan[T], error) { return pairs.NewPlan[T](dev) }), blas}, nil
}

// Stream is the stream on which the methods queue.
func (h *Handle[T]) Stream() *gridstride.Stream { return h.core.Stream() }

// Close gives the working memory back. What is queued still runs, and nothing more can be queued. A
// second Close does nothing.
func (h *Handle[T]) Close() error { return errors.Join(h.core.Close(), h.blas.Close()) }

// SquaredNorm is the sum of the squares of x, as of a gradient.
func (h *Handle[T]) SquaredNorm(ctx context.Context, x gpublas.Vector[T]) (T, error) {
	return h.blas.SumSquares(ctx, x)
}

// SquaredNormTo leaves [Handle.SquaredNorm] in out[0].
func (h *Handle[T]) SquaredNormTo(x gpublas.Vector[T], out gridstride.Buffer[T]) error {
	return h.blas.SumSquaresTo(x, out)
}

// queue queues launches of the kernels.
func (h *Handle[T]) queue(method string, launch func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work) error) error {
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		p, err := h.pairs()
		if err != nil {
			return err
		}
		return launch(p, s, w)
	})
}

// pair checks and queues a metric of two vectors.
func (h *Handle[T]) pair(m Metric, x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	if err := h.checkPair(m.String(), x, y, out, 1); err != nil {
		return err
	}
	return h.queue(m.String(), func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.Metric(s, w, pairs.Metric(m), operand.Vector[T](x), operand.Vector[T](y), out)
	})
}

// checkPair is an error unless there are two vectors of one length, and room for a result.
func (h *Handle[T]) checkPair(method string, x, y gpublas.Vector[T], out gridstride.Buffer[T], room int) error {
	if err := operand.CheckPair(h.core.Call(method), operand.Vector[T](x), operand.Vector[T](y)); err != nil {
		return err
	}
	return operand.CheckRoom(h.core.Call(method), out, 1, room)
}

// sums is the number of sums of a metric.Comparison.
const sums = 5

// Compare reads two vectors once for all sums of a metric.Comparison.
func (h *Handle[T]) Compare(ctx context.Context, x, y gpublas.Vector[T]) (metric.Comparison[T], error) {
	v, err := h.core.Values(ctx, sums, func(out gridstride.Buffer[T]) error { return h.CompareTo(x, y, out) })
	if err != nil {
		return metric.Comparison[T]{}, err
	}
	return metric.Comparison[T]{
		N: x.N, Dot: v[0], SquaredNormX: v[1], SquaredNormY: v[2], SquaredEuclidean: v[3], Manhattan: v[4],
	}, nil
}

// CompareTo leaves the dot product of x and y, the squares of their norms, the square of their
// Euclidean distance and their Manhattan distance in out[0] to out[4].
func (h *Handle[T]) CompareTo(x, y gpublas.Vector[T], out gridstride.Buffer[T]) error {
	if err := h.checkPair("Compare", x, y, out, sums); err != nil {
		return err
	}
	return h.queue("Compare", func(p *pairs.Plan[T], s *gridstride.Stream, w onepass.Work) error {
		return p.Compare(s, w, operand.Vector[T](x), operand.Vector[T](y), out)
	})
}

// Rows computes a metric of each row of a with the same row of b, or with the only row of b where b
// has one. The result for row i goes to out[i]. out does not overlap with a and b.
//
//	err := h.Rows(gpumetric.MSE, a, b, out)
func (h *Handle[T]) Rows(m Metric, a, b gpublas.Matrix[T], out gridstride.Buffer[T]) error {
	call := h.core.Call("Rows")
	if _, ok := names[m]; !ok {
		return operand.Errorf(gridstride.ErrRange, "%s: %d is no metric", call, int(m))
	}
	for _, err := range []error{operand.Matrix[T](a).Check(call, "a"), operand.Matrix[T](b).Check(call, "b")} {
		if err != nil {
			return err
		}
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
	return h.queue("Rows", func(p *pairs.Plan[T], s *gridstride.Stream, _ onepass.Work) error {
		return p.Rows(s, pairs.Metric(m), a.Data, b.Data, rows, out)
	})
}
