package halves

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// kernel has the methods that launchers of product's instances share.
type kernel[T any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.TensorMap[T], to gridstride.TensorMap[float32],
		c gridstride.Buffer[float32], boxes bool, shape warpgroups.Shape, manyA, manyB int, alpha, beta float32) error
}

// Plan is the kernels for one type of factors made ready on a device. Any goroutine may use it.
type Plan[T tile.Half] struct {
	kernels layout.Table[kernel[T]]
}

// NewPlan loads the kernels.
//
// Errors: ErrTarget for a device that is no GPU of 9.0, and [gridstride.Device.Load]'s errors.
func NewPlan[T tile.Half](dev *gridstride.Device) (*Plan[T], error) {
	kernels, err := layout.Load[kernel[T]](dev,
		loadProduct[T, tile.AcrossK, tile.AcrossK], loadProduct[T, tile.AcrossK, tile.AlongK],
		loadProduct[T, tile.AlongK, tile.AcrossK], loadProduct[T, tile.AlongK, tile.AlongK],
	)
	return &Plan[T]{kernels}, err
}

// Launch queues the products C = alpha*A*B + beta*C of a batch. Sizes are 1 at least.
//
// Errors: [gridstride.Buffer.TensorMap]'s and [gridstride.Kernel.Launch]'s.
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b warpgroups.Factor[T], c gridstride.Buffer[float32], shape warpgroups.Shape, alpha, beta float32) error {
	return p.launchOn(s, warpgroups.Grid(s.Device(), &shape, warpgroups.HalfCols), a, b, c, shape, alpha, beta)
}

// launchOn is Launch with a grid.
func (p *Plan[T]) launchOn(s *gridstride.Stream, grid gridstride.Config, a, b warpgroups.Factor[T], c gridstride.Buffer[float32],
	shape warpgroups.Shape, alpha, beta float32,
) error {
	mapA, manyA, err1 := a.MapA(&shape)
	mapB, manyB, err2 := b.MapB(&shape)
	mapC, boxes, err3 := warpgroups.MapC(c, &shape)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return p.kernels.Of(a.Deep, b.Deep).Launch(s, grid, mapA, mapB, mapC, c, boxes && beta == 0, shape, manyA, manyB, alpha, beta)
}
