package dot

import (
	"errors"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// simple prepares a kernel with the parameters a, b and c.
func simple[T Float, K interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, a, b, c gridstride.Buffer[T]) error
}](load func(*gridstride.Device) (K, error)) func(*gridstride.Device) (launcher[T], error) {
	return func(dev *gridstride.Device) (launcher[T], error) {
		k, err := load(dev)
		return func(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[T], w work[T]) error {
			return k.Launch(s, cfg, a, b, w.out)
		}, err
	}
}

// atomic prepares Atomic, whose result starts at zero.
func atomic[T Float](dev *gridstride.Device) (launcher[T], error) {
	k, err := LoadAtomic[T](dev)
	return func(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[T], w work[T]) error {
		for _, x := range []gridstride.Buffer[T]{a, b} {
			if x.Slice(0, 0).Zero(s) != nil { // the launch will be refused, and must not cost the last result
				return k.Launch(s, cfg, a, b, w.out)
			}
		}
		if err := w.out.Zero(s); err != nil {
			return err
		}
		return k.Launch(s, cfg, a, b, w.out)
	}, err
}

// vector prepares Vector32 or Vector64.
func vector[T Float](dev *gridstride.Device) (launcher[T], error) {
	var l any
	var err error
	switch any(T(0)).(type) {
	case float32:
		var k *Vector32Kernel
		k, err = LoadVector32(dev)
		l = vectorLauncher[gpu.Float32x4, float32](k)
	case float64:
		var k *Vector64Kernel
		k, err = LoadVector64(dev)
		l = vectorLauncher[gpu.Float64x2, float64](k)
	}
	return l.(launcher[T]), err
}

func vectorLauncher[V any, T Float](k interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, av, bv gridstride.Buffer[V], a, b, c gridstride.Buffer[T]) error
}) launcher[T] {
	return func(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[T], w work[T]) error {
		return withVectors(a, b, func(av, bv gridstride.Buffer[V]) error {
			return k.Launch(s, cfg, av, bv, a, b, w.out)
		})
	}
}

// twoKernels prepares vector and Finish.
func twoKernels[T Float](dev *gridstride.Device) (launcher[T], error) {
	first, err := vector[T](dev)
	if err != nil {
		return nil, err
	}
	second, err := LoadFinish[T](dev)
	return func(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[T], w work[T]) error {
		toPartial := w
		toPartial.out = w.partial
		if err := first(s, cfg, a, b, toPartial); err != nil {
			return err
		}
		return second.Launch(s, gridstride.Grid(1).Block(maxBlock), w.partial, w.out)
	}, err
}

// onePass prepares OnePass32 or OnePass64.
func onePass[T Float](dev *gridstride.Device) (launcher[T], error) {
	var l any
	var err error
	switch any(T(0)).(type) {
	case float32:
		var k *OnePass32Kernel
		k, err = LoadOnePass32(dev)
		l = onePassLauncher[gpu.Float32x4, float32](k)
	case float64:
		var k *OnePass64Kernel
		k, err = LoadOnePass64(dev)
		l = onePassLauncher[gpu.Float64x2, float64](k)
	}
	return l.(launcher[T]), err
}

func onePassLauncher[V any, T Float](k interface {
	Launch(s *gridstride.Stream, cfg gridstride.Config, av, bv gridstride.Buffer[V], a, b, partial gridstride.Buffer[T],
		ticket gridstride.Buffer[uint32], result gridstride.Buffer[T]) error
}) launcher[T] {
	return func(s *gridstride.Stream, cfg gridstride.Config, a, b gridstride.Buffer[T], w work[T]) error {
		return withVectors(a, b, func(av, bv gridstride.Buffer[V]) error {
			return k.Launch(s, cfg, av, bv, a, b, w.partial, w.ticket, w.out)
		})
	}
}

// lanes is the number of elements in 16 bytes.
func lanes[T Float]() int { return 16 / int(unsafe.Sizeof(T(0))) }

// withVectors launches a kernel with the elements of a and b seen as vectors, but for the last few.
// Where a or b is a view that starts in the middle of a vector, which the launch refuses, it
// launches with no vectors: the kernel then takes the elements one by one.
func withVectors[V any, T Float](a, b gridstride.Buffer[T], launch func(av, bv gridstride.Buffer[V]) error) error {
	whole := a.Len() / lanes[T]() * lanes[T]()
	av, err := gridstride.Cast[V](a.Slice(0, whole))
	if err != nil {
		return err
	}
	bv, err := gridstride.Cast[V](b.Slice(0, whole))
	if err != nil {
		return err
	}
	err = launch(av, bv)
	if errors.Is(err, gridstride.ErrArgument) {
		return launch(gridstride.Buffer[V]{}, gridstride.Buffer[V]{})
	}
	return err
}
