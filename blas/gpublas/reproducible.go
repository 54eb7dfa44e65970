package gpublas

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/binned"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
)

// SumReproducible is the sum of the elements of x with bits that do not depend on their order, as
// blas.SumReproducible, and with the same bits as that: on every device and for every grid. The
// bound of its error is the same, too.
func SumReproducible[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return SumReproducibleTo(h, x, out) })
}

// SumReproducibleTo leaves [SumReproducible] in out[0].
func SumReproducibleTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return single(h, "SumReproducible", of(h, binnedOf[T], func(p *binned.Plan[T]) level1.VectorSum[T] { return p.Sum }), x, out)
}

// DotReproducible is the dot product of x and y, which are equally long, with bits that do not
// depend on the order of the pairs, as blas.DotReproducible, and with the same bits as that: the
// products are rounded to T, and added as by [SumReproducible].
func DotReproducible[T Float](ctx context.Context, h *Handle, x, y Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return DotReproducibleTo(h, x, y, out) })
}

// DotReproducibleTo leaves [DotReproducible] in out[0].
func DotReproducibleTo[T Float](h *Handle, x, y Vector[T], out gridstride.Buffer[T]) error {
	return pair(h, "DotReproducible", of(h, binnedOf[T], func(p *binned.Plan[T]) level1.PairSum[T] { return p.Dot }), x, y, out)
}

// AsumReproducible is the sum of the absolute values of the elements of x with bits that do not
// depend on their order, as blas.AsumReproducible, and with the same bits as that.
func AsumReproducible[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return AsumReproducibleTo(h, x, out) })
}

// AsumReproducibleTo leaves [AsumReproducible] in out[0].
func AsumReproducibleTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return single(h, "AsumReproducible", of(h, binnedOf[T], func(p *binned.Plan[T]) level1.VectorSum[T] { return p.Asum }), x, out)
}

// Nrm2Reproducible is the Euclidean norm of x with bits that do not depend on the order of the
// elements, as blas.Nrm2Reproducible, and with the same bits as that. It reads x twice.
func Nrm2Reproducible[T Float](ctx context.Context, h *Handle, x Vector[T]) (T, error) {
	return handle.Value(ctx, h.core, func(out gridstride.Buffer[T]) error { return Nrm2ReproducibleTo(h, x, out) })
}

// Nrm2ReproducibleTo leaves [Nrm2Reproducible] in out[0].
func Nrm2ReproducibleTo[T Float](h *Handle, x Vector[T], out gridstride.Buffer[T]) error {
	return single(h, "Nrm2Reproducible", of(h, binnedOf[T], func(p *binned.Plan[T]) level1.VectorSum[T] { return p.Nrm2 }), x, out)
}
