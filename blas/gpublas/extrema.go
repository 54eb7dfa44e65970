package gpublas

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Min is the smallest element of x, NaN if one is NaN. As for the built-in min, -0 is smaller than
// +0. An empty vector is refused with [ErrEmpty].
func Min[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return MinTo(h, x, out) })
}

// MinTo leaves [Min] in out[0].
func MinTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return extremum(h, "Min", of(h, level1Of[T], func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Min }), x, out)
}

// Max is the largest element of x, NaN if one is NaN. As for the built-in max, +0 is larger than
// -0. An empty vector is refused with [ErrEmpty].
func Max[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return MaxTo(h, x, out) })
}

// MaxTo leaves [Max] in out[0].
func MaxTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return extremum(h, "Max", of(h, level1Of[T], func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Max }), x, out)
}

// ArgMin is the index of the smallest element of x, the first one if several are as small, or the
// index of the first NaN if there is one. For an empty vector it is -1.
func ArgMin[T Float](ctx context.Context, h *Handle, x Vector[T]) (int, error) {
	return handle.Index(ctx, h.core, func(out gridstride.Buffer[int]) error { return ArgMinTo(h, x, out) })
}

// ArgMinTo leaves [ArgMin] in out[0].
func ArgMinTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[int]) error {
	return index(h, "ArgMin", of(h, level1Of[T], func(p *level1.Plan[T]) level1.Search[T] { return p.ArgMin }), x, out)
}

// ArgMax is the index of the largest element of x, the first one if several are as large, or the
// index of the first NaN if there is one. For an empty vector it is -1.
func ArgMax[T Float](ctx context.Context, h *Handle, x Vector[T]) (int, error) {
	return handle.Index(ctx, h.core, func(out gridstride.Buffer[int]) error { return ArgMaxTo(h, x, out) })
}

// ArgMaxTo leaves [ArgMax] in out[0].
func ArgMaxTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[int]) error {
	return index(h, "ArgMax", of(h, level1Of[T], func(p *level1.Plan[T]) level1.Search[T] { return p.ArgMax }), x, out)
}

// Iamax is the index of the element of x with the largest absolute value, the first one if several
// are as large, or the index of the first NaN if there is one. For an empty vector it is -1.
func Iamax[T Float](ctx context.Context, h *Handle, x Vector[T]) (int, error) {
	return handle.Index(ctx, h.core, func(out gridstride.Buffer[int]) error { return IamaxTo(h, x, out) })
}

// IamaxTo leaves [Iamax] in out[0].
func IamaxTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[int]) error {
	return index(h, "Iamax", of(h, level1Of[T], func(p *level1.Plan[T]) level1.Search[T] { return p.ArgMaxAbs }), x, out)
}

// extremum checks and queues the search for an element.
func extremum[T Float](h *Handle, method string, search func() (level1.VectorSum[T], error), x Vector[T], out gridstride.Buffer[T]) error {
	if x.N == 0 && x.operand().Check(h.core.Call(method), "x") == nil {
		return operand.Errorf(ErrEmpty, "%s: the vector has no elements", h.core.Call(method))
	}
	return single(h, method, search, x, out)
}

// index checks and queues the search for the place of an element.
func index[T Float](h *Handle, method string, search func() (level1.Search[T], error), x Vector[T], out gridstride.Buffer[int]) error {
	if err := x.operand().Check(h.core.Call(method), "x"); err != nil {
		return err
	}
	if err := operand.CheckRoom(h.core.Call(method), out, 1, 1); err != nil {
		return err
	}
	return h.core.Queue(method, func(s *gridstride.Stream, w onepass.Work) error {
		launch, err := search()
		if err != nil {
			return err
		}
		return launch(s, w, x.operand(), out)
	})
}
