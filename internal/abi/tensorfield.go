package abi

import (
	"encoding/binary"
	"fmt"
)

// This file is about maps that a kernel makes by itself, of 128 zeros, by tensormap.replace.

// elemTypes are the types of elements by tensormap.replace's numbers (PTX ISA, tensormap.replace).
var elemTypes = map[uint64]TensorType{
	0: TensorUint8, 1: TensorUint16, 2: TensorUint32, 3: TensorInt32, 4: TensorUint64, 5: TensorInt64,
	6: TensorFloat16, 7: TensorFloat32, 9: TensorFloat64, 10: TensorBFloat16,
}

// swizzles are the swizzles in bytes by tensormap.replace's numbers.
var swizzles = []int{0, 32, 64, 128}

// ReplaceTensorField sets a field of an encoded map, by PTX's name, of a dimension if it has one
// for each. The text says which value the simulated device does not accept, and is "" after
// success.
func ReplaceTensorField(m []byte, field string, dim int, x uint64) string {
	le := binary.LittleEndian
	if le.Uint64(m) != tensorMagic {
		clear(m[:TensorMapSize])
		le.PutUint64(m, tensorMagic)
	}
	if dim < 0 || dim >= MaxTensorDims {
		return fmt.Sprintf("a tensor map has dimensions 0 to %d, and not %d", MaxTensorDims-1, dim)
	}
	unknown := fmt.Sprintf("%s %d of a tensor map is not known here", field, x)
	switch field {
	case "global_address":
		le.PutUint64(m[8:], x)
	case "rank":
		if x >= MaxTensorDims {
			return unknown
		}
		m[17] = byte(x + 1)
	case "box_dim":
		le.PutUint16(m[80+2*dim:], uint16(min(x, 1<<16-1)))
	case "global_dim":
		le.PutUint32(m[24+4*dim:], uint32(x-1))
	case "global_stride":
		le.PutUint64(m[48+8*dim:], x)
	case "elemtype":
		t, ok := elemTypes[x]
		if !ok {
			return unknown
		}
		m[16] = byte(t)
	case "swizzle_mode":
		if x >= uint64(len(swizzles)) {
			return unknown
		}
		m[18] = byte(swizzles[x])
	default:
		usual := map[string]uint64{"element_stride": 1, "interleave_layout": 0, "fill_mode": 0}
		if want, ok := usual[field]; !ok || x != want {
			return unknown
		}
	}
	return ""
}
