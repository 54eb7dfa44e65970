package gpublas

import (
	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/library/kernels/operand"
)

// Vector is N elements of a buffer, the first one and every Inc-th from there. As in BLAS, a vector
// with a negative Inc has its first element at the far end: Data[(1-N)*Inc].
type Vector[T Element] struct {
	Data gridstride.Buffer[T]
	N    int
	Inc  int // not 0
}

// VectorOf is all elements of a buffer.
func VectorOf[T Element](data gridstride.Buffer[T]) Vector[T] { return Vector[T]{data, data.Len(), 1} }

// operand is the vector as the kernels' packages know it.
func (v Vector[T]) operand() operand.Vector[T] { return operand.Vector[T](v) }

// Matrix is a matrix stored by rows, as blas.Matrix: element (i, j) is Data[i*Stride+j]. A part of
// a matrix is a matrix with the same stride.
type Matrix[T Element] struct {
	Data       gridstride.Buffer[T]
	Rows, Cols int
	Stride     int // elements from a row to the next, at least Cols: BLAS's leading dimension
}

// MatrixOf is a matrix of rows and columns over a buffer that holds the rows one after the other.
func MatrixOf[T Element](rows, cols int, data gridstride.Buffer[T]) Matrix[T] {
	return Matrix[T]{data, rows, cols, max(cols, 1)}
}

// Slice is the part with the rows from i0 up to i1 and the columns from j0 up to j1, over the same
// memory. Where the matrix has none of these, every use of the part is refused.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	part := Matrix[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if i0 < 0 || i1 > m.Rows || j0 < 0 || j1 > m.Cols || m.operand().Check("Slice", "the matrix") != nil {
		part.Rows = -1
	} else if part.Rows > 0 && part.Cols > 0 {
		part.Data = m.Data.Slice(i0*m.Stride+j0, (i1-1)*m.Stride+j1)
	}
	return part
}

// Row is row i, over the same memory.
func (m Matrix[T]) Row(i int) Vector[T] {
	return Vector[T]{m.Slice(i, i+1, 0, m.Cols).Data, m.Cols, 1}
}

// Col is column j, over the same memory.
func (m Matrix[T]) Col(j int) Vector[T] {
	return Vector[T]{m.Slice(0, m.Rows, j, j+1).Data, m.Rows, max(m.Stride, 1)}
}

// shape is the number of rows and columns of a matrix as it is used.
func (m Matrix[T]) shape(t Transpose) (rows, cols int) {
	if t {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

// operand is the matrix as the kernels' packages know it.
func (m Matrix[T]) operand() operand.Matrix[T] { return operand.Matrix[T](m) }
