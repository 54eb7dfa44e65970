package cuda

import "unsafe"

var procTensorMapEncodeTiled = proc{name: "cuTensorMapEncodeTiled", needs: 12000}

// TensorMap is a CUtensorMap.
type TensorMap [16]uint64

// Tensor describes an array and its boxes to cuTensorMapEncodeTiled, which are not interleaved.
// Elements outside of the array are zero.
type Tensor struct {
	Type    uint8 // a CUtensorMapDataType
	Address DevicePtr
	Dims    []uint64
	Strides []uint64 // bytes, of all dimensions but the first
	Box     []uint32
	Swizzle int // bytes
}

// The arguments in use.
const (
	tensorInterleaveNone = 0 // CU_TENSOR_MAP_INTERLEAVE_NONE
	tensorPromotion128   = 2 // CU_TENSOR_MAP_L2_PROMOTION_L2_128B
	tensorFillZeros      = 0 // CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
)

// tensorSwizzles maps a number of bytes to its CUtensorMapSwizzle.
var tensorSwizzles = map[int]uintptr{0: 0, 32: 1, 64: 2, 128: 3}

// TensorMapEncodeTiled makes a tensor map. It needs a driver of CUDA 12.0.
func (c *Context) TensorMapEncodeTiled(t *Tensor) (TensorMap, error) {
	// The driver reads as many numbers as there are dimensions, and wants the map aligned to 64.
	var in struct {
		dims, strides [5]uint64
		box, steps    [5]uint32
		out           [24]uint64
	}
	copy(in.dims[:], t.Dims)
	copy(in.strides[:], t.Strides)
	copy(in.box[:], t.Box)
	in.steps = [5]uint32{1, 1, 1, 1, 1}
	first := int(-uintptr(unsafe.Pointer(&in.out)) % 64 / 8)
	err := c.call(&procTensorMapEncodeTiled, c.at(t.Address),
		uintptr(unsafe.Pointer(&in.out[first])), uintptr(t.Type), uintptr(len(t.Dims)), uintptr(t.Address),
		uintptr(unsafe.Pointer(&in.dims)), uintptr(unsafe.Pointer(&in.strides)), uintptr(unsafe.Pointer(&in.box)),
		uintptr(unsafe.Pointer(&in.steps)), tensorInterleaveNone, tensorSwizzles[t.Swizzle], tensorPromotion128, tensorFillZeros)
	return TensorMap(in.out[first:]), err
}
