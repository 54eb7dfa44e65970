package portable

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
)

// TileRows and TileCols are the size of the tile that Tile is best called with.
const (
	TileRows = 2
	TileCols = 4
)

// Tile computes a tile of rows by cols.
func Tile[T asm.Float](t *asm.Tile[T], rows, cols int) {
	size := int(unsafe.Sizeof(t.Alpha))
	for i := range rows {
		c := unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(t.C), i*t.CRow)), cols)
		for j := range cols {
			var sum T
			a, b := unsafe.Add(unsafe.Pointer(t.A), i*t.ARow), unsafe.Add(unsafe.Pointer(t.B), j*size)
			for k := range t.K {
				sum = fma(*(*T)(unsafe.Add(a, k*t.AK)), *(*T)(unsafe.Add(b, k*t.BK)), sum)
			}
			sum *= t.Alpha
			if t.Beta != 0 {
				sum = fma(c[j], t.Beta, sum)
			}
			c[j] = sum
		}
	}
}

// Transpose writes columns of rows of src as rows of dst. Strides are in elements.
func Transpose[T asm.Float](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	for r := range rows {
		for c, v := range src[r*srcStride:][:cols] {
			dst[c*dstStride+r] = v
		}
	}
}
