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
	Dot             level1.PairSum[T]
	Sum, Asum, Nrm2 level1.VectorSum[T]
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
	return loadAll[float32, gpu.Float32x4, uint32, binned.Single](dev, blocks)
}

func load64(dev *gridstride.Device, blocks int) (*Plan[float64], error) {
	return loadAll[float64, gpu.Float64x2, uint64, binned.Double](dev, blocks)
}

// kernels holds the kernels for a type, its vectors of 16 bytes, and its bits.
type kernels[T operand.Float, V gpu.Float32x4 | gpu.Float64x2, U binned.Word, F binned.Single | binned.Double] struct {
	dot        *dotKernel[T, V, U, F]
	sum        *sumKernel[T, V, U, F]
	asum       *asumKernel[T, V, U, F]
	magnitudes *magnitudesKernel[T, V, U, F]
	squares    *squaresKernel[T, V, U, F]
	root       *rootKernel[T, U, F]
	blocks     int // of the largest grid
}

func loadAll[T operand.Float, V gpu.Float32x4 | gpu.Float64x2, U uint32 | uint64, F binned.Single | binned.Double](
	dev *gridstride.Device, blocks int,
) (*Plan[T], error) {
	k := &kernels[T, V, U, F]{blocks: blocks}
	var errs [6]error
	k.dot, errs[0] = loadDot[T, V, U, F](dev)
	k.sum, errs[1] = loadSum[T, V, U, F](dev)
	k.asum, errs[2] = loadAsum[T, V, U, F](dev)
	k.magnitudes, errs[3] = loadMagnitudes[T, V, U, F](dev)
	k.squares, errs[4] = loadSquares[T, V, U, F](dev)
	k.root, errs[5] = loadRoot[T, U, F](dev)
	plan := &Plan[T]{Dot: k.pair, Nrm2: k.norm}
	plan.Sum = func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
		return k.single(k.sum, s, w, x, out)
	}
	plan.Asum = func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
		return k.single(k.asum, s, w, x, out)
	}
	return plan, errors.Join(errs[:]...)
}

func (k *kernels[T, V, U, F]) pair(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error {
	p, err := onepass.SplitPair[V](x, y)
	if err != nil {
		return err
	}
	grid := min(p.Blocks, k.blocks)
	partial, err := onepass.Partial[binned.Sum](w, grid)
	if err != nil {
		return err
	}
	return k.dot.Launch(s, gridstride.Grid(grid), p.XV, p.YV, p.X, p.Y, p.Rest, partial, w.Ticket, out)
}

// singleKernel has the method that the launchers of sum and asum share.
type singleKernel[T, V any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, xv gridstride.Buffer[V], x gridstride.Buffer[T], rest onepass.Rest,
		partial gridstride.Buffer[binned.Sum], ticket gridstride.Buffer[uint32], result gridstride.Buffer[T]) error
}

func (k *kernels[T, V, U, F]) single(kernel singleKernel[T, V], s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
	p, err := onepass.Split[V](x)
	if err != nil {
		return err
	}
	grid := min(p.Blocks, k.blocks)
	partial, err := onepass.Partial[binned.Sum](w, grid)
	if err != nil {
		return err
	}
	return kernel.Launch(s, gridstride.Grid(grid), p.XV, p.X, p.Rest, partial, w.Ticket, out)
}

// norm queues a Euclidean norm: of the largest magnitude, of the sum of scaled squares, and of its
// root. The magnitude is in the working memory after the partial sums.
func (k *kernels[T, V, U, F]) norm(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
	p, err := onepass.Split[V](x)
	if err != nil {
		return err
	}
	blocks := min(p.Blocks, k.blocks)
	partial, err := onepass.Partial[binned.Sum](w, blocks+1)
	if err != nil {
		return err
	}
	words, err := gridstride.Cast[U](partial.Slice(blocks, blocks+1))
	if err != nil {
		return err
	}
	largest, grid := words.Slice(0, 1), gridstride.Grid(blocks)
	for _, launch := range []func() error{
		func() error { return largest.Zero(s) },
		func() error { return k.magnitudes.Launch(s, grid, p.XV, p.X, p.Rest, largest) },
		func() error {
			return k.squares.Launch(s, grid, p.XV, p.X, p.Rest, largest, partial.Slice(0, blocks), w.Ticket, out)
		},
		func() error { return k.root.Launch(s, gridstride.Grid(1), largest, out) },
	} {
		if err := launch(); err != nil {
			return err
		}
	}
	return nil
}
