package spread

import (
	"context"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/blas/gpublas"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/internal/library/kernels/binned"
	"github.com/gridstride/gridstride/internal/library/kernels/handle"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// DotReproducible is the dot product of x and y with the bits of [gpublas.DotReproducible], for any
// number of ranks and parts of any length.
func DotReproducible[T Float](ctx context.Context, h *Handle, x, y []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return DotReproducibleTo(h, x, y, out) })
}

// DotReproducibleTo leaves [DotReproducible] in out[r][0] of each rank r.
func DotReproducibleTo[T Float](h *Handle, x, y []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	if y == nil {
		y = []gpublas.Vector[T]{}
	}
	return reproducible(h, "DotReproducible", x, y, out, func(p *binned.Parts[T], s *gridstride.Stream, w onepass.Work, r int, own gridstride.Buffer[T]) (gridstride.Buffer[binned.Sum], error) {
		return p.Dot(s, w, operand.Vector[T](x[r]), operand.Vector[T](y[r]), own)
	})
}

// SumReproducible is the sum of the elements of x with the bits of [gpublas.SumReproducible], for any
// number of ranks and parts of any length.
func SumReproducible[T Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return SumReproducibleTo(h, x, out) })
}

// SumReproducibleTo leaves [SumReproducible] in out[r][0] of each rank r.
func SumReproducibleTo[T Float](h *Handle, x []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	return reproducible(h, "SumReproducible", x, nil, out, func(p *binned.Parts[T], s *gridstride.Stream, w onepass.Work, r int, own gridstride.Buffer[T]) (gridstride.Buffer[binned.Sum], error) {
		return p.Sum(s, w, operand.Vector[T](x[r]), own)
	})
}

// AsumReproducible is the sum of the absolute values of the elements of x with the bits of
// [gpublas.AsumReproducible], for any number of ranks and parts of any length.
func AsumReproducible[T Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return AsumReproducibleTo(h, x, out) })
}

// AsumReproducibleTo leaves [AsumReproducible] in out[r][0] of each rank r.
func AsumReproducibleTo[T Float](h *Handle, x []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	return reproducible(h, "AsumReproducible", x, nil, out, func(p *binned.Parts[T], s *gridstride.Stream, w onepass.Work, r int, own gridstride.Buffer[T]) (gridstride.Buffer[binned.Sum], error) {
		return p.Asum(s, w, operand.Vector[T](x[r]), own)
	})
}

// Nrm2Reproducible is the Euclidean norm of x with the bits of [gpublas.Nrm2Reproducible], for any
// number of ranks and parts of any length.
func Nrm2Reproducible[T Float](ctx context.Context, h *Handle, x []gpublas.Vector[T]) (T, error) {
	return value(ctx, h, func(out []gridstride.Buffer[T]) error { return Nrm2ReproducibleTo(h, x, out) })
}

// Nrm2ReproducibleTo leaves [Nrm2Reproducible] in out[r][0] of each rank r. The ranks meet twice: for
// the largest magnitude of all parts, by which squares are scaled, and for the sum of the squares.
func Nrm2ReproducibleTo[T Float](h *Handle, x []gpublas.Vector[T], out []gridstride.Buffer[T]) error {
	const call = "Nrm2Reproducible"
	if err := check(h, call, x, nil, out); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	largest, err := numbersOf[T](h, len(h.ranks), len(h.ranks)+1)
	if err != nil {
		return err
	}
	err = parts(h, call, func(p *binned.Parts[T], r int, s *gridstride.Stream, _ onepass.Work) error {
		return p.Magnitude(s, operand.Vector[T](x[r]), largest[r])
	})
	if err != nil {
		return err
	}
	if err := largestOfAll(h.group, largest); err != nil {
		return err
	}
	err = add(h, call, firsts(out), func(p *binned.Parts[T], s *gridstride.Stream, w onepass.Work, r int, own gridstride.Buffer[T]) (gridstride.Buffer[binned.Sum], error) {
		return p.Squares(s, w, operand.Vector[T](x[r]), largest[r], own)
	})
	if err != nil {
		return err
	}
	return parts(h, call, func(p *binned.Parts[T], r int, s *gridstride.Stream, _ onepass.Work) error {
		return p.Root(s, largest[r], out[r])
	})
}

// largestOfAll leaves the largest of all ranks' magnitudes with each rank. Their bits are compared, so
// that NaN is the largest of all.
func largestOfAll[T Float](g *comm.Group, magnitudes []gridstride.Buffer[T]) error {
	if unsafe.Sizeof(T(0)) == 4 {
		return largestBits[uint32](g, magnitudes)
	}
	return largestBits[uint64](g, magnitudes)
}

func largestBits[U uint32 | uint64, T Float](g *comm.Group, magnitudes []gridstride.Buffer[T]) error {
	var all []gridstride.Buffer[U]
	for _, b := range magnitudes {
		bits, err := gridstride.Cast[U](b)
		if err != nil {
			return err
		}
		all = append(all, bits)
	}
	return comm.AllReduce(g, comm.Max, all, all)
}

// A partSum queues the sum of rank r's part, and returns where the sum is until the next launch. It
// leaves the part's own result in own[0].
type partSum[T Float] func(p *binned.Parts[T], s *gridstride.Stream, w onepass.Work, r int, own gridstride.Buffer[T]) (gridstride.Buffer[binned.Sum], error)

// reproducible checks and queues a sum of one vector or two.
func reproducible[T Float](h *Handle, call string, x, y []gpublas.Vector[T], out []gridstride.Buffer[T], launch partSum[T]) error {
	if err := check(h, call, x, y, out); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return add(h, call, firsts(out), launch)
}

// add has each rank add its part, and leaves the sum of what all ranks have in out of each.
func add[T Float](h *Handle, call string, out []gridstride.Buffer[T], launch partSum[T]) error {
	_, own, err := gathered[T](h)
	if err != nil {
		return err
	}
	var all, mine []gridstride.Buffer[binned.Sum]
	for r, k := range h.ranks {
		all, mine = append(all, k.sums), append(mine, k.sums.Slice(r, r+1))
	}
	err = parts(h, call, func(p *binned.Parts[T], r int, s *gridstride.Stream, w onepass.Work) error {
		sum, err := launch(p, s, w, r, own[r])
		if err != nil {
			return err
		}
		return gridstride.Copy(s, mine[r], sum)
	})
	if err != nil {
		return err
	}
	if err := comm.AllGather(h.group, all, mine); err != nil {
		return err
	}
	return parts(h, call, func(p *binned.Parts[T], r int, s *gridstride.Stream, _ onepass.Work) error {
		return p.Whole(s, all[r], out[r])
	})
}

// parts queues launches of package binned's kernels on each rank.
func parts[T Float](h *Handle, call string, launch func(p *binned.Parts[T], r int, s *gridstride.Stream, w onepass.Work) error) error {
	return h.each(call, func(r int, k *rank, s *gridstride.Stream, w onepass.Work) error {
		p, err := handle.PlanOf(k.core, binned.NewPlan[T])
		if err != nil {
			return err
		}
		return launch(&p.Parts, r, s, w)
	})
}
