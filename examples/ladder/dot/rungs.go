package dot

import (
	"errors"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/examples/ladder/dot/fast"
	"github.com/gridstride/gridstride/gpu"
)

// rung is a variant made ready on a device: its kernels are loaded and their working memory
// allocated.
type rung[T Float] interface {
	// launch queues the kernels. out has as many elements as the variant leaves.
	launch(s *gridstride.Stream, cfg gridstride.Config, a, b, out gridstride.Buffer[T]) error
	// free gives the working memory back.
	free() error
}

// prepare makes a variant ready for grids of up to a number of blocks.
type prepare[T Float] func(dev *gridstride.Device, blocks int) (rung[T], error)

// kernel has the methods that the simple kernels' launchers share.
type kernel[T Float] interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[T]) error
}

// simple is a kernel without working memory.
type simple[T Float] struct{ kernel kernel[T] }

func (r simple[T]) launch(s *gridstride.Stream, cfg gridstride.Config, a, b, out gridstride.Buffer[T]) error {
	return r.kernel.Launch(s, cfg, a, b, out)
}

func (r simple[T]) free() error { return nil }

// alone prepares a kernel that needs nothing else.
func alone[T Float, K kernel[T]](load func(*gridstride.Device) (K, error)) prepare[T] {
	return func(dev *gridstride.Device, _ int) (rung[T], error) {
		k, err := load(dev)
		return simple[T]{k}, err
	}
}

// atomic is Atomic, whose result starts at zero.
type atomic[T Float] struct{ simple[T] }

func newAtomic[T Float](dev *gridstride.Device, _ int) (rung[T], error) {
	k, err := LoadAtomic[T](dev)
	return atomic[T]{simple[T]{k}}, err
}

func (r atomic[T]) launch(s *gridstride.Stream, cfg gridstride.Config, a, b, out gridstride.Buffer[T]) error {
	if a.Check(s) == nil && b.Check(s) == nil { // a launch that is refused must not cost the last result
		if err := out.Zero(s); err != nil {
			return err
		}
	}
	return r.simple.launch(s, cfg, a, b, out)
}

// newVector prepares Vector with the vectors of T.
func newVector[T Float](dev *gridstride.Device, _ int) (rung[T], error) {
	var k any
	var err error
	switch any(T(0)).(type) {
	case float32:
		k, err = newWithVectors[float32, gpu.Float32x4](dev)
	case float64:
		k, err = newWithVectors[float64, gpu.Float64x2](dev)
	}
	return simple[T]{k.(kernel[T])}, err
}

// withVectors is Vector as a kernel of elements alone.
type withVectors[T VectorT, V VectorV] struct{ *VectorKernel[T, V] }

func newWithVectors[T VectorT, V VectorV](dev *gridstride.Device) (withVectors[T, V], error) {
	k, err := LoadVector[T, V](dev)
	return withVectors[T, V]{k}, err
}

func (k withVectors[T, V]) Launch(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[T]) error {
	av, bv, a, b, err := fast.Vectors[V](a, b)
	if err != nil {
		return err
	}
	return k.VectorKernel.Launch(s, cfg, av, bv, a, b, c)
}

// twoKernels is Vector, and Finish.
type twoKernels[T Float] struct {
	first   rung[T]
	second  *FinishKernel[T]
	partial gridstride.Buffer[T] // a sum a block
}

func newTwoKernels[T Float](dev *gridstride.Device, blocks int) (rung[T], error) {
	var r twoKernels[T]
	var err error
	if r.first, err = newVector[T](dev, blocks); err != nil {
		return nil, err
	}
	if r.second, err = LoadFinish[T](dev); err != nil {
		return nil, err
	}
	r.partial, err = gridstride.Make[T](dev, blocks)
	return r, err
}

func (r twoKernels[T]) launch(s *gridstride.Stream, cfg gridstride.Config, a, b, out gridstride.Buffer[T]) error {
	partial := r.partial.Slice(0, cfg.GridDim.X)
	if err := r.first.launch(s, cfg, a, b, partial); err != nil {
		return err
	}
	return r.second.Launch(s, gridstride.Grid(1).Block(maxBlock), partial, out)
}

func (r twoKernels[T]) free() error { return errors.Join(r.first.free(), r.partial.Free()) }

// onePass is the fastest kernel with its own plan.
type onePass[T Float] struct{ plan *fast.Plan[T] }

func newOnePass[T Float](dev *gridstride.Device, blocks int) (rung[T], error) {
	p, err := fast.NewPlan[T](dev, blocks)
	return onePass[T]{p}, err
}

// launch leaves the grid to the plan, which is the variant's.
func (r onePass[T]) launch(s *gridstride.Stream, _ gridstride.Config, a, b, out gridstride.Buffer[T]) error {
	return r.plan.Launch(s, a, b, out)
}

func (r onePass[T]) free() error { return r.plan.Free() }
