package parallel

import (
	"context"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/order"
	"github.com/gridstride/gridstride/parallel/internal/kernels"
)

// Sum returns the sum of the elements of x, 0 if it has none. Elements are added in an order that
// depends on their number alone.
//
//gpu:needs Reduce[T,Plus[T]]
func Sum[T Number](ctx context.Context, w *Workspace, x gridstride.Buffer[T]) (T, error) {
	return Reduce(ctx, w, x, Plus[T]{})
}

// Min returns the smallest element of x: NaN if there is one, and +Inf or the largest number of the
// type if x has no elements.
//
//gpu:needs Reduce[T,Smaller[T]]
func Min[T Number](ctx context.Context, w *Workspace, x gridstride.Buffer[T]) (T, error) {
	return Reduce(ctx, w, x, Smaller[T]{})
}

// Max returns the largest element of x: NaN if there is one, and -Inf or the smallest number of the
// type if x has no elements.
//
//gpu:needs Reduce[T,Larger[T]]
func Max[T Number](ctx context.Context, w *Workspace, x gridstride.Buffer[T]) (T, error) {
	return Reduce(ctx, w, x, Larger[T]{})
}

// Reduce combines the elements of x, and returns the operator's identity if x has none. The operator
// is commutative, too. C++'s std::reduce.
//
//gpu:needs TransformReduce[T,T,kernels.Same[T],O]
func Reduce[T any, O Operator[T]](ctx context.Context, w *Workspace, x gridstride.Buffer[T], op O) (T, error) {
	return value(ctx, w, func(dst gridstride.Buffer[T]) error { return ReduceTo(w, x, op, dst) })
}

// ReduceTo is [Reduce] with the result in dst[0]. It queues.
//
//gpu:needs TransformReduce[T,T,kernels.Same[T],O]
func ReduceTo[T any, O Operator[T]](w *Workspace, x gridstride.Buffer[T], op O, dst gridstride.Buffer[T]) error {
	return reduceTo[func(T, O)](w, "Reduce", x, kernels.Same[T]{}, op, dst)
}

// TransformReduce combines what m makes of the elements of x, and returns the operator's identity if
// x has none. The operator is commutative, too. C++'s std::transform_reduce.
//
//gpu:needs kernels.Reduce[T,U,M,O]
func TransformReduce[T, U any, M Mapping[T, U], O Operator[U]](ctx context.Context, w *Workspace, x gridstride.Buffer[T], m M, op O) (U, error) {
	return value(ctx, w, func(dst gridstride.Buffer[U]) error { return TransformReduceTo(w, x, m, op, dst) })
}

// TransformReduceTo is [TransformReduce] with the result in dst[0]. It queues.
//
//gpu:needs kernels.Reduce[T,U,M,O]
func TransformReduceTo[T, U any, M Mapping[T, U], O Operator[U]](w *Workspace, x gridstride.Buffer[T], m M, op O, dst gridstride.Buffer[U]) error {
	return reduceTo[func(T, U, M, O)](w, "TransformReduce", x, m, op, dst)
}

// reduceTo reduces for a function of some name and types.
func reduceTo[F, T, U any, M Mapping[T, U], O Operator[U]](w *Workspace, name string, x gridstride.Buffer[T], m M, op O, dst gridstride.Buffer[U]) error {
	return w.queue(name, func() error {
		k, err := kernelOf[F](w, name, kernels.LoadReduce[T, U, M, O])
		if err != nil {
			return err
		}
		if err := atLeast("dst", dst, 1); err != nil {
			return err
		}
		blocks := order.ReduceBlocks(x.Len())
		r, err := w.room(partOf[U](blocks))
		if err != nil {
			return err
		}
		partial := take[U](r, blocks)
		if r.err != nil {
			return r.err
		}
		return k.Launch(w.stream, gridstride.Grid(blocks), dst, x, partial, w.ticket, kernels.Of(m), kernels.Of(op))
	})
}
