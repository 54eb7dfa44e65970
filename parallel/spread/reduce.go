package spread

import (
	"context"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/comm"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/parallel"
)

// Sum is the sum of the elements of x, as [parallel.Sum].
func Sum[T parallel.Number](ctx context.Context, h *Handle, x []gridstride.Buffer[T]) (T, error) {
	return Reduce(ctx, h, x, parallel.Plus[T]{})
}

// Min is the smallest element of x, as [parallel.Min].
func Min[T parallel.Number](ctx context.Context, h *Handle, x []gridstride.Buffer[T]) (T, error) {
	return Reduce(ctx, h, x, parallel.Smaller[T]{})
}

// Max is the largest element of x, as [parallel.Max].
func Max[T parallel.Number](ctx context.Context, h *Handle, x []gridstride.Buffer[T]) (T, error) {
	return Reduce(ctx, h, x, parallel.Larger[T]{})
}

// Reduce combines the elements of x, as [parallel.Reduce].
func Reduce[T any, O parallel.Operator[T]](ctx context.Context, h *Handle, x []gridstride.Buffer[T], op O) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err
	}
	release, err := begin(h, "Reduce", x)
	if err != nil {
		return v, err
	}
	defer release()
	out, err := reduce(h, x, op)
	if err != nil {
		return v, err
	}
	if err := h.group.Wait(ctx); err != nil {
		return v, err
	}
	got, err := out[0].Read(ctx, h.group.Stream(0), nil)
	if err != nil {
		return v, err
	}
	return got[0], nil
}

// ReduceTo leaves [Reduce] in out[r][0] of each rank r. It queues.
func ReduceTo[T any, O parallel.Operator[T]](h *Handle, x []gridstride.Buffer[T], op O, out []gridstride.Buffer[T]) error {
	release, err := begin(h, "ReduceTo", x)
	if err != nil {
		return err
	}
	defer release()
	if err := check(h, "ReduceTo", "out", out); err != nil {
		return err
	}
	for r, b := range out {
		if b.Len() < 1 {
			return operand.Errorf(parallel.ErrShort, "spread: ReduceTo: out of rank %d has no elements; want 1", r)
		}
	}
	whole, err := reduce(h, x, op)
	if err != nil {
		return err
	}
	for r, b := range whole {
		if err := gridstride.Copy(h.group.Stream(r), out[r].Slice(0, 1), b); err != nil {
			return fmt.Errorf("spread: ReduceTo: rank %d: %w", r, err)
		}
	}
	return nil
}

// reduce queues a reduction, whose result is in the working memory of each rank.
func reduce[T any, O parallel.Operator[T]](h *Handle, x []gridstride.Buffer[T], op O) (whole []gridstride.Buffer[T], err error) {
	ranks := len(h.ranks)
	var all, own []gridstride.Buffer[T]
	for r := range ranks { // first whatever may fail
		b, err := roomFor[T](h, r, ranks+1)
		if err != nil {
			return nil, fmt.Errorf("spread: Reduce: rank %d: %w", r, err)
		}
		all, own, whole = append(all, b.Slice(0, ranks)), append(own, b.Slice(r, r+1)), append(whole, b.Slice(ranks, ranks+1))
	}
	each := func(from func(r int) gridstride.Buffer[T], to []gridstride.Buffer[T]) error {
		for r, k := range h.ranks {
			if err := parallel.ReduceTo(k.work, from(r), op, to[r]); err != nil {
				return fmt.Errorf("spread: rank %d: %w", r, err)
			}
		}
		return nil
	}
	if err := each(func(r int) gridstride.Buffer[T] { return x[r] }, own); err != nil {
		return nil, err
	}
	if ranks == 1 {
		return own, nil
	}
	if err := comm.AllGather(h.group, all, own); err != nil {
		return nil, err
	}
	return whole, each(func(r int) gridstride.Buffer[T] { return all[r] }, whole)
}
