package gpublas

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Dot is the sum of the products of the elements of x and y, which are equally long. For empty
// vectors it is 0.
func (h *Handle[T]) Dot(ctx context.Context, x, y Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.DotTo(x, y, out) })
}

// DotTo leaves [Handle.Dot] in out[0].
func (h *Handle[T]) DotTo(x, y Vector[T], out gridstride.Buffer[T]) error {
	return h.pair("Dot", of(h.level1, func(p *level1.Plan[T]) level1.PairSum[T] { return p.Dot }), x, y, out)
}

// DotExact is Dot as if computed in twice the precision and then rounded, as blas.DotExact: its
// error is at most eps times the result, and n*n*eps*eps times the sum of the |x*y|, with eps the
// distance from 1 to the next number of the type.
func (h *Handle[T]) DotExact(ctx context.Context, x, y Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.DotExactTo(x, y, out) })
}

// DotExactTo leaves [Handle.DotExact] in out[0].
func (h *Handle[T]) DotExactTo(x, y Vector[T], out gridstride.Buffer[T]) error {
	return h.pair("DotExact", of(h.level1, func(p *level1.Plan[T]) level1.PairSum[T] { return p.DotExact }), x, y, out)
}

// pair checks and queues a sum of two vectors.
func (h *Handle[T]) pair(method string, function func() (level1.PairSum[T], error), x, y Vector[T], out gridstride.Buffer[T]) error {
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
func (h *Handle[T]) Sum(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.SumTo(x, out) })
}

// SumTo leaves [Handle.Sum] in out[0].
func (h *Handle[T]) SumTo(x Vector[T], out gridstride.Buffer[T]) error {
	return h.single("Sum", of(h.level1, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Sum }), x, out)
}

// SumSquares is the sum of the squares of the elements of x, 0 if there are none.
func (h *Handle[T]) SumSquares(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.SumSquaresTo(x, out) })
}

// SumSquaresTo leaves [Handle.SumSquares] in out[0].
func (h *Handle[T]) SumSquaresTo(x Vector[T], out gridstride.Buffer[T]) error {
	return h.single("SumSquares", of(h.level1, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.SumSquares }), x, out)
}

// Asum is the sum of the absolute values of the elements of x, 0 if there are none.
func (h *Handle[T]) Asum(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.AsumTo(x, out) })
}

// AsumTo leaves [Handle.Asum] in out[0].
func (h *Handle[T]) AsumTo(x Vector[T], out gridstride.Buffer[T]) error {
	return h.single("Asum", of(h.level1, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Asum }), x, out)
}

// Nrm2 is the Euclidean norm of x, 0 if it is empty. It neither overflows nor underflows where the
// norm itself is a number of the type.
func (h *Handle[T]) Nrm2(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.Nrm2To(x, out) })
}

// Nrm2To leaves [Handle.Nrm2] in out[0].
func (h *Handle[T]) Nrm2To(x Vector[T], out gridstride.Buffer[T]) error {
	return h.single("Nrm2", of(h.level1, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Nrm2 }), x, out)
}

// single checks and queues a sum of one vector.
func (h *Handle[T]) single(method string, function func() (level1.VectorSum[T], error), x Vector[T], out gridstride.Buffer[T]) error {
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
