package fast

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gridstride/gridstride"
)

// Float is the element types.
type Float interface{ float32 | float64 }

// Matrix is a matrix on a device: Data holds its Rows*Cols elements row after row, so that the
// element at row i and column j is Data[i*Cols+j].
type Matrix[T Float] struct {
	Rows, Cols int
	Data       gridstride.Buffer[T]
}

// String is its size, "3x4".
func (m Matrix[T]) String() string { return fmt.Sprintf("%dx%d", m.Rows, m.Cols) }

// check is an error if the sizes make no sense. name is its name of the matrix.
func (m Matrix[T]) check(name string) error {
	if m.Rows < 0 || m.Cols < 0 {
		return fmt.Errorf("matmul: %s is %v: a matrix has no negative number of rows or columns", name, m)
	}
	if hi, n := bits.Mul64(uint64(m.Rows), uint64(m.Cols)); hi != 0 || n != uint64(m.Data.Len()) {
		return fmt.Errorf("matmul: %s is %v, and its buffer has %d elements", name, m, m.Data.Len())
	}
	return nil
}

// Check is an error unless C = A·B can be computed: sizes must fit each other and the buffers, and
// C must not share memory with A or B.
func Check[T Float](a, b, c Matrix[T]) error {
	for _, err := range []error{a.check("A"), b.check("B"), c.check("C")} {
		if err != nil {
			return err
		}
	}
	switch {
	case a.Cols != b.Rows:
		return fmt.Errorf("matmul: A is %v and B %v: B must have as many rows as A has columns", a, b)
	case c.Rows != a.Rows || c.Cols != b.Cols:
		return fmt.Errorf("matmul: A is %v and B %v, so C must be %dx%d, not %v", a, b, a.Rows, b.Cols, c)
	case c.Data.Overlaps(a.Data):
		return errors.New("matmul: C shares memory with A, which is read while C is written: give C another buffer")
	case c.Data.Overlaps(b.Data):
		return errors.New("matmul: C shares memory with B, which is read while C is written: give C another buffer")
	}
	return nil
}
