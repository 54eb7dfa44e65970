package matmul

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gridstride/gridstride"
)

// Float is the element types.
type Float interface{ float32 | float64 }

// Matrix is a matrix on a device: Data holds its Rows*Cols elements row after row, so that the
// element at row i and column j is Data[i*Cols+j].
type Matrix[T Float] struct {
	Rows, Cols int
	Data       gridstride.Buffer[T]
}

// String is its size, "3x4".
func (m Matrix[T]) String() string { return fmt.Sprintf("%dx%d", m.Rows, m.Cols) }

// check is an error where the sizes make no sense; name is what it calls the matrix.
func (m Matrix[T]) check(name string) error {
	if m.Rows < 0 || m.Cols < 0 {
		return fmt.Errorf("matmul: %s is %v: a matrix has no negative number of rows or columns", name, m)
	}
	if hi, n := bits.Mul64(uint64(m.Rows), uint64(m.Cols)); hi != 0 || n != uint64(m.Data.Len()) {
		return fmt.Errorf("matmul: %s is %v, and its buffer has %d elements", name, m, m.Data.Len())
	}
	return nil
}

// Plan is a variant made ready on a device. It needs no working memory. Any goroutine may use it,
// until the device is closed.
type Plan[T Float] struct {
	variant Variant[T]
	launch  launcher[T]
	most    gridstride.Dim3 // the largest grid
}

// NewPlan loads the variant's kernel.
//
// Errors: a block shape that the device does not allow, and those of [gridstride.Device.Load].
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
	return &Plan[T]{variant: v, launch: launch, most: info.MaxGrid}, nil
}

// Launch queues C = A·B on s and returns before it has run. c is overwritten, and must not share
// memory with a or b; where a has no columns, and b no rows, it becomes zeros.
//
// Errors, all before anything is queued: sizes that do not fit each other, or the buffers; a C in
// the memory of A or B; a C of more tiles than a grid has blocks; and those of
// [gridstride.Kernel.Launch], [gridstride.ErrFreed] and [gridstride.ErrWrongDevice] among them.
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b, c Matrix[T]) error {
	for _, err := range []error{a.check("A"), b.check("B"), c.check("C")} {
		if err != nil {
			return err
		}
	}
	switch {
	case a.Cols != b.Rows:
		return fmt.Errorf("matmul: A is %v and B %v: B must have as many rows as A has columns", a, b)
	case c.Rows != a.Rows || c.Cols != b.Cols:
		return fmt.Errorf("matmul: A is %v and B %v, so C must be %dx%d, not %v", a, b, a.Rows, b.Cols, c)
	case c.Data.Overlaps(a.Data):
		return errors.New("matmul: C shares memory with A, which is read while C is written: give C a buffer of its own")
	case c.Data.Overlaps(b.Data):
		return errors.New("matmul: C shares memory with B, which is read while C is written: give C a buffer of its own")
	}
	if c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	cfg := p.variant.config(c.Rows, c.Cols)
	if g := cfg.GridDim; g.X > p.most.X || g.Y > p.most.Y {
		return fmt.Errorf("matmul: C is %v, which the variant %s covers with %dx%d blocks: a grid has at most %dx%d",
			c, p.variant.Name, g.X, g.Y, p.most.X, p.most.Y)
	}
	return p.launch(s, cfg, a.Data, b.Data, c.Data, a.Rows, a.Cols, b.Cols)
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
