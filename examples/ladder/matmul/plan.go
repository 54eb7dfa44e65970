package matmul

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/matmul/fast"
)

// Float is the element types.
type Float interface{ fast.Float }

// Matrix is a matrix on a device: Data holds its Rows*Cols elements row after row, so that the
// element at row i and column j is Data[i*Cols+j].
type Matrix[T Float] = fast.Matrix[T]

// Plan is a variant made ready on a device. It needs no working memory. Any goroutine may use it,
// until the device is closed.
type Plan[T Float] struct {
	launch launcher[T]
}

// NewPlan loads the variant's kernel.
//
// Errors: a block shape that the device does not allow, and [gridstride.Device.Load]'s.
func NewPlan[T Float](dev *gridstride.Device, v Variant[T]) (*Plan[T], error) {
	if v.prepare == nil {
		return nil, errors.New("matmul: the zero Variant is none: take one of Variants, or Best")
	}
	x, y, info := v.Block[0], v.Block[1], dev.Info()
	if x < 1 || y < 1 || x > info.MaxBlock.X || y > info.MaxBlock.Y || x > info.MaxThreads/y {
		return nil, fmt.Errorf("matmul: blocks of %dx%d threads: the device allows %dx%d, and %d in all",
			x, y, info.MaxBlock.X, info.MaxBlock.Y, info.MaxThreads)
	}
	launch, err := v.prepare(dev)
	if err != nil {
		return nil, err
	}
	return &Plan[T]{launch}, nil
}

// Launch queues C = A·B on s and returns before it has run. c is overwritten, and must not share
// memory with a or b. Where a has no columns, and b no rows, it becomes zeros.
//
// Errors, all before anything is queued: sizes that do not fit each other, or the buffers, a C in
// the memory of A or B, a C of more tiles than a grid has blocks, and [gridstride.Kernel.Launch]'s,
// such as [gridstride.ErrFreed] and [gridstride.ErrWrongDevice].
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b, c Matrix[T]) error {
	return p.launch(s, a, b, c)
}

// Multiply queues C = A·B on s by [Best] and returns before it has run. It is [NewPlan] and
// [Plan.Launch].
func Multiply[T Float](s *gridstride.Stream, a, b, c Matrix[T]) error {
	p, err := NewPlan(s.Device(), Best[T]())
	if err != nil {
		return err
	}
	return p.Launch(s, a, b, c)
}
