//go:build linux

package simdriver

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// tensorMapEncode is cuTensorMapEncodeTiled of a tensor that is not interleaved, whose elements all
// count, and whose surroundings are zeros.
func (d *driver) tensorMapEncode(
	to, kind, rank, address, dims, strides, box, steps, interleave, swizzle, promotion, fill uintptr,
) uintptr {
	if rank < 1 || rank > abi.MaxTensorDims || swizzle > 3 || interleave != 0 || fill != 0 || to%abi.TensorMapAlign != 0 {
		return code(cuda.InvalidValue)
	}
	m := abi.TensorMap{
		Type: abi.TensorType(kind), Address: uint64(address), Dims: unsafe.Slice(at[uint64](dims), rank),
		Strides: unsafe.Slice(at[uint64](strides), rank)[:rank-1], Box: unsafe.Slice(at[uint32](box), rank),
		Swizzle: []int{0, 32, 64, 128}[swizzle],
	}
	if m.Check() != "" {
		return code(cuda.InvalidValue)
	}
	*at[[abi.TensorMapSize]byte](to) = m.Encode()
	return 0
}
