package fold

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/math/binned"
)

// Number is the types that vectors to fold have.
type Number interface {
	numbersT | halvesT
}

// A Kernel folds vectors of T on a device.
type Kernel[T Number] interface {
	// Launch queues a run: see the kernels. own is the rank whose vector is mine.
	Launch(s *gridstride.Stream, cfg gridstride.Config, dst, mine, others gridstride.Buffer[T], own, ranks, op int) error
}

// Load loads the kernel for vectors of T.
func Load[T Number](dev *gridstride.Device) (Kernel[T], error) {
	kernel, err := loaders[fmt.Sprintf("%T", *new(T))](dev)
	if err != nil {
		return nil, err
	}
	return kernel.(Kernel[T]), nil
}

// Launch queues a run of k on s with blocks enough to keep the device busy.
func Launch[T Number](k Kernel[T], s *gridstride.Stream, dst, mine, others gridstride.Buffer[T], own, ranks, op int) error {
	return k.Launch(s, grid(s, dst.Len()), dst, mine, others, own, ranks, op)
}

type loader func(dev *gridstride.Device) (any, error)

// loaders load the kernels, by their element types.
var loaders = map[string]loader{
	"int": number[int], "int8": number[int8], "int16": number[int16], "int32": number[int32], "int64": number[int64],
	"uint": number[uint], "uint8": number[uint8], "uint16": number[uint16], "uint32": number[uint32], "uint64": number[uint64],
	"float32": number[float32], "float64": number[float64],
	"gpu.Float16": half[gpu.Float16], "gpu.BFloat16": half[gpu.BFloat16],
}

func number[T numbersT](dev *gridstride.Device) (any, error) { return loadNumbers[T](dev) }

func half[T halvesT](dev *gridstride.Device) (any, error) { return loadHalves[T](dev) }

// Float is the types that vectors to add reproducibly have.
type Float interface {
	floatsT | shortFloatsT
}

// A Reproducible adds vectors of T on a device, with bits that do not depend on their order.
type Reproducible[T Float] interface {
	// Launch queues a run: see the kernels.
	Launch(s *gridstride.Stream, cfg gridstride.Config, dst, mine, others gridstride.Buffer[T], own, stride int) error
}

// LoadReproducible loads the kernel that adds vectors of T.
func LoadReproducible[T Float](dev *gridstride.Device) (Reproducible[T], error) {
	kernel, err := reproducibleLoaders[fmt.Sprintf("%T", *new(T))](dev)
	if err != nil {
		return nil, err
	}
	return kernel.(Reproducible[T]), nil
}

// Add queues a run of k on s with blocks enough to keep the device busy.
func Add[T Float](k Reproducible[T], s *gridstride.Stream, dst, mine, others gridstride.Buffer[T], own, stride int) error {
	return k.Launch(s, grid(s, dst.Len()), dst, mine, others, own, stride)
}

// reproducibleLoaders load the kernels that add reproducibly, by their element types.
var reproducibleLoaders = map[string]loader{
	"float32":     func(dev *gridstride.Device) (any, error) { return loadFloats[float32, uint32, binned.Single](dev) },
	"float64":     func(dev *gridstride.Device) (any, error) { return loadFloats[float64, uint64, binned.Double](dev) },
	"gpu.Float16": shortFloat[gpu.Float16], "gpu.BFloat16": shortFloat[gpu.BFloat16],
}

func shortFloat[T shortFloatsT](dev *gridstride.Device) (any, error) { return loadShortFloats[T](dev) }

// grid has a thread for each of n elements, but no more blocks than keep the device busy.
func grid(s *gridstride.Stream, n int) gridstride.Config {
	return gridstride.Grid(min((n+255)/256, 8*s.Device().Info().Multiprocessors))
}
