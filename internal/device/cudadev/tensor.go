package cudadev

import (
	"encoding/binary"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// EncodeTensorMap implements device.Backend.
func (b *Backend) EncodeTensorMap(m *abi.TensorMap) (code [abi.TensorMapSize]byte, err error) {
	if err := b.hold(); err != nil {
		return code, err
	}
	defer b.release()
	words, err := b.ctx.TensorMapEncodeTiled(&cuda.Tensor{
		Type: uint8(m.Type), Address: cuda.DevicePtr(m.Address), Dims: m.Dims, Strides: m.Strides, Box: m.Box, Swizzle: m.Swizzle,
	})
	if err != nil {
		return code, b.fail(err)
	}
	for i, w := range words {
		binary.LittleEndian.PutUint64(code[8*i:], w)
	}
	return code, nil
}
