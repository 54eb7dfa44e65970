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
	BK      int // bytes from a row of B to the next; its columns lie side by side
	CRow    int // bytes from a row of C to the next; its columns lie side by side
	Next    *T  // where the operand of the next calls lies, of which 16 bytes for each of K are prefetched; A if all is near
	Last    int // what the instruction set wants to know of the last vector of a row
	Alpha   T
	Beta    T
}

// TileSizes are the largest tiles of the micro kernels of an instruction set.
type TileSizes struct {
	Rows, Cols   int // with any number of columns, at least one
	Tall, Narrow int // taller ones with fewer columns, if there are any
}

// Fit is the largest tile for the first of so many columns. A little more columns than a narrow
// tile has are two, of which the second is half as wide.
func (s *TileSizes) Fit(columns int) (rows, cols int) {
	if columns <= s.Narrow+s.Narrow/2 {
		return s.Tall, min(columns, s.Narrow)
	}
	return s.Rows, min(columns, s.Cols)
}
