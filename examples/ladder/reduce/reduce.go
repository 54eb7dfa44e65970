package reduce

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
)

// Sum is the sum of the elements of x, 0 if there are none.
func Sum[T Number](ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error) {
	return once(ctx, s, x, (*Plan[T]).Sum)
}

// SumSquares is the sum of the squares of the elements of x, 0 if there are none.
func SumSquares[T Number](ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error) {
	return once(ctx, s, x, (*Plan[T]).SumSquares)
}

// Min is the smallest element of x, NaN if one is NaN.
func Min[T Number](ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error) {
	return once(ctx, s, x, (*Plan[T]).Min)
}

// Max is the largest element of x, NaN if one is NaN.
func Max[T Number](ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error) {
	return once(ctx, s, x, (*Plan[T]).Max)
}

// ArgMin is the index of the smallest element of x, the first of several, or of the first NaN.
func ArgMin[T Number](ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (int, error) {
	return once(ctx, s, x, (*Plan[T]).ArgMin)
}

// ArgMax is the index of the largest element of x, the first of several, or of the first NaN.
func ArgMax[T Number](ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (int, error) {
	return once(ctx, s, x, (*Plan[T]).ArgMax)
}

// once computes with a new plan.
func once[T Number, R any](ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T],
	compute func(*Plan[T], context.Context, *gridstride.Stream, gridstride.Buffer[T]) (R, error),
) (R, error) {
	p, err := NewPlan[T](s.Device())
	if err != nil {
		var none R
		return none, err
	}
	r, err := compute(p, ctx, s, x)
	return r, errors.Join(err, p.Free())
}
