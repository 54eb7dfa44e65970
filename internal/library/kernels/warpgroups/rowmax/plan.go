package rowmax

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu/tile"
	"github.com/gridstride/gridstride/internal/library/kernels/layout"
	"github.com/gridstride/gridstride/internal/library/kernels/warpgroups"
)

// kernel has the methods that launchers of rowMax's instances share.
type kernel[T any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.TensorMap[T], values gridstride.Buffer[float32],
		columns gridstride.Buffer[int32], shape warpgroups.Shape) error
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
		loadRowMax[T, tile.AcrossK, tile.AcrossK], loadRowMax[T, tile.AcrossK, tile.AlongK],
		loadRowMax[T, tile.AlongK, tile.AcrossK], loadRowMax[T, tile.AlongK, tile.AlongK],
	)
	return &Plan[T]{kernels}, err
}

// Launch queues the choice of the largest element of each row of A*B in each tile of HalfCols
// columns, which shape.RowC is from row to row in values and columns. Sizes are 1 at least, and
// there is one product.
//
// Errors: [gridstride.Buffer.TensorMap]'s and [gridstride.Kernel.Launch]'s.
func (p *Plan[T]) Launch(s *gridstride.Stream, a, b warpgroups.Factor[T], values gridstride.Buffer[float32], columns gridstride.Buffer[int32],
	shape warpgroups.Shape,
) error {
	mapA, _, err1 := a.MapA(&shape)
	mapB, _, err2 := b.MapB(&shape)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	grid := warpgroups.Grid(s.Device(), &shape, warpgroups.HalfCols)
	return p.kernels.Of(a.Deep, b.Deep).Launch(s, grid, mapA, mapB, values, columns, shape)
}
