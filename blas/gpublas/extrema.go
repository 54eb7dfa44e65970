package gpublas

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Min is the smallest element of x, NaN if one is NaN. As for the built-in min, -0 is smaller than
// +0. An empty vector is refused with [ErrEmpty].
func (h *Handle[T]) Min(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.MinTo(x, out) })
}

// MinTo leaves [Handle.Min] in out[0].
func (h *Handle[T]) MinTo(x Vector[T], out gridstride.Buffer[T]) error {
	return h.extremum("Min", of(h.level1, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Min }), x, out)
}

// Max is the largest element of x, NaN if one is NaN. As for the built-in max, +0 is larger than
// -0. An empty vector is refused with [ErrEmpty].
func (h *Handle[T]) Max(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.MaxTo(x, out) })
}

// MaxTo leaves [Handle.Max] in out[0].
func (h *Handle[T]) MaxTo(x Vector[T], out gridstride.Buffer[T]) error {
	return h.extremum("Max", of(h.level1, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Max }), x, out)
}

// ArgMin is the index of the smallest element of x, the first one if several are as small, or the
// index of the first NaN if there is one. For an empty vector it is -1.
func (h *Handle[T]) ArgMin(ctx context.Context, x Vector[T]) (int, error) {
	return h.core.Index(ctx, func(out gridstride.Buffer[int]) error { return h.ArgMinTo(x, out) })
}

// ArgMinTo leaves [Handle.ArgMin] in out[0].
func (h *Handle[T]) ArgMinTo(x Vector[T], out gridstride.Buffer[int]) error {
	return h.index("ArgMin", of(h.level1, func(p *level1.Plan[T]) level1.Search[T] { return p.ArgMin }), x, out)
}

// ArgMax is the index of the largest element of x, the first one if several are as large, or the
// index of the first NaN if there is one. For an empty vector it is -1.
func (h *Handle[T]) ArgMax(ctx context.Context, x Vector[T]) (int, error) {
	return h.core.Index(ctx, func(out gridstride.Buffer[int]) error { return h.ArgMaxTo(x, out) })
}

// ArgMaxTo leaves [Handle.ArgMax] in out[0].
func (h *Handle[T]) ArgMaxTo(x Vector[T], out gridstride.Buffer[int]) error {
	return h.index("ArgMax", of(h.level1, func(p *level1.Plan[T]) level1.Search[T] { return p.ArgMax }), x, out)
}

// Iamax is the index of the element of x with the largest absolute value, the first one if several
// are as large, or the index of the first NaN if there is one. For an empty vector it is -1.
func (h *Handle[T]) Iamax(ctx context.Context, x Vector[T]) (int, error) {
	return h.core.Index(ctx, func(out gridstride.Buffer[int]) error { return h.IamaxTo(x, out) })
}

// IamaxTo leaves [Handle.Iamax] in out[0].
func (h *Handle[T]) IamaxTo(x Vector[T], out gridstride.Buffer[int]) error {
	return h.index("Iamax", of(h.level1, func(p *level1.Plan[T]) level1.Search[T] { return p.ArgMaxAbs }), x, out)
}

// extremum checks and queues the search for an element.
func (h *Handle[T]) extremum(method string, search func() (level1.VectorSum[T], error), x Vector[T], out gridstride.Buffer[T]) error {
	if x.N == 0 && x.operand().Check(h.core.Call(method), "x") == nil {
		return operand.Errorf(ErrEmpty, "%s: the vector has no elements", h.core.Call(method))
	}
	return h.single(method, search, x, out)
}

// index checks and queues the search for the place of an element.
func (h *Handle[T]) index(method string, search func() (level1.Search[T], error), x Vector[T], out gridstride.Buffer[int]) error {
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
