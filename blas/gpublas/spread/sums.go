package spread

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Dot is the sum of the products of the elements of x and y, as [gpublas.Dot].
func Dot[T Float](ctx context.Context, h *Handle, x, y []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return DotTo(h, x, y, out) })
}

// DotTo leaves [Dot] in out[r][0] of each rank r.
func DotTo[T Float](h *Handle, x, y []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	if y == nil {
		y = []gpublas.Vector[T]{}
	}
	return sum(h, "Dot", x, y, out, func(p *level1.Plan[T], s *gridstride.Stream, w onepass.Work, r int, own gridstride.Buffer[T]) error {
		return p.Dot(s, w, operand.Vector[T](x[r]), operand.Vector[T](y[r]), own)
	})
}

// Sum is the sum of the elements of x, as [gpublas.Sum].
func Sum[T Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return SumTo(h, x, out) })
}

// SumTo leaves [Sum] in out[r][0] of each rank r.
func SumTo[T Float](h *Handle, x []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	return sumOf(h, "Sum", x, out, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Sum })
}

// SumSquares is the sum of the squares of the elements of x, as [gpublas.SumSquares].
func SumSquares[T Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return SumSquaresTo(h, x, out) })
}

// SumSquaresTo leaves [SumSquares] in out[r][0] of each rank r.
func SumSquaresTo[T Float](h *Handle, x []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	return sumOf(h, "SumSquares", x, out, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.SumSquares })
}

// Asum is the sum of the absolute values of the elements of x, as [gpublas.Asum].
func Asum[T Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return AsumTo(h, x, out) })
}

// AsumTo leaves [Asum] in out[r][0] of each rank r.
func AsumTo[T Float](h *Handle, x []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	return sumOf(h, "Asum", x, out, func(p *level1.Plan[T]) level1.VectorSum[T] { return p.Asum })
}

// Nrm2 is the Euclidean norm of x, as [gpublas.Nrm2]. It neither overflows nor underflows where the
// norm itself is a number of the type.
func Nrm2[T Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return Nrm2To(h, x, out) })
}

// Nrm2To leaves [Nrm2] in out[r][0] of each rank r: the norm of the norms of all parts.
func Nrm2To[T Float](h *Handle, x []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	const call = "Nrm2"
	if err := check(h, call, x, nil, out); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	all, own, err := gathered[T](h)
	if err != nil {
		return err
	}
	norm := func(of func(r int) operand.Vector[T], to []gridstride.Buffer[T]) error {
		return h.each(call, func(r int, k *rank, s *gridstride.Stream, w onepass.Work) error {
			p, err := handle.PlanOf(k.core, level1.NewPlan[T])
			if err != nil {
				return err
			}
			return p.Nrm2(s, w, of(r), to[r])
		})
	}
	if err := norm(func(r int) operand.Vector[T] { return operand.Vector[T](x[r]) }, own); err != nil {
		return err
	}
	if err := comm.AllGather(h.group, all, own); err != nil {
		return err
	}
	return norm(func(r int) operand.Vector[T] { return operand.Vector[T](gpublas.VectorOf(all[r])) }, out)
}

// sumOf checks and queues a sum of one vector.
func sumOf[T Float](h *Handle, call string, x []gpublas.Vector[T], out []gridstride.Buffer[T], of func(p *level1.Plan[T]) level1.VectorSum[T]) error {
	return sum(h, call, x, nil, out, func(p *level1.Plan[T], s *gridstride.Stream, w onepass.Work, r int, own gridstride.Buffer[T]) error {
		return of(p)(s, w, operand.Vector[T](x[r]), own)
	})
}

// sum checks a sum of one vector or two, has each rank add its part, and adds what the ranks have.
func sum[T Float](h *Handle, call string, x, y []gpublas.Vector[T], out []gridstride.Buffer[T],
	launch func(p *level1.Plan[T], s *gridstride.Stream, w onepass.Work, r int, own gridstride.Buffer[T]) error,
) error {
	if err := check(h, call, x, y, out); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, own, err := gathered[T](h)
	if err != nil {
		return err
	}
	err = h.each(call, func(r int, k *rank, s *gridstride.Stream, w onepass.Work) error {
		p, err := handle.PlanOf(k.core, level1.NewPlan[T])
		if err != nil {
			return err
		}
		return launch(p, s, w, r, own[r])
	})
	if err != nil {
		return err
	}
	return comm.AllReduce(h.group, comm.Sum, firsts(out), own)
}
