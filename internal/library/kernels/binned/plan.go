package binned

import (
	"errors"
	"unsafe"

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

// Sum is a sum that has not been rounded yet: of a part of the terms.
type Sum = binned.Sum

// Plan is the kernels for one element type made ready on a device, as [level1.Plan] is.
type Plan[T operand.Float] struct {
	Dot             level1.PairSum[T]
	Sum, Asum, Nrm2 level1.VectorSum[T]
	Parts           Parts[T]
}

// Parts are the functions for vectors whose parts are on several devices. The functions that add leave the part's
// own result in out[0], and return where its sum is: in the working memory, until the next launch.
type Parts[T operand.Float] struct {
	Dot       func(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) (gridstride.Buffer[Sum], error)
	Sum, Asum partOfVector[T]
	// Whole leaves the result of the sums of all parts in out[0].
	Whole func(s *gridstride.Stream, sums gridstride.Buffer[Sum], out gridstride.Buffer[T]) error

	// Magnitude leaves the largest magnitude of x in largest[0]: NaN is above the infinities, and
	// these above all numbers, as they are if their bits are compared as an unsigned integer. With
	// the largest of all parts, Squares adds the part's scaled squares, and Root makes the norm of
	// their sum in out[0].
	Magnitude func(s *gridstride.Stream, x operand.Vector[T], largest gridstride.Buffer[T]) error
	Squares   func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], largest, out gridstride.Buffer[T]) (gridstride.Buffer[Sum], error)
	Root      func(s *gridstride.Stream, largest, out gridstride.Buffer[T]) error
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
	whole      *wholeKernel[T, U, F]
	blocks     int // of the largest grid
}

func loadAll[T operand.Float, V gpu.Float32x4 | gpu.Float64x2, U uint32 | uint64, F binned.Single | binned.Double](
	dev *gridstride.Device, blocks int,
) (*Plan[T], error) {
	k := &kernels[T, V, U, F]{blocks: blocks}
	var errs [7]error
	k.dot, errs[0] = loadDot[T, V, U, F](dev)
	k.sum, errs[1] = loadSum[T, V, U, F](dev)
	k.asum, errs[2] = loadAsum[T, V, U, F](dev)
	k.magnitudes, errs[3] = loadMagnitudes[T, V, U, F](dev)
	k.squares, errs[4] = loadSquares[T, V, U, F](dev)
	k.root, errs[5] = loadRoot[T, U, F](dev)
	k.whole, errs[6] = loadWhole[T, U, F](dev)
	parts := Parts[T]{
		Dot: k.pair, Sum: k.single(k.sum), Asum: k.single(k.asum), Magnitude: k.magnitude, Squares: k.scaled, Root: k.rooted,
		Whole: func(s *gridstride.Stream, sums gridstride.Buffer[Sum], out gridstride.Buffer[T]) error {
			return k.whole.Launch(s, gridstride.Grid(1), sums, out)
		},
	}
	plan := &Plan[T]{Sum: parts.Sum.alone(), Asum: parts.Asum.alone(), Nrm2: k.norm, Parts: parts}
	plan.Dot = func(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) error {
		_, err := k.pair(s, w, x, y, out)
		return err
	}
	return plan, errors.Join(errs[:]...)
}

// partOfVector is the type of Parts.Sum.
type partOfVector[T operand.Float] func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) (gridstride.Buffer[Sum], error)

// alone is the function for a vector of one part.
func (f partOfVector[T]) alone() level1.VectorSum[T] {
	return func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
		_, err := f(s, w, x, out)
		return err
	}
}

// sums queues a launch with partial sums for its grid, and returns the place of the whole sum.
func (k *kernels[T, V, U, F]) sums(
	w onepass.Work, blocks int, launch func(grid gridstride.Config, partial gridstride.Buffer[Sum]) error,
) (gridstride.Buffer[Sum], error) {
	grid := min(blocks, k.blocks)
	partial, err := onepass.Partial[Sum](w, grid)
	if err != nil {
		return partial, err
	}
	return partial.Slice(0, 1), launch(gridstride.Grid(grid), partial)
}

func (k *kernels[T, V, U, F]) pair(s *gridstride.Stream, w onepass.Work, x, y operand.Vector[T], out gridstride.Buffer[T]) (gridstride.Buffer[Sum], error) {
	p, err := onepass.SplitPair[V](x, y)
	if err != nil {
		return gridstride.Buffer[Sum]{}, err
	}
	return k.sums(w, p.Blocks, func(grid gridstride.Config, partial gridstride.Buffer[Sum]) error {
		return k.dot.Launch(s, grid, p.XV, p.YV, p.X, p.Y, p.Rest, partial, w.Ticket, out)
	})
}

// singleKernel has the method that the launchers of sum and asum share.
type singleKernel[T, V any] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, xv gridstride.Buffer[V], x gridstride.Buffer[T], rest onepass.Rest,
		partial gridstride.Buffer[Sum], ticket gridstride.Buffer[uint32], result gridstride.Buffer[T]) error
}

// single is the function that queues a kernel of one vector.
func (k *kernels[T, V, U, F]) single(kernel singleKernel[T, V]) partOfVector[T] {
	return func(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) (gridstride.Buffer[Sum], error) {
		p, err := onepass.Split[V](x)
		if err != nil {
			return gridstride.Buffer[Sum]{}, err
		}
		return k.sums(w, p.Blocks, func(grid gridstride.Config, partial gridstride.Buffer[Sum]) error {
			return kernel.Launch(s, grid, p.XV, p.X, p.Rest, partial, w.Ticket, out)
		})
	}
}

// words is the bits of a number of a buffer.
func (k *kernels[T, V, U, F]) words(b gridstride.Buffer[T]) (gridstride.Buffer[U], error) {
	return gridstride.Cast[U](b.Slice(0, 1))
}

// magnitude queues the largest magnitude of x.
func (k *kernels[T, V, U, F]) magnitude(s *gridstride.Stream, x operand.Vector[T], largest gridstride.Buffer[T]) error {
	p, err := onepass.Split[V](x)
	if err != nil {
		return err
	}
	to, err := k.words(largest)
	if err != nil {
		return err
	}
	if err := to.Zero(s); err != nil {
		return err
	}
	return k.magnitudes.Launch(s, gridstride.Grid(min(p.Blocks, k.blocks)), p.XV, p.X, p.Rest, to)
}

// scaled queues the sum of the squares of x, scaled by the largest magnitude.
func (k *kernels[T, V, U, F]) scaled(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], largest, out gridstride.Buffer[T]) (gridstride.Buffer[Sum], error) {
	p, err := onepass.Split[V](x)
	if err != nil {
		return gridstride.Buffer[Sum]{}, err
	}
	by, err := k.words(largest)
	if err != nil {
		return gridstride.Buffer[Sum]{}, err
	}
	return k.sums(w, p.Blocks, func(grid gridstride.Config, partial gridstride.Buffer[Sum]) error {
		return k.squares.Launch(s, grid, p.XV, p.X, p.Rest, by, partial, w.Ticket, out)
	})
}

// rooted queues the norm of a sum of squares that were scaled.
func (k *kernels[T, V, U, F]) rooted(s *gridstride.Stream, largest, out gridstride.Buffer[T]) error {
	by, err := k.words(largest)
	if err != nil {
		return err
	}
	return k.root.Launch(s, gridstride.Grid(1), by, out)
}

// norm queues a Euclidean norm: of the largest magnitude, of the sum of scaled squares, and of its
// root. The magnitude is at the end of the working memory, after all partial sums.
func (k *kernels[T, V, U, F]) norm(s *gridstride.Stream, w onepass.Work, x operand.Vector[T], out gridstride.Buffer[T]) error {
	all, err := onepass.Partial[T](w, (k.blocks+1)*int(unsafe.Sizeof(Sum{}))/int(unsafe.Sizeof(T(0))))
	if err != nil {
		return err
	}
	largest := all.Slice(all.Len()-1, all.Len())
	if err := k.magnitude(s, x, largest); err != nil {
		return err
	}
	if _, err := k.scaled(s, w, x, largest, out); err != nil {
		return err
	}
	return k.rooted(s, largest, out)
}
