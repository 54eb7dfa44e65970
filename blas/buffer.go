package blas

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// buffer is memory for copies of operands, kept for the next call.
type buffer[T Float] struct{ data []T }

// buffers32 and buffers64 hold buffers of 2^i elements at index i.
var buffers32, buffers64 [bits.UintSize]sync.Pool

func bufferPool[T Float](class int) *sync.Pool {
	if kernel.Single[T]() {
		return &buffers32[class]
	}
	return &buffers64[class]
}

// getBuffer is a buffer of at least n elements, which begins at a cache line.
func getBuffer[T Float](n int) *buffer[T] {
	class := bits.Len(uint(max(n, padding) - 1))
	if b, ok := bufferPool[T](class).Get().(*buffer[T]); ok {
		return b
	}
	data := make([]T, 1<<class+padding)
	skip := -uintptr(unsafe.Pointer(&data[0])) % 64 / unsafe.Sizeof(data[0])
	return &buffer[T]{data[skip:][:1<<class]}
}

func putBuffer[T Float](b *buffer[T]) {
	bufferPool[T](bits.Len(uint(len(b.data) - 1))).Put(b)
}
