package binned

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/library/kernels/level1"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
	"github.com/gridstride/gridstride/internal/math/binned"
)

// maxBlocks is the largest grid: the four blocks that each of the 132 multiprocessors of an H200
// has at a time. Fewer than other kernels have, as blocks take longer to add up what their threads
// have. The result does not depend on it.
const maxBlocks = 4 * 132

// Plan is the kernels for one element type made ready on a device, as [level1.Plan] is.
type Plan[T operand.Float] struct {
	Dot level1.PairSum[T]
	Sum level1.VectorSum[T]
}

// NewPlan loads the kernels.
//
// Errors: [gridstride.Device.Load]'s.
func NewPlan[T operand.Float](dev *gridstride.Device) (*Plan[T], error) {
	return newPlan[T](dev, maxBlocks)
}

// newPlan makes a plan with grids of up to a number of blocks.
func newPlan[T operand.Float](dev *gridstride.Device, blocks int) (*Plan[T], error) {
	var p any
	var err error
	switch any(T(0)).(type) {
	case float32:
		p, err = load32(dev, blocks)
	case float64:
		p, err = load64(dev, blocks)
	}
	return p.(*Plan[T]), err
}

func load32(dev *gridstride.Device, blocks int) (*Plan[float32], error) {
	dot, err := loadDot[float32, gpu.Float32x4, uint32, binned.Single](dev)
	sum, err2 := loadSum[float32, gpu.Float32x4, uint32, binned.Single](dev)
	return plan[float32, gpu.Float32x4](dot, sum, blocks), errors.Join(err, err2)
}

func load64(dev *gridstride.Device, blocks int) (*Plan[float64], error) {
	dot, err := loadDot[float64, gpu.Float64x2, uint64, binned.Double](dev)
	sum, err2 := loadSum[float64, gpu.Float64x2, uint64, binned.Double](dev)
	return plan[float64, gpu.Float64x2](dot, sum, blocks), errors.Join(err, err2)
}

// dotLauncher and sumLauncher have the methods that generated launchers share.
type dotLauncher[T, V any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, xv, yv gridstride.Buffer[V], x, y gridstride.Buffer[T], rest onepass.Rest,
		partial gridstride.Buffer[binned.Sum], ticket gridstride.Buffer[uint32], result gridstride.Buffer[T]) error
}

type sumLauncher[T, V any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, xv gridstride.Buffer[V], x gridstride.Buffer[T], rest onepass.Rest,
		partial gridstride.Buffer[binned.Sum], ticket gridstride.Buffer[uint32], result gridstride.Buffer[T]) error
}

func plan[T operand.Float, V any](dot dotLauncher[T, V], sum sumLauncher[T, V], blocks int) *Plan[T] {
	return &Plan[T]{
		Dot: func(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error {
			p, err := onepass.SplitPair[V](x, y)
			if err != nil {
				return err
			}
			grid := min(p.Blocks, blocks)
			partial, err := onepass.Partial[binned.Sum](w, grid)
			if err != nil {
				return err
			}
			return dot.Launch(s, gridstride.Grid(grid), p.XV, p.YV, p.X, p.Y, p.Rest, partial, w.Ticket, out)
		},
		Sum: func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
			p, err := onepass.Split[V](x)
			if err != nil {
				return err
			}
			grid := min(p.Blocks, blocks)
			partial, err := onepass.Partial[binned.Sum](w, grid)
			if err != nil {
				return err
			}
			return sum.Launch(s, gridstride.Grid(grid), p.XV, p.X, p.Rest, partial, w.Ticket, out)
		},
	}
}
