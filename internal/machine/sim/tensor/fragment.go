package tensor

// Shape is the shape of a product of matrices: D, of M rows and N columns, is A, of M rows and K
// columns, times B, of K rows and N columns, plus C.
//
// The lanes of a warp share the matrices of mma.sync. Each lane holds the same number of elements
// of a matrix, its fragment. A lane's number modulo 4 gives the column of A, D and C and the row of
// B, and the other bits of its number the other coordinate (PTX ISA, "Matrix Fragments for
// mma.m16n8k16" and similar sections, which this is in one rule).
type Shape struct{ M, N, K int }

// A is the row and the column of A's element i of a lane. A register holds perRegister elements
// that are neighbours in a row: 2 of 16 bits, 4 of 8.
func (s Shape) A(lane, i, perRegister int) (row, col int) {
	reg, part, rows := i/perRegister, i%perRegister, s.M/8
	return lane>>2 + 8*(reg%rows), perRegister*(4*(reg/rows)+lane&3) + part
}

// B is the row and the column of B's element i of a lane. The elements of a register are neighbours
// in a column.
func (s Shape) B(lane, i, perRegister int) (row, col int) {
	reg, part := i/perRegister, i%perRegister
	return perRegister*(4*reg+lane&3) + part, lane >> 2
}

// C is the row and the column of element i of a lane, of C and D.
func (s Shape) C(lane, i int) (row, col int) { return lane>>2 + 8*(i/2), 2*(lane&3) + i%2 }
