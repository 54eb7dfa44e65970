// Package kernel chooses the kernels of an element type, for generic code. The size of the type is
// known when a function is compiled for it, so that the compiled code does not choose. Vectors of
// one call are equally long.
package kernel

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/library/asm/f32"
	"github.com/gridstride/gridstride/internal/library/asm/f64"
)

// Single reports whether T is float32.
func Single[T asm.Float]() bool {
	var v T
	return unsafe.Sizeof(v) == 4
}

// As32 is a slice of float32 that the compiler does not know to be one.
func As32[T asm.Float](x []T) []float32 {
	return *(*[]float32)(unsafe.Pointer(&x))
}

// As64 is a slice of float64 that the compiler does not know to be one.
func As64[T asm.Float](x []T) []float64 {
	return *(*[]float64)(unsafe.Pointer(&x))
}

// TileSizes are the sizes of this machine's micro kernels.
func TileSizes[T asm.Float]() *asm.TileSizes {
	if Single[T]() {
		return f32.TileSizes()
	}
	return f64.TileSizes()
}

// RunTile computes a tile of rows by cols, which [asm.TileSizes.Fit] allows.
func RunTile[T asm.Float](t *asm.Tile[T], rows, cols int) {
	if Single[T]() {
		f32.RunTile((*f32.Tile)(unsafe.Pointer(t)), rows, cols)
	} else {
		f64.RunTile((*f64.Tile)(unsafe.Pointer(t)), rows, cols)
	}
}

// Transpose writes columns of rows of src as rows of dst. Strides are in elements. Of a row of dst
// it may write up to 8 elements more than there are rows, before the next one.
func Transpose[T asm.Float](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	if Single[T]() {
		f32.Transpose(As32(dst), dstStride, As32(src), srcStride, rows, cols)
	} else {
		f64.Transpose(As64(dst), dstStride, As64(src), srcStride, rows, cols)
	}
}

// Dot is the sum of x*y.
func Dot[T asm.Float](x, y []T) T {
	if Single[T]() {
		return T(f32.Dot(As32(x), As32(y)))
	}
	return T(f64.Dot(As64(x), As64(y)))
}

// Sum is the sum of x.
func Sum[T asm.Float](x []T) T {
	if Single[T]() {
		return T(f32.Sum(As32(x)))
	}
	return T(f64.Sum(As64(x)))
}

// Asum is the sum of |x|.
func Asum[T asm.Float](x []T) T {
	if Single[T]() {
		return T(f32.Asum(As32(x)))
	}
	return T(f64.Asum(As64(x)))
}

// SquaredDistance is the sum of (x-y)*(x-y).
func SquaredDistance[T asm.Float](x, y []T) T {
	if Single[T]() {
		return T(f32.SquaredDistance(As32(x), As32(y)))
	}
	return T(f64.SquaredDistance(As64(x), As64(y)))
}

// Differences are the largest of |x-y|, except NaN, and the sum of them.
func Differences[T asm.Float](x, y []T, sums *[2]T) {
	if Single[T]() {
		f32.Differences(As32(x), As32(y), (*[2]float32)(unsafe.Pointer(sums)))
	} else {
		f64.Differences(As64(x), As64(y), (*[2]float64)(unsafe.Pointer(sums)))
	}
}

// Cosine are the sums of x*y, x*x and y*y.
func Cosine[T asm.Float](x, y []T, sums *[3]T) {
	if Single[T]() {
		f32.Cosine(As32(x), As32(y), (*[3]float32)(unsafe.Pointer(sums)))
	} else {
		f64.Cosine(As64(x), As64(y), (*[3]float64)(unsafe.Pointer(sums)))
	}
}

// Compare are the sums of x*y, x*x, y*y, (x-y)*(x-y) and |x-y|.
func Compare[T asm.Float](x, y []T, sums *[5]T) {
	if Single[T]() {
		f32.Compare(As32(x), As32(y), (*[5]float32)(unsafe.Pointer(sums)))
	} else {
		f64.Compare(As64(x), As64(y), (*[5]float64)(unsafe.Pointer(sums)))
	}
}

// Moments are the sums of u, v, u*u, v*v and u*v, with u = x-x[0] and v = y-y[0].
func Moments[T asm.Float](x, y []T, sums *[5]T) {
	if Single[T]() {
		f32.Moments(As32(x), As32(y), (*[5]float32)(unsafe.Pointer(sums)))
	} else {
		f64.Moments(As64(x), As64(y), (*[5]float64)(unsafe.Pointer(sums)))
	}
}

// Axpy computes y += alpha*x.
func Axpy[T asm.Float](alpha T, x, y []T) {
	if Single[T]() {
		f32.Axpy(float32(alpha), As32(x), As32(y))
	} else {
		f64.Axpy(float64(alpha), As64(x), As64(y))
	}
}

// Scal computes x *= alpha.
func Scal[T asm.Float](alpha T, x []T) {
	if Single[T]() {
		f32.Scal(float32(alpha), As32(x))
	} else {
		f64.Scal(float64(alpha), As64(x))
	}
}

// Rot computes x, y = c*x + s*y, c*y - s*x.
func Rot[T asm.Float](x, y []T, c, s T) {
	if Single[T]() {
		f32.Rot(As32(x), As32(y), float32(c), float32(s))
	} else {
		f64.Rot(As64(x), As64(y), float64(c), float64(s))
	}
}

// Min is the smallest of x, whose length is a multiple of 64 bytes and not 0, and whether
// one is NaN; then the value says nothing.
func Min[T asm.Float](x []T) (T, bool) {
	if Single[T]() {
		m, nan := f32.Min(As32(x))
		return T(m), nan != 0
	}
	m, nan := f64.Min(As64(x))
	return T(m), nan != 0
}

// Max is the largest of x, whose length is a multiple of 64 bytes and not 0, and whether
// one is NaN; then the value says nothing.
func Max[T asm.Float](x []T) (T, bool) {
	if Single[T]() {
		m, nan := f32.Max(As32(x))
		return T(m), nan != 0
	}
	m, nan := f64.Max(As64(x))
	return T(m), nan != 0
}

// MaxAbs is the largest absolute value of x, whose length is a multiple of 64 bytes and not 0, and
// whether one is NaN; then the value says nothing.
func MaxAbs[T asm.Float](x []T) (T, bool) {
	if Single[T]() {
		m, nan := f32.MaxAbs(As32(x))
		return T(m), nan != 0
	}
	m, nan := f64.MaxAbs(As64(x))
	return T(m), nan != 0
}
