package segment

import (
	"encoding/binary"
	"unsafe"
)

// The arrays of a segment are little-endian in a file. Where the processor is, too, an array and
// its bytes are the same memory.

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

type word interface{ uint32 | uint64 | float32 }

// bytesOf returns the bytes of an array in a file.
func bytesOf[T word](a []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*size)
	}
	b := make([]byte, len(a)*size)
	swapInto(b, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*size), size)
	return b
}

// arrayOf returns the array of bytes of a file, and whether its last element is whole. It is the
// same memory where that is possible.
func arrayOf[T word](b []byte) (a []T, whole bool) {
	size := int(unsafe.Sizeof(*new(T)))
	whole = len(b)%size == 0
	if n := len(b) / size; littleEndian && uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(size) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n), whole
	}
	a = make([]T, len(b)/size)
	to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*size)
	if copy(to, b); !littleEndian {
		swapInto(to, b, size)
	}
	return a, whole
}

func swapInto(dst, src []byte, size int) {
	for i := range dst {
		dst[i] = src[i-i%size+size-1-i%size]
	}
}
