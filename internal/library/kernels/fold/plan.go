package fold

import (
	"fmt"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
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
	blocks := min((dst.Len()+255)/256, 8*s.Device().Info().Multiprocessors)
	return k.Launch(s, gridstride.Grid(blocks), dst, mine, others, own, ranks, op)
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
