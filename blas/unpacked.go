package blas

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/library/asm"
	"github.com/gridstride/gridstride/internal/library/asm/f32"
	"github.com/gridstride/gridstride/internal/library/asm/f64"
	"github.com/gridstride/gridstride/internal/library/asm/kernel"
)

// unpackedSize is the largest number of elements of an operand that is read in place: it stays in
// the caches. The columns of B must be adjacent.
const unpackedSize = 96 * 96

// isSmall reports whether the product of m by k and k by n elements is a small one.
func isSmall(m, n, k int) bool {
	return m*k <= unpackedSize && k*n <= unpackedSize
}

// unpacked computes a small product from the operands in place. No dimension is 0. The calls must
// not take longer than the product, so unpacked prepares the work of the micro kernels once, and
// calls one directly if one is enough.
func unpacked[T Float](transA Transpose, k int, alpha T, a, b *Matrix[T], beta T, c *Matrix[T]) {
	var t asm.Tile[T] // field by field, since the compiler would copy a literal
	size, row, col := int(unsafe.Sizeof(alpha)), a.Stride, 1
	if transA {
		row, col = col, row
	}
	t.ARow, t.AK, t.BK, t.CRow = row*size, col*size, b.Stride*size, c.Stride*size
	t.Alpha, t.Beta = alpha, beta
	sizes := kernel.TileSizes[T]()
	height, width := sizes.Fit(c.Cols)
	if c.Rows > height || c.Cols != width || k > depth[T]() {
		tiles(&t, k, a.Data, row, col, b, c)
		return
	}
	t.A, t.B, t.C, t.Next, t.K = &a.Data[0], &b.Data[0], &c.Data[0], &a.Data[0], k
	if kernel.Single[T]() {
		f32.RunTile((*f32.Tile)(unsafe.Pointer(&t)), c.Rows, c.Cols)
	} else {
		f64.RunTile((*f64.Tile)(unsafe.Pointer(&t)), c.Rows, c.Cols)
	}
}

// tiles computes a small product of several tiles. Element (i, p) of A is a[i*row + p*col].
func tiles[T Float](t *asm.Tile[T], k int, a []T, row, col int, b, c *Matrix[T]) {
	sizes := kernel.TileSizes[T]()
	_, length := blocks[T](k)
	for k0 := 0; k0 < k; k0 += length {
		t.K = min(length, k-k0)
		for j, width := 0, 0; j < c.Cols; j += width {
			var height int
			if height, width = sizes.Fit(c.Cols - j); c.Rows > height {
				height = panels(c.Rows, panels(c.Rows, height)) // as high as each other: a low tile waits for its sums
			}
			t.B = &b.Data[k0*b.Stride+j]
			for i := 0; i < c.Rows; i += height {
				t.A = &a[i*row+k0*col]
				t.C = &c.Data[i*c.Stride+j]
				t.Next = t.A
				kernel.RunTile(t, min(height, c.Rows-i), width)
			}
		}
		t.Beta = 1
	}
}
