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
