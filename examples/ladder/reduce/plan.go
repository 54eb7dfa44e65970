package reduce

import (
	"context"
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/reduce/fast"
)

// Number is the element types. A vector of int is one of int64: gridstride.Cast[int64](x).
type Number interface{ fast.Number }

// ErrEmpty: the smallest or largest element of a vector without elements was asked for.
var ErrEmpty = fast.ErrEmpty

// Op is the operation.
type Op = fast.Op

// The reductions. [fast.Op] says what they make of NaN, of zeros of both signs and of equal
// elements.
const (
	OpSum        = fast.OpSum
	OpSumSquares = fast.OpSumSquares
	OpMin        = fast.OpMin
	OpMax        = fast.OpMax
	OpArgMin     = fast.OpArgMin
	OpArgMax     = fast.OpArgMax
)

// Ops is every Op, in their order.
var Ops = fast.Ops

// Plan is the reductions of vectors of one type made ready on a device: the kernels are loaded and
// their working memory allocated, so that a reduction allocates nothing on the device. Vectors may
// have any length. One goroutine may use a plan at a time, and one stream. Plans of one device are
// independent.
type Plan[T Number] struct {
	kernels  *fast.Plan[T]
	result   gridstride.Buffer[T]
	resultAt gridstride.Buffer[int]
}

// NewPlan loads the kernels and allocates the working memory, some 130 KB. Free gives it back.
//
// Errors: [gridstride.Make]'s and [gridstride.Device.Load]'s.
func NewPlan[T Number](dev *gridstride.Device) (*Plan[T], error) {
	kernels, err := fast.NewPlan[T](dev)
	if err != nil {
		return nil, err
	}
	p := &Plan[T]{kernels: kernels}
	var err1, err2 error
	p.result, err1 = gridstride.CopyOf(dev, []T{0})
	p.resultAt, err2 = gridstride.CopyOf(dev, []int{0})
	if err := errors.Join(err1, err2); err != nil {
		return nil, errors.Join(err, p.Free())
	}
	return p, nil
}

// Free gives the working memory back. What is queued still runs. Every later use of the plan is
// refused with [gridstride.ErrFreed].
func (p *Plan[T]) Free() error {
	return errors.Join(p.kernels.Free(), p.result.Free(), p.resultAt.Free())
}

// Launch queues a reduction of x on s and returns before it has run. [Plan.Value] and [Plan.Index]
// wait for it. The next Launch of the plan overwrites its result.
//
// Errors, all before anything is queued: ErrEmpty, an op that does not exist, and
// [gridstride.Kernel.Launch]'s, such as [gridstride.ErrFreed] and [gridstride.ErrWrongDevice].
func (p *Plan[T]) Launch(s *gridstride.Stream, op Op, x gridstride.Buffer[T]) error {
	return p.kernels.Launch(s, op, x, p.result, p.resultAt)
}

// Value waits for the last reduction that was launched, on the same stream s: the sum, or the
// smallest or largest element, also of OpArgMin and OpArgMax.
//
// Errors: [gridstride.Buffer.Read]'s.
func (p *Plan[T]) Value(ctx context.Context, s *gridstride.Stream) (T, error) {
	return only(p.result.Read(ctx, s, nil))
}

// Index waits for the last reduction that was launched, on the same stream s, which was OpArgMin or
// OpArgMax: the place of the element.
//
// Errors: [gridstride.Buffer.Read]'s.
func (p *Plan[T]) Index(ctx context.Context, s *gridstride.Stream) (int, error) {
	return only(p.resultAt.Read(ctx, s, nil))
}

// only is the element of a slice of one.
func only[T any](v []T, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return v[0], nil
}

// value launches a reduction and waits for its value.
func (p *Plan[T]) value(ctx context.Context, s *gridstride.Stream, op Op, x gridstride.Buffer[T]) (T, error) {
	if err := p.Launch(s, op, x); err != nil {
		return 0, err
	}
	return p.Value(ctx, s)
}

// index launches a reduction and waits for its index.
func (p *Plan[T]) index(ctx context.Context, s *gridstride.Stream, op Op, x gridstride.Buffer[T]) (int, error) {
	if err := p.Launch(s, op, x); err != nil {
		return 0, err
	}
	return p.Index(ctx, s)
}

// Sum is the sum of the elements of x: see [OpSum]. It waits, as all these do. Their errors are
// [Plan.Launch]'s and [Plan.Value]'s.
func (p *Plan[T]) Sum(ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error) {
	return p.value(ctx, s, OpSum, x)
}

// SumSquares is the sum of the squares of the elements of x: see [OpSumSquares].
func (p *Plan[T]) SumSquares(ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error) {
	return p.value(ctx, s, OpSumSquares, x)
}

// Min is the smallest element of x: see [OpMin].
func (p *Plan[T]) Min(ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error) {
	return p.value(ctx, s, OpMin, x)
}

// Max is the largest element of x: see [OpMax].
func (p *Plan[T]) Max(ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (T, error) {
	return p.value(ctx, s, OpMax, x)
}

// ArgMin is the index of the smallest element of x: see [OpArgMin].
func (p *Plan[T]) ArgMin(ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (int, error) {
	return p.index(ctx, s, OpArgMin, x)
}

// ArgMax is the index of the largest element of x: see [OpArgMax].
func (p *Plan[T]) ArgMax(ctx context.Context, s *gridstride.Stream, x gridstride.Buffer[T]) (int, error) {
	return p.index(ctx, s, OpArgMax, x)
}
