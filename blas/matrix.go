package blas

import "fmt"

// Matrix is a matrix stored by rows: element (i, j) is Data[i*Stride+j]. A part of a matrix is a
// matrix with the same stride.
type Matrix[T Float] struct {
	Rows, Cols int
	Stride     int // elements from a row to the next, at least Cols: BLAS's leading dimension
	Data       []T
}

// NewMatrix is a matrix of rows and columns over data, which holds rows*cols elements, or over new
// memory of zeros if data is nil.
func NewMatrix[T Float](rows, cols int, data []T) Matrix[T] {
	if data == nil {
		data = make([]T, max(rows, 0)*max(cols, 0))
	}
	m := Matrix[T]{rows, cols, max(cols, 1), data}
	m.check("NewMatrix", "the matrix")
	if len(data) != rows*cols {
		panic(fmt.Sprintf("blas: NewMatrix: %d elements for %d x %d", len(data), rows, cols))
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
		part.Data = m.Data[i0*m.Stride+j0:][:(part.Rows-1)*m.Stride+part.Cols]
	}
	return part
}

// Row is row i, over the same memory.
func (m Matrix[T]) Row(i int) []T {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride:][:m.Cols]
}

// valid reports whether the matrix can be one.
func (m *Matrix[T]) valid() bool {
	return m.Rows >= 0 && m.Cols >= 0 && m.Stride >= max(1, m.Cols) &&
		(m.Rows == 0 || m.Cols == 0 || len(m.Data) >= (m.Rows-1)*m.Stride+m.Cols)
}

// hasElements reports whether the matrix can be one and is not empty: no difference is negative
// then.
func (m *Matrix[T]) hasElements() bool {
	return (m.Rows-1)|(m.Cols-1)|(m.Stride-m.Cols)|(len(m.Data)-(m.Rows-1)*m.Stride-m.Cols) >= 0
}

// check panics where the matrix cannot be one.
func (m *Matrix[T]) check(function, name string) {
	switch {
	case m.valid():
	case m.Rows < 0 || m.Cols < 0:
		panic(fmt.Sprintf("blas: %s: %s has %d rows and %d columns", function, name, m.Rows, m.Cols))
	case m.Stride < max(1, m.Cols):
		panic(fmt.Sprintf("blas: %s: %s has %d columns and a stride of %d",
			function, name, m.Cols, m.Stride))
	default:
		panic(fmt.Sprintf("blas: %s: %s is %d x %d with a stride of %d and has %d elements: it needs %d",
			function, name, m.Rows, m.Cols, m.Stride, len(m.Data), (m.Rows-1)*m.Stride+m.Cols))
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
