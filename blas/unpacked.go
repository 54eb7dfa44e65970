package blas

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/asm"
	"github.com/gridstride/gridstride/internal/asm/kernel"
)

// unpackedSize is how many elements an operand may have that is read where it lies: then it stays
// in the caches. The columns of B must lie together.
const unpackedSize = 96 * 96

// isSmall reports whether the product of m by k and k by n elements, not none, is a small one.
func isSmall(m, n, k int) bool {
	return m*k <= unpackedSize && k*n <= unpackedSize && m*n != 0 && k != 0
}

// unpacked computes a small product from the operands where they lie. No dimension is 0. A call
// may take no longer than the product, so it writes the work of the micro kernels down once.
func unpacked[T Float](transA Transpose, k int, alpha T, a, b *Matrix[T], beta T, c *Matrix[T]) {
	size := int(unsafe.Sizeof(alpha))
	m, n := c.Rows, c.Cols
	aRow, aCol := a.Stride, 1
	if transA {
		aRow, aCol = 1, a.Stride
	}
	var t asm.Tile[T] // field by field, since the compiler would copy a literal
	t.ARow, t.AK, t.BK, t.CRow = aRow*size, aCol*size, b.Stride*size, c.Stride*size
	t.Alpha, t.Beta = alpha, beta
	var tiles tileSizes
	tiles.rows, tiles.cols = kernel.TileSize[T]()
	tiles.tall, tiles.narrow = kernel.TallTile[T]()
	height, width := tiles.fit(n)
	if m <= height && n == width && k <= depth[T]() {
		t.A, t.B, t.C, t.Next, t.K = &a.Data[0], &b.Data[0], &c.Data[0], &a.Data[0], k
		kernel.RunTile(&t, m, n)
		return
	}
	_, length := blocks[T](k)
	for k0 := 0; k0 < k; k0 += length {
		t.K = min(length, k-k0)
		for j := 0; j < n; j += width {
			if height, width = tiles.fit(n - j); m > height {
				height = panels(m, panels(m, height)) // as high as each other: a low tile waits for its sums
			}
			t.B = &b.Data[k0*b.Stride+j]
			for i := 0; i < m; i += height {
				t.A = &a.Data[i*aRow+k0*aCol]
				t.C = &c.Data[i*c.Stride+j]
				t.Next = t.A
				kernel.RunTile(&t, min(height, m-i), width)
			}
		}
		t.Beta = 1
	}
}

// tileSizes are the largest tiles: with any number of columns up to cols, and taller ones with up to
// narrow.
type tileSizes struct{ rows, cols, tall, narrow int }

// fit is the largest tile for the first of so many columns. A little more than a narrow tile is two,
// of which the second is half as wide.
func (s *tileSizes) fit(columns int) (height, width int) {
	if columns <= s.narrow+s.narrow/2 {
		return s.tall, min(columns, s.narrow)
	}
	return s.rows, min(columns, s.cols)
}
