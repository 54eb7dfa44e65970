package asm

// Float are the element types that there are kernels for.
type Float interface{ float32 | float64 }

// Tile is the work of one call of a micro kernel of the matrix product: C = alpha*A*B + beta*C for
// a tile of C that fits into registers. A beta of 0 does not read C. Assembly knows the offsets of
// the fields.
type Tile[T Float] struct {
	A, B, C *T
	K       int // columns of A and rows of B
	ARow    int // bytes from a row of A to the next
	AK      int // bytes from a column of A to the next
	BK      int // bytes from a row of B to the next, whose columns are adjacent
	CRow    int // bytes from a row of C to the next, whose columns are adjacent
	Next    *T  // operand of the next calls, prefetched by 16 bytes for each of K; A if all is near
	Last    int // the instruction set's argument about the last vector of a row
	Alpha   T
	Beta    T
}

// TileSizes are the largest tiles of the micro kernels of an instruction set.
type TileSizes struct {
	Rows, Cols   int // with any number of columns, at least one
	Tall, Narrow int // taller ones with fewer columns, if there are any
}

// Fit is the largest tile for the first of columns. A few more columns than a narrow tile has are
// two tiles, the second half as wide.
func (s *TileSizes) Fit(columns int) (rows, cols int) {
	if columns <= s.Narrow+s.Narrow/2 {
		return s.Tall, min(columns, s.Narrow)
	}
	return s.Rows, min(columns, s.Cols)
}
