package gpublas

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Dot is the sum of the products of the elements of x and y, which are equally long. For empty
// vectors it is 0.
func Dot[T Float](ctx context.Context, h *Handle, x, y Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return DotTo(h, x, y, out) })
}

// DotTo leaves [Dot] in out[0].
func DotTo[T Float](h *Handle, x, y Vector[T], out gridstride.Buffer[T]) error {
	return pair(h, "Dot", of(h, level1Of[T], func(p *level1.Plan[T]) level1.PairSum[T] { return p.Dot }), x, y, out)
}

// DotExact is Dot as if computed in twice the precision and then rounded, as blas.DotExact: its
// error is at most eps times the result, and n*n*eps*eps times the sum of the |x*y|, with eps the
// distance from 1 to the next number of the type.
func DotExact[T Float](ctx context.Context, h *Handle, x, y Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return DotExactTo(h, x, y, out) })
}

// DotExactTo leaves [DotExact] in out[0].
func DotExactTo[T Float](h *Handle, x, y Vector[T], out gridstride.Buffer[T]) error {
	return pair(h, "DotExact", of(h, level1Of[T], func(p *level1.Plan[T]) level1.PairSum[T] { return p.DotExact }), x, y, out)
}

// pair checks and queues a sum of two vectors.
func pair[T Float](h *Handle, method string, function func() (level1.PairSum[T], error), x, y Vector[T], out gridstride.Buffer[T]) error {
	if err := operand.CheckPair(h.core.Call(method), x.operand(), y.operand()); err != nil {
		return err
	}
	if err := operand.CheckRoom(h.core.Call(method), out, 1, 1); err != nil {
		return err
	}
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		launch, err := function()
		if err != nil {
			return err
		}
		return launch(s, w, x.operand(), y.operand(), out)
	})
}

// Sum is the sum of the elements of x, 0 if there are none.
func Sum[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return SumTo(h, x, out) })
}

// SumTo leaves [Sum] in out[0].
func SumTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return single(h, "Sum", of(h, level1Of[T], func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Sum }), x, out)
}

// SumSquares is the sum of the squares of the elements of x, 0 if there are none.
func SumSquares[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return SumSquaresTo(h, x, out) })
}

// SumSquaresTo leaves [SumSquares] in out[0].
func SumSquaresTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return single(h, "SumSquares", of(h, level1Of[T], func(p *level1.Plan[T]) level1.VectorSum[T] { return p.SumSquares }), x, out)
}

// Asum is the sum of the absolute values of the elements of x, 0 if there are none.
func Asum[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return AsumTo(h, x, out) })
}

// AsumTo leaves [Asum] in out[0].
func AsumTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return single(h, "Asum", of(h, level1Of[T], func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Asum }), x, out)
}

// Nrm2 is the Euclidean norm of x, 0 if it is empty. It neither overflows nor underflows where the
// norm itself is a number of the type.
func Nrm2[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return Nrm2To(h, x, out) })
}

// Nrm2To leaves [Nrm2] in out[0].
func Nrm2To[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return single(h, "Nrm2", of(h, level1Of[T], func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Nrm2 }), x, out)
}

// single checks and queues a sum of one vector.
func single[T Float](h *Handle, method string, function func() (level1.VectorSum[T], error), x Vector[T], out gridstride.Buffer[T]) error {
	if err := x.operand().Check(h.core.Call(method), "x"); err != nil {
		return err
	}
	if err := operand.CheckRoom(h.core.Call(method), out, 1, 1); err != nil {
		return err
	}
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		launch, err := function()
		if err != nil {
			return err
		}
		return launch(s, w, x.operand(), out)
	})
}
