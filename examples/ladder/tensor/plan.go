package tensor

import (
	"errors"
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// Plan is a variant made ready on a device. It needs no working memory. Any goroutine may use it,
// until the device is closed.
type Plan struct {
	variant Variant
	launch  launcher
}

// NewPlan loads the variant's kernel.
//
// Errors: [gridstride.ErrTarget] for a device that has no such tensor cores, and
// [gridstride.Device.Load]'s.
func NewPlan(dev *gridstride.Device, v Variant) (*Plan, error) {
	if v.prepare == nil {
		return nil, errors.New("tensor: the zero Variant is none: take one of Variants, or Best")
	}
	launch, err := v.prepare(dev)
	if err != nil {
		return nil, err
	}
	return &Plan{variant: v, launch: launch}, nil
}

// Launch queues C = A·Bᵀ on s and returns before it has run. c is overwritten, and must not share
// memory with a or b. Where rows of a and b have no elements, it becomes zeros.
//
// Errors, all before anything is queued: sizes that do not fit each other, or the buffers, a C in
// the memory of A or B, rows that the variant cannot take, which begin at no multiples of 16
// bytes, and [gridstride.Kernel.Launch]'s, such as [gridstride.ErrFreed] and
// [gridstride.ErrWrongDevice].
func (p *Plan) Launch(s *gridstride.Stream, a, b Matrix[gpu.BFloat16], c Matrix[float32]) error {
	if err := check(a, b, c); err != nil || c.Rows == 0 || c.Cols == 0 {
		return err
	}
	if a.Cols == 0 {
		return c.Data.Fill(s, 0)
	}
	if p.variant.Aligned && (a.Cols%perCopy != 0 || !a.Data.Aligned(16) || !b.Data.Aligned(16)) {
		return fmt.Errorf("tensor: A is %v and B %v: the variant %s takes rows that begin at multiples of 16 bytes, of a multiple of %d "+
			"numbers: pad them, or take fragments", a, b, p.variant.Name, perCopy)
	}
	if p.variant.AlignedC && (c.Cols%4 != 0 || !c.Data.Aligned(16)) {
		return fmt.Errorf("tensor: C is %v: the variant %s takes rows that begin at multiples of 16 bytes, of a multiple of 4 numbers: "+
			"pad them, or take persistent", c, p.variant.Name)
	}
	return p.launch(s, a, b, c)
}
