package fast

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// Plan is the kernels for one element type made ready on a device. It needs no working memory. Any
// goroutine may use it, until the device is closed.
type Plan[T Float] struct {
	launch launcher[T]
	most   int // the largest grid
}

// launcher queues a kernel.
type launcher[T Float] func(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[T], m, n, l int) error

// NewPlan loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan[T Float](dev *gridstride.Device) (*Plan[T], error) {
	var l any
	var err error
	switch any(T(0)).(type) {
	case float32:
		l, err = load32(dev)
	case float64:
		l, err = load64(dev)
	}
	if err != nil {
		return nil, err
	}
	return &Plan[T]{l.(launcher[T]), dev.Info().MaxGrid.X}, nil
}

// load32 loads Registers32, and Unaligned32 for matrices whose rows, or buffers, do not begin at
// multiples of 16 bytes.
func load32(dev *gridstride.Device) (launcher[float32], error) {
	aligned, err1 := LoadRegisters32(dev)
	other, err2 := LoadUnaligned32(dev)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return func(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[float32], m, n, l int) error {
		if n%4 != 0 || l%4 != 0 || !a.Aligned(16) || !b.Aligned(16) {
			return other.Launch(s, cfg, a, b, c, m, n, l)
		}
		va, err := gridstride.Cast[gpu.Float32x4](a)
		if err != nil {
			return err
		}
		vb, err := gridstride.Cast[gpu.Float32x4](b)
		if err != nil {
			return err
		}
		return aligned.Launch(s, cfg, va, vb, c, m, n, l)
	}, nil
}

// load64 loads Registers64, which is for all sizes.
func load64(dev *gridstride.Device) (launcher[float64], error) {
	k, err := LoadRegisters64(dev)
	if err != nil {
		return nil, err
	}
	return k.Launch, nil
}

// Launch queues C = A·B on s and returns before it has run. c is overwritten. Where a has no
// columns, and b no rows, it becomes zeros. A C without elements launches nothing.
//
// Errors, all before anything is queued: [Check]'s, a C of more tiles than a grid has blocks,
// and [gridstride.Kernel.Launch]'s, such as [gridstride.ErrFreed] and
// [gridstride.ErrWrongDevice].
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b, c Matrix[T]) error {
	if err := Check(a, b, c); err != nil || c.Rows == 0 || c.Cols == 0 {
		return err
	}
	blocks := ((c.Rows-1)/Tile + 1) * ((c.Cols-1)/Tile + 1)
	if blocks > p.most {
		return fmt.Errorf("matmul: C is %v, which is %d tiles of %dx%d: a grid has at most %d blocks", c, blocks, Tile, Tile, p.most)
	}
	return p.launch(s, gridstride.Grid(blocks).Block(Block), a.Data, b.Data, c.Data, a.Rows, a.Cols, b.Cols)
}
