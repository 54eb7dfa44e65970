package runptx

import (
	"fmt"
	"slices"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/machine/argspec"
)

// tensorMap is the tensor map of a buffer.
func tensorMap(b gridstride.Buffer[byte], arg *argspec.Arg) (any, error) {
	t := gridstride.Tensor{Dims: slices.Clone(arg.Map.Dims), Box: slices.Clone(arg.Map.Box), Swizzle: arg.Map.Swizzle}
	slices.Reverse(t.Dims)
	slices.Reverse(t.Box)
	switch arg.Elem.Name {
	case "f16":
		return mapOf[gpu.Float16](b, t)
	case "bf16":
		return mapOf[gpu.BFloat16](b, t)
	case "f32":
		return mapOf[float32](b, t)
	case "f64":
		return mapOf[float64](b, t)
	case "u8", "s8", "b8":
		return mapOf[uint8](b, t)
	case "u16", "s16", "b16":
		return mapOf[uint16](b, t)
	case "s32":
		return mapOf[int32](b, t)
	case "u32", "b32":
		return mapOf[uint32](b, t)
	case "s64":
		return mapOf[int64](b, t)
	case "u64", "b64":
		return mapOf[uint64](b, t)
	}
	return nil, fmt.Errorf("BUG: no tensor map of %s", arg.Elem.Name)
}

func mapOf[T any](b gridstride.Buffer[byte], t gridstride.Tensor) (any, error) {
	typed, err := gridstride.Cast[T](b)
	if err != nil {
		return nil, err
	}
	return typed.TensorMap(t)
}
