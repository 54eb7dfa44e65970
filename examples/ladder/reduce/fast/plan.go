package fast

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
)

// maxBlocks is the largest grid: 64 blocks for each of the 132 multiprocessors of an H200. It does
// not depend on the device, so that a result does not.
const maxBlocks = 64 * 132

// Plan is the reductions of vectors of one type made ready on a device: the kernels are loaded and
// their working memory allocated, so that a reduction allocates nothing on the device. Vectors may
// have any length. One goroutine may use a plan at a time, and one stream. Plans of one device are
// independent.
type Plan[T Number] struct {
	values  map[Op]valueLauncher[T]
	indices map[Op]indexLauncher[T]

	partial   gridstride.Buffer[T] // an element a block
	partialAt gridstride.Buffer[int]
	ticket    gridstride.Buffer[uint32]
}

// valueLauncher and indexLauncher have the methods that generated launchers share.
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
// Errors: [gridstride.Make]'s and [gridstride.Device.Load]'s.
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
	p.ticket, err = gridstride.CopyOf(dev, []uint32{0})
	return err
}

// Free gives the working memory back. What is queued still runs. Every later use of the plan is
// refused with [gridstride.ErrFreed].
func (p *Plan[T]) Free() error {
	return errors.Join(p.partial.Free(), p.partialAt.Free(), p.ticket.Free())
}

// Launch queues a reduction of x on s and returns before it has run. result[0] becomes the sum, or
// the smallest or largest element, and at[0] the index of that element in OpArgMin and OpArgMax;
// for the others at may be the zero Buffer. Both belong to the caller and have one element or more.
//
// Errors, all before anything is queued: ErrEmpty, an op that does not exist, no room for a
// result, and [gridstride.Kernel.Launch]'s, such as [gridstride.ErrFreed] and
// [gridstride.ErrWrongDevice].
func (p *Plan[T]) Launch(s *gridstride.Stream, op Op, x, result gridstride.Buffer[T], at gridstride.Buffer[int]) error {
	cfg := gridstride.Grid(min(max((x.Len()+tile-1)/tile, 1), maxBlocks))
	value, index := p.values[op], p.indices[op]
	switch {
	case value == nil && index == nil:
		return fmt.Errorf("reduce: %v is no reduction: there are %v", op, Ops)
	case x.Len() == 0 && op != OpSum && op != OpSumSquares:
		return fmt.Errorf("reduce: %v: %w", op, ErrEmpty)
	case result.Len() < 1 || index != nil && at.Len() < 1:
		return fmt.Errorf("reduce: %v: a buffer for the result has no elements: it takes one", op)
	case value != nil:
		return value.Launch(s, cfg, x, p.partial, p.ticket, result)
	}
	return index.Launch(s, cfg, x, p.partial, p.partialAt, p.ticket, result, at)
}
