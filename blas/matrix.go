package blas

import (
	"fmt"

	"github.com/gridstride/gridstride/internal/math/extent"
)

// Matrix is a matrix stored by rows: element (i, j) is Data[i*Stride+j]. A part of a matrix is a
// matrix with the same stride.
type Matrix[T Float] struct {
	Rows, Cols int
	Stride     int // elements from a row to the next, at least Cols: BLAS's leading dimension
	Data       []T
}

// MatrixOf is a matrix of rows and columns over data, which holds rows*cols elements, or over new
// memory of zeros if data is nil.
func MatrixOf[T Float](rows, cols int, data []T) Matrix[T] {
	n, ok := extent.Product(rows, cols)
	if !ok {
		panic(fmt.Sprintf("blas: MatrixOf: %d x %d elements are negative or more than any memory holds", rows, cols))
	}
	if data == nil {
		data = make([]T, n)
	}
	m := Matrix[T]{rows, cols, max(cols, 1), data}
	if len(data) != n {
		panic(fmt.Sprintf("blas: MatrixOf: %d elements for %d x %d", len(data), rows, cols))
	}
	return m
}

// Slice is the part with the rows from i0 up to i1 and the columns from j0 up to j1, over the same
// memory.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	if i0 < 0 || i1 < i0 || i1 > m.Rows || j0 < 0 || j1 < j0 || j1 > m.Cols {
		panic(fmt.Sprintf("blas: Slice: rows %d to %d and columns %d to %d of %d x %d",
			i0, i1, j0, j1, m.Rows, m.Cols))
	}
	part := Matrix[T]{i1 - i0, j1 - j0, m.Stride, nil}
	if part.Rows > 0 && part.Cols > 0 {
		m.check("Slice", "the matrix")
		part.Data = m.Data[i0*m.Stride+j0:][:(part.Rows-1)*m.Stride+part.Cols]
	}
	return part
}

// Row is row i, over the same memory. An i that is no row panics, as does a matrix that does not fit
// in its memory.
func (m Matrix[T]) Row(i int) []T {
	if !m.hasElements() || uint(i) >= uint(m.Rows) {
		return m.noRow(i)
	}
	return m.row(i)
}

// noRow is a row of a matrix that has no elements, or no such row.
func (m Matrix[T]) noRow(i int) []T {
	m.check("Row", "the matrix")
	if uint(i) >= uint(m.Rows) {
		panic(fmt.Sprintf("blas: Row: row %d of %d x %d", i, m.Rows, m.Cols))
	}
	return nil
}

// row is row i of a matrix that is checked.
func (m *Matrix[T]) row(i int) []T {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride:][:m.Cols]
}

// hasElements reports whether the matrix can be one and is not empty.
func (m *Matrix[T]) hasElements() bool { return extent.Holds(len(m.Data), m.Rows, m.Cols, m.Stride) }

// size is how many elements are from the first to the last of a matrix that is checked.
func (m *Matrix[T]) size() int {
	n, _ := extent.Matrix(m.Rows, m.Cols, m.Stride)
	return n
}

// check panics where the matrix cannot be one.
func (m *Matrix[T]) check(function, name string) {
	if m.hasElements() {
		return
	}
	if fault := extent.MatrixFault(len(m.Data), m.Rows, m.Cols, m.Stride); fault != "" {
		panic(fmt.Sprintf("blas: %s: %s %s", function, name, fault))
	}
}

// Transpose says how a matrix is used.
type Transpose bool

// NoTrans uses a matrix as it is, Trans with rows and columns exchanged.
const (
	NoTrans Transpose = false
	Trans   Transpose = true
)

// shape is the number of rows and columns of a matrix as it is used.
func (m *Matrix[T]) shape(t Transpose) (rows, cols int) {
	if t {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

// used is a matrix as the product reads it.
func (m *Matrix[T]) used(t Transpose) operand[T] {
	if t {
		return operand[T]{m.Data, 1, m.Stride}
	}
	return operand[T]{m.Data, m.Stride, 1}
}
