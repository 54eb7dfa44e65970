package blas

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/asm"
	"github.com/gridstride/gridstride/internal/asm/f32"
	"github.com/gridstride/gridstride/internal/asm/f64"
)

// The functions of this file choose the kernels of an element type. The size of the type is known
// when a function is compiled for it, so that nothing of the choice is left in the code.

// as32 is a slice of float32 that the compiler does not know to be one.
func as32[T Float](x []T) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// as64 is a slice of float64 that the compiler does not know to be one.
func as64[T Float](x []T) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// single reports whether T is float32.
func single[T Float]() bool {
	var v T
	return unsafe.Sizeof(v) == 4
}

func tileSize[T Float]() (rows, cols int) {
	if single[T]() {
		return f32.TileSize()
	}
	return f64.TileSize()
}

func runTile[T Float](t *asm.Tile[T], rows, cols int) {
	if single[T]() {
		f32.RunTile((*f32.Tile)(unsafe.Pointer(t)), rows, cols)
	} else {
		f64.RunTile((*f64.Tile)(unsafe.Pointer(t)), rows, cols)
	}
}

func transpose[T Float](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	if single[T]() {
		f32.Transpose(as32(dst), dstStride, as32(src), srcStride, rows, cols)
	} else {
		f64.Transpose(as64(dst), dstStride, as64(src), srcStride, rows, cols)
	}
}
