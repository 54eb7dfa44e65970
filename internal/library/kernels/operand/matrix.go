package operand

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/internal/math/extent"
)

// Matrix is a matrix stored by rows: element (i, j) is Data[i*Stride+j].
type Matrix[T Element] struct {
	Data       gridstride.Buffer[T]
	Rows, Cols int
	Stride     int
}

// Check is an error if the matrix cannot be one. name is its name in call.
func (m Matrix[T]) Check(call, name string) error {
	switch {
	case m.Rows < 0 || m.Cols < 0:
		return Errorf(ErrShape, "%s: %s has %d rows and %d columns", call, name, m.Rows, m.Cols)
	case m.Stride < max(1, m.Cols):
		return Errorf(ErrShape, "%s: %s has %d columns and a stride of %d", call, name, m.Cols, m.Stride)
	}
	if needs, ok := extent.Matrix(m.Rows, m.Cols, m.Stride); !ok || needs > m.Data.Len() {
		return Errorf(ErrShort, "%s: the buffer of %s has %d elements, too few for %d x %d with a stride of %d",
			call, name, m.Data.Len(), m.Rows, m.Cols, m.Stride)
	}
	return nil
}

// Span is the part of the buffer between the first element and the last. The matrix is checked.
func (m Matrix[T]) Span() gridstride.Buffer[T] {
	if m.Rows == 0 || m.Cols == 0 {
		return gridstride.Buffer[T]{}
	}
	return m.Data.Slice(0, (m.Rows-1)*m.Stride+m.Cols)
}

// RowsFrom is the part with the rows from i up to j.
func (m Matrix[T]) RowsFrom(i, j int) Matrix[T] {
	if m.Cols > 0 {
		m.Data = m.Data.Slice(i*m.Stride, (j-1)*m.Stride+m.Cols)
	}
	m.Rows = j - i
	return m
}

// Overlaps reports whether matrices that are checked have an element in common. If the strides
// differ, it says so of all matrices that are inside each other.
func (m Matrix[T]) Overlaps(o Matrix[T]) bool {
	if !m.Span().Overlaps(o.Span()) {
		return false
	}
	if m.Stride != o.Stride {
		return true
	}
	apart := (int(o.Data.DevicePtr()) - int(m.Data.DevicePtr())) / int(unsafe.Sizeof(*new(T))) % m.Stride
	if apart < 0 { // columns from m's start to o's, or o's to m's
		apart += m.Stride
	}
	return apart < m.Cols || m.Stride-apart < o.Cols
}

// Overlap is [Matrix.Overlaps] for matrices whose types may differ. If they do, it reports true for
// all matrices that are inside each other.
func Overlap[T, S Element](m Matrix[T], o Matrix[S]) bool {
	if same, ok := any(o).(Matrix[T]); ok {
		return m.Overlaps(same)
	}
	return OverlapBytes(m.Span(), o.Span())
}

// OverlapBytes reports whether buffers whose types may differ have memory in common.
func OverlapBytes[T, S Element](x gridstride.Buffer[T], y gridstride.Buffer[S]) bool {
	a, err1 := gridstride.Cast[byte](x)
	b, err2 := gridstride.Cast[byte](y)
	if err := errors.Join(err1, err2); err != nil {
		panic(fmt.Sprintf("BUG: a buffer is no bytes: %v", err))
	}
	return a.Overlaps(b)
}

// asMatrix is a vector as the column of a matrix.
func (v Vector[T]) asMatrix() Matrix[T] { return Matrix[T]{v.Data, v.N, 1, max(v.Inc, -v.Inc)} }

// CheckMatrixApart is an error if a matrix and a vector, one of them written, overlap.
func CheckMatrixApart[T Element](call, nameM string, m Matrix[T], nameV string, v Vector[T]) error {
	if m.Overlaps(v.asMatrix()) {
		return Errorf(ErrOverlap, "%s: %s, %d x %d with a stride of %d, overlaps with %s, %d elements with an increment of %d",
			call, nameM, m.Rows, m.Cols, m.Stride, nameV, v.N, v.Inc)
	}
	return nil
}
