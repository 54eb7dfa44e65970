package gpublas

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/binned"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
)

// SumReproducible is the sum of the elements of x with bits that do not depend on their order, as
// blas.SumReproducible, and with the same bits as that: on every device and for every grid. The
// bound of its error is the same, too.
func (h *Handle[T]) SumReproducible(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.SumReproducibleTo(x, out) })
}

// SumReproducibleTo leaves [Handle.SumReproducible] in out[0].
func (h *Handle[T]) SumReproducibleTo(x Vector[T], out gridstride.Buffer[T]) error {
	return h.single("SumReproducible", of(h.binned, func(p *binned.Plan[T]) level1.VectorSum[T] { return p.Sum }), x, out)
}

// DotReproducible is the dot product of x and y, which are equally long, with bits that do not
// depend on the order of the pairs, as blas.DotReproducible, and with the same bits as that: the
// products are rounded to T, and added as by [Handle.SumReproducible].
func (h *Handle[T]) DotReproducible(ctx context.Context, x, y Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.DotReproducibleTo(x, y, out) })
}

// DotReproducibleTo leaves [Handle.DotReproducible] in out[0].
func (h *Handle[T]) DotReproducibleTo(x, y Vector[T], out gridstride.Buffer[T]) error {
	return h.pair("DotReproducible", of(h.binned, func(p *binned.Plan[T]) level1.PairSum[T] { return p.Dot }), x, y, out)
}

// AsumReproducible is the sum of the absolute values of the elements of x with bits that do not
// depend on their order, as blas.AsumReproducible, and with the same bits as that.
func (h *Handle[T]) AsumReproducible(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.AsumReproducibleTo(x, out) })
}

// AsumReproducibleTo leaves [Handle.AsumReproducible] in out[0].
func (h *Handle[T]) AsumReproducibleTo(x Vector[T], out gridstride.Buffer[T]) error {
	return h.single("AsumReproducible", of(h.binned, func(p *binned.Plan[T]) level1.VectorSum[T] { return p.Asum }), x, out)
}

// Nrm2Reproducible is the Euclidean norm of x with bits that do not depend on the order of the
// elements, as blas.Nrm2Reproducible, and with the same bits as that. It reads x twice.
func (h *Handle[T]) Nrm2Reproducible(ctx context.Context, x Vector[T]) (T, error) {
	return h.core.Value(ctx, func(out gridstride.Buffer[T]) error { return h.Nrm2ReproducibleTo(x, out) })
}

// Nrm2ReproducibleTo leaves [Handle.Nrm2Reproducible] in out[0].
func (h *Handle[T]) Nrm2ReproducibleTo(x Vector[T], out gridstride.Buffer[T]) error {
	return h.single("Nrm2Reproducible", of(h.binned, func(p *binned.Plan[T]) level1.VectorSum[T] { return p.Nrm2 }), x, out)
}
