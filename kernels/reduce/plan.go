package reduce

import (
	"context"
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
)

// Number is the element types. A vector of int is one of int64: gridstride.Cast[int64](x).
type Number interface {
	float32 | float64 | int32 | int64
}

// ErrEmpty: the smallest or largest element of a vector without elements was asked for.
var ErrEmpty = errors.New("the vector has no elements")

// Op is what is computed.
type Op int

// The reductions. NaN counts as smaller and larger than every number: a vector that has one has NaN
// for its smallest and largest element, and OpArgMin and OpArgMax give the place of the first.
// OpMin and OpMax order -0 before +0, as the built-in min and max do; OpArgMin and OpArgMax give
// the first of equal elements, as -0 and +0 are.
const (
	OpSum        Op = iota // x[0] + x[1] + …, 0 for an empty vector; integers wrap
	OpSumSquares           // x[0]*x[0] + x[1]*x[1] + …, 0 for an empty vector; infinite where a square is too large, unlike the square of BLAS's nrm2
	OpMin                  // the smallest element
	OpMax                  // the largest element
	OpArgMin               // the index of the smallest element
	OpArgMax               // the index of the largest element
)

// Ops is every Op, in their order.
var Ops = []Op{OpSum, OpSumSquares, OpMin, OpMax, OpArgMin, OpArgMax}

var opNames = []string{"sum", "sumsquares", "min", "max", "argmin", "argmax"}

// String is the name: "sum", "sumsquares", "min", "max", "argmin", "argmax".
func (op Op) String() string {
	if op < 0 || int(op) >= len(opNames) {
		return fmt.Sprintf("Op(%d)", int(op))
	}
	return opNames[op]
}

// maxBlocks is the largest grid: 64 blocks for each of the 132 multiprocessors of an H200. It does
// not depend on the device, so that a result does not.
const maxBlocks = 64 * 132

// Plan is the reductions of vectors of one type made ready on a device: the kernels are loaded and
// their working memory allocated, so that a reduction allocates nothing on the device. Vectors may
// have any length. One goroutine may use a plan at a time, and one stream; plans of one device are
// independent.
type Plan[T Number] struct {
	values  map[Op]valueLauncher[T]
	indices map[Op]indexLauncher[T]

	partial   gridstride.Buffer[T] // an element a block
	partialAt gridstride.Buffer[int]
	ticket    gridstride.Buffer[uint32]
	result    gridstride.Buffer[T]
	resultAt  gridstride.Buffer[int]
}

// valueLauncher and indexLauncher are what the generated launchers have in common.
type valueLauncher[T Number] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, x, partial gridstride.Buffer[T], ticket gridstride.Buffer[uint32],
		result gridstride.Buffer[T]) error
}

type indexLauncher[T Number] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, x, partial gridstride.Buffer[T], partialAt gridstride.Buffer[int],
		ticket gridstride.Buffer[uint32], result gridstride.Buffer[T], resultAt gridstride.Buffer[int]) error
}

// NewPlan loads the kernels and allocates the working memory, some 130 KB. Free gives it back.
//
// Errors: those of [gridstride.Make] and [gridstride.Device.Load].
func NewPlan[T Number](dev *gridstride.Device) (*Plan[T], error) {
	p := &Plan[T]{values: map[Op]valueLauncher[T]{}, indices: map[Op]indexLauncher[T]{}}
	if err := errors.Join(p.load(dev), p.allocate(dev)); err != nil {
		return nil, errors.Join(err, p.Free())
	}
	return p, nil
}

func (p *Plan[T]) load(dev *gridstride.Device) error {
	return errors.Join(
		put[valueLauncher[T]](p.values, OpSum, dev, loadSum[T]),
		put[valueLauncher[T]](p.values, OpSumSquares, dev, loadSumSquares[T]),
		put[valueLauncher[T]](p.values, OpMin, dev, loadMinimum[T]),
		put[valueLauncher[T]](p.values, OpMax, dev, loadMaximum[T]),
		put[indexLauncher[T]](p.indices, OpArgMin, dev, loadArgMin[T]),
		put[indexLauncher[T]](p.indices, OpArgMax, dev, loadArgMax[T]))
}

// put loads a kernel for op.
func put[L any, K any](into map[Op]L, op Op, dev *gridstride.Device, load func(*gridstride.Device) (K, error)) error {
	k, err := load(dev)
	if err == nil {
		into[op] = any(k).(L)
	}
	return err
}

func (p *Plan[T]) allocate(dev *gridstride.Device) (err error) {
	if p.partial, err = gridstride.Make[T](dev, maxBlocks); err != nil {
		return err
	}
	if p.partialAt, err = gridstride.Make[int](dev, maxBlocks); err != nil {
		return err
	}
	if p.ticket, err = gridstride.CopyOf(dev, []uint32{0}); err != nil {
		return err
	}
	if p.result, err = gridstride.CopyOf(dev, []T{0}); err != nil {
		return err
	}
	p.resultAt, err = gridstride.CopyOf(dev, []int{0})
	return err
}

// Free gives the working memory back. What is queued still runs; every later use of the plan is
// refused with [gridstride.ErrFreed].
func (p *Plan[T]) Free() error {
	return errors.Join(p.partial.Free(), p.partialAt.Free(), p.ticket.Free(), p.result.Free(), p.resultAt.Free())
}

// Launch queues a reduction of x on s and returns before it has run. [Plan.Value] and [Plan.Index]
// wait for it; the next Launch of the plan overwrites its result.
//
// Errors, all before anything is queued: ErrEmpty, an op that does not exist, and those of
// [gridstride.Kernel.Launch], [gridstride.ErrFreed] and [gridstride.ErrWrongDevice] among them.
func (p *Plan[T]) Launch(s *gridstride.Stream, op Op, x gridstride.Buffer[T]) error {
	cfg := gridstride.Grid(min(max((x.Len()+tile-1)/tile, 1), maxBlocks))
	value, index := p.values[op], p.indices[op]
	switch {
	case value == nil && index == nil:
		return fmt.Errorf("reduce: %v is no reduction: there are %v", op, Ops)
	case x.Len() == 0 && op != OpSum && op != OpSumSquares:
		return fmt.Errorf("reduce: %v: %w", op, ErrEmpty)
	case value != nil:
		return value.Launch(s, cfg, x, p.partial, p.ticket, p.result)
	}
	return index.Launch(s, cfg, x, p.partial, p.partialAt, p.ticket, p.result, p.resultAt)
}

// Value waits for the last reduction that was launched, on the same stream s: the sum, or the
// smallest or largest element, also of OpArgMin and OpArgMax.
//
// Errors: those of [gridstride.Buffer.Read].
func (p *Plan[T]) Value(ctx context.Context, s *gridstride.Stream) (T, error) {
	return only(p.result.Read(ctx, s, nil))
}

// Index waits for the last reduction that was launched, on the same stream s, which was OpArgMin or
// OpArgMax: the place of the element.
//
// Errors: those of [gridstride.Buffer.Read].
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
// those of [Plan.Launch] and [Plan.Value].
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
