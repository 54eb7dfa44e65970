package gpu

import "unsafe"

// A warp reads fragments from shared memory, and writes them there, in lines of 16 bytes: rows of a
// matrix that is stored by rows, or columns of one that is stored by columns. Each lane gives the
// address of a line, and the methods RowAt and ColumnAt of a fragment say where in the matrix the
// lane's line begins. The address is a multiple of 16. So the lines of a tile may be anywhere, for
// example shifted or exchanged to keep them in different banks.

// Fragment is a lane's fragment of a matrix of T.
type Fragment[T any] interface {
	~[1]T | ~[2]T | ~[4]T | ~[8]T | ~[16]T
}

// LdMatrixRows is a lane's fragment of a matrix stored by rows in shared memory. row is the lane's
// line, at RowAt. F is a fragment of A, or with elements of 16 bits one of B or C. All 32 lanes
// make the call together. PTX's ldmatrix, with .trans for B. The GPU must be a 7.5 or newer:
// //gpu:kernel target=sm_75.
//
//	r, c := a.RowAt(gpu.LaneID())
//	a = gpu.LdMatrixRows[gpu.A16x16[gpu.Float16]](&tile[r*width+c])
func LdMatrixRows[F Fragment[T], T any](row *T) F {
	panic(hostCall("LdMatrixRows"))
}

// LdMatrixColumns is [LdMatrixRows] of a matrix stored by columns in shared memory. column is the
// lane's line, at ColumnAt. F is a fragment of B, or with elements of 16 bits one of A or C. PTX's
// ldmatrix, with .trans for A and C.
func LdMatrixColumns[F Fragment[T], T any](column *T) F {
	panic(hostCall("LdMatrixColumns"))
}

// LdMatrixRows2 is the fragments of two matrices at once, in the time of one [LdMatrixRows]. Lanes
// 0 to 15 give the lines of the first matrix, and lane 16+i the second's line at RowAt(i). F has at
// most 16 lines, like B16x8 of 16 bits.
func LdMatrixRows2[F Fragment[T], T any](row *T) [2]F {
	panic(hostCall("LdMatrixRows2"))
}

// LdMatrixColumns2 is the fragments of two matrices at once, like [LdMatrixRows2], of matrices
// stored by columns.
func LdMatrixColumns2[F Fragment[T], T any](column *T) [2]F {
	panic(hostCall("LdMatrixColumns2"))
}

// StMatrixRows writes a matrix of elements of 16 bits to shared memory by rows. row is the lane's
// line, at RowAt. All 32 lanes make the call together. PTX's stmatrix, with .trans for B. The GPU
// must be a 9.0 or newer: //gpu:kernel target=sm_90.
func StMatrixRows[F Fragment[T], T any](row *T, f F) {
	onHost("StMatrixRows")
}

// StMatrixColumns is [StMatrixRows] by columns. column is the lane's line, at ColumnAt. PTX's
// stmatrix, with .trans for A and C.
func StMatrixColumns[F Fragment[T], T any](column *T, f F) {
	onHost("StMatrixColumns")
}

// RowAt is where a lane's row begins.
func (f A8x4[T]) RowAt(lane int) (row, col int) { return rowOfA[T](1, len(f), lane) }

// RowAt is where a lane's row begins.
func (f A16x4[T]) RowAt(lane int) (row, col int) { return rowOfA[T](2, len(f), lane) }

// RowAt is where a lane's row begins.
func (f A16x8[T]) RowAt(lane int) (row, col int) { return rowOfA[T](2, len(f), lane) }

// ColumnAt is where a lane's column begins, of 16-bit elements.
func (f A16x8[T]) ColumnAt(lane int) (row, col int) { return columnOfA[T](2, len(f), lane) }

// RowAt is where a lane's row begins.
func (f A16x16[T]) RowAt(lane int) (row, col int) { return rowOfA[T](2, len(f), lane) }

// ColumnAt is where a lane's column begins, of 16-bit elements.
func (f A16x16[T]) ColumnAt(lane int) (row, col int) { return columnOfA[T](2, len(f), lane) }

// RowAt is where a lane's row begins.
func (f A16x32[T]) RowAt(lane int) (row, col int) { return rowOfA[T](2, len(f), lane) }

// ColumnAt is where a lane's column begins.
func (f B4x8[T]) ColumnAt(lane int) (row, col int) { return columnOfB[T](len(f), lane) }

// ColumnAt is where a lane's column begins.
func (f B8x8[T]) ColumnAt(lane int) (row, col int) { return columnOfB[T](len(f), lane) }

// RowAt is where a lane's row begins, of 16-bit elements.
func (f B8x8[T]) RowAt(lane int) (row, col int) { return rowOfB[T](len(f), lane) }

// ColumnAt is where a lane's column begins.
func (f B16x8[T]) ColumnAt(lane int) (row, col int) { return columnOfB[T](len(f), lane) }

// RowAt is where a lane's row begins, of 16-bit elements.
func (f B16x8[T]) RowAt(lane int) (row, col int) { return rowOfB[T](len(f), lane) }

// ColumnAt is where a lane's column begins.
func (f B32x8[T]) ColumnAt(lane int) (row, col int) { return columnOfB[T](len(f), lane) }

// RowAt is where a lane's row begins, of 16-bit elements.
func (f C8x8[T]) RowAt(lane int) (row, col int) { return rowOfB[T](len(f), lane) }

// ColumnAt is where a lane's column begins, of 16-bit elements.
func (f C8x8[T]) ColumnAt(lane int) (row, col int) { return columnOfA[T](1, len(f), lane) }

// RowAt is where a lane's row begins, of 16-bit elements.
func (f C16x8[T]) RowAt(lane int) (row, col int) { return rowOfB[T](len(f), lane) }

// ColumnAt is where a lane's column begins, of 16-bit elements.
func (f C16x8[T]) ColumnAt(lane int) (row, col int) { return columnOfA[T](2, len(f), lane) }

// A fragment is made of matrices of eight lines, each of 16 bytes. part is the matrix of a lane's
// line, in a fragment with that number of elements.
func part[T any](elements, lane int) (part, perLine int) {
	var x T
	size := int(unsafe.Sizeof(x))
	return lane / 8 % max(elements*size/4, 1), 16 / size
}

// rowOfA is the start of a row of A, which has eights times eight rows.
func rowOfA[T any](eights, elements, lane int) (row, col int) {
	p, n := part[T](elements, lane)
	return lane%8 + 8*(p%eights), n * (p / eights)
}

// columnOfA is where a column of A or C begins.
func columnOfA[T any](eights, elements, lane int) (row, col int) {
	p, n := part[T](elements, lane)
	return n * (p % eights), lane%8 + 8*(p/eights)
}

// columnOfB is where a column of B begins.
func columnOfB[T any](elements, lane int) (row, col int) {
	p, n := part[T](elements, lane)
	return n * p, lane % 8
}

// rowOfB is where a row of B or C begins.
func rowOfB[T any](elements, lane int) (row, col int) {
	p, _ := part[T](elements, lane)
	return lane%8 + 8*p, 0
}
