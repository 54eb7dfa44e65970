package abi

import (
	"encoding/binary"
	"fmt"
)

// TensorMap says where an array of 1 to 5 dimensions is in global memory, and in which boxes
// kernels copy it: the arguments of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map Object
// Management"). The first dimension is the one whose elements are side by side.
type TensorMap struct {
	Type    TensorType
	Address uint64
	Dims    []uint64 // elements
	Strides []uint64 // bytes between neighbours in each dimension but the first
	Box     []uint32 // elements
	Swizzle int      // bytes: 0, 32, 64 or 128
}

// TensorType is a type of elements, with the driver's numbers (CUtensorMapDataType).
type TensorType uint8

// The types of elements.
const (
	TensorUint8 TensorType = iota
	TensorUint16
	TensorUint32
	TensorInt32
	TensorUint64
	TensorInt64
	TensorFloat16
	TensorFloat32
	TensorFloat64
	TensorBFloat16
	tensorFloat32FTZ // which nothing makes
	TensorTF32       // of float32, which copies to shared memory round
)

// Size is the size of an element in bytes.
func (t TensorType) Size() int {
	return []int{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4}[t]
}

// The limits of a tensor map.
const (
	TensorMapSize  = 128 // bytes of an encoded map, as a kernel's parameter
	TensorMapAlign = 64  // of that parameter
	MaxTensorDims  = 5
	MaxTensorBox   = 256 // elements of a box in a dimension
	tensorUnit     = 16  // addresses, strides and rows of a box are multiples of it, in bytes
	maxTensorDim   = 1 << 32
	maxTensorSpan  = 1 << 40 // bytes of a stride
)

// Pitch is the distance of two rows of a box in shared memory, in bytes: with a swizzle its size,
// also if a row is shorter, as on an H200. Copies do not touch the bytes between.
func (m *TensorMap) Pitch() int {
	if m.Swizzle != 0 {
		return m.Swizzle
	}
	return int(m.Box[0]) * m.Type.Size()
}

// BoxBytes is how many bytes a box has.
func (m *TensorMap) BoxBytes() int {
	n := m.Type.Size()
	for _, b := range m.Box {
		n *= int(b)
	}
	return n
}

// Span is the number of bytes from the first element to the end of the last.
func (m *TensorMap) Span() uint64 {
	n := m.Dims[0] * uint64(m.Type.Size())
	for i, s := range m.Strides {
		n += (m.Dims[i+1] - 1) * s
	}
	return n
}

// Check says which part of the map a GPU does not accept, or "" if it accepts all. It does not look
// at the memory.
func (m *TensorMap) Check() (why string) {
	rank, size := len(m.Dims), m.Type.Size()
	switch {
	case rank < 1 || rank > MaxTensorDims:
		return fmt.Sprintf("it has %d dimensions, and a tensor map has 1 to %d", rank, MaxTensorDims)
	case len(m.Strides) != rank-1:
		return fmt.Sprintf("it has %d dimensions and %d strides: each dimension but the first has one", rank, len(m.Strides))
	case len(m.Box) != rank:
		return fmt.Sprintf("it has %d dimensions, and its box %d", rank, len(m.Box))
	case m.Address%tensorUnit != 0:
		return fmt.Sprintf("its first element is at %#x, no multiple of %d bytes", m.Address, tensorUnit)
	}
	for i, n := range m.Dims {
		switch {
		case n < 1 || n > maxTensorDim:
			return fmt.Sprintf("dimension %d has %d elements, and it may have 1 to %d", i, n, uint64(maxTensorDim))
		case m.Box[i] < 1 || m.Box[i] > MaxTensorBox:
			return fmt.Sprintf("the box has %d elements in dimension %d, and it may have 1 to %d", m.Box[i], i, MaxTensorBox)
		}
	}
	for i, s := range m.Strides {
		if s%tensorUnit != 0 || s >= maxTensorSpan {
			return fmt.Sprintf("the stride of dimension %d is %d bytes, and it must be a multiple of %d below 2^40", i+1, s, tensorUnit)
		}
	}
	row := int(m.Box[0]) * size
	switch {
	case row%tensorUnit != 0:
		return fmt.Sprintf("a row of the box has %d bytes, no multiple of %d", row, tensorUnit)
	case m.Swizzle != 0 && m.Swizzle != 32 && m.Swizzle != 64 && m.Swizzle != 128:
		return fmt.Sprintf("the swizzle has %d bytes, and it may have 0, 32, 64 or 128", m.Swizzle)
	case m.Swizzle != 0 && row > m.Swizzle:
		return fmt.Sprintf("a row of the box has %d bytes, more than the %d of the swizzle", row, m.Swizzle)
	}
	return ""
}

// SwizzleAlign is the alignment in bytes that a box needs in shared memory, so that the swizzle
// gives the place of each byte of the box.
func SwizzleAlign(swizzle int) int { return max(128, 8*swizzle) }

// tensorMagic begins a map of the simulated device: the driver's are none that it can read.
const tensorMagic = 0x70616d20726f736e

// Encode writes a checked map as the simulated device takes it.
func (m *TensorMap) Encode() (out [TensorMapSize]byte) {
	le := binary.LittleEndian
	le.PutUint64(out[0:], tensorMagic)
	le.PutUint64(out[8:], m.Address)
	out[16], out[17], out[18] = byte(m.Type), byte(len(m.Dims)), byte(m.Swizzle)
	for i := range m.Dims {
		le.PutUint32(out[24+4*i:], uint32(m.Dims[i]-1))
		le.PutUint16(out[80+2*i:], uint16(m.Box[i]))
	}
	for i, s := range m.Strides {
		le.PutUint64(out[48+8*i:], s)
	}
	return out
}

// DecodeTensorMap reads what Encode wrote; false for anything else.
func DecodeTensorMap(in []byte) (m TensorMap, ok bool) {
	le := binary.LittleEndian
	if len(in) < TensorMapSize || le.Uint64(in) != tensorMagic {
		return m, false
	}
	m.Address, m.Type, m.Swizzle = le.Uint64(in[8:]), TensorType(in[16]), int(in[18])
	for i := range int(in[17]) {
		m.Dims = append(m.Dims, uint64(le.Uint32(in[24+4*i:]))+1)
		m.Box = append(m.Box, uint32(le.Uint16(in[80+2*i:])))
		if i > 0 {
			m.Strides = append(m.Strides, le.Uint64(in[40+8*i:]))
		}
	}
	return m, true
}
