package tensor

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gridstride/gridstride"
	"github.com/gridstride/gridstride/gpu"
)

// Matrix is a matrix on a device: Data holds its Rows*Cols elements row after row, so that the
// element at row i and column j is Data[i*Cols+j].
type Matrix[T gpu.BFloat16 | float32] struct {
	Rows, Cols int
	Data       gridstride.Buffer[T]
}

// String is its size, "3x4".
func (m Matrix[T]) String() string { return fmt.Sprintf("%dx%d", m.Rows, m.Cols) }

// check is an error if the sizes make no sense. name is its name of the matrix.
func (m Matrix[T]) check(name string) error {
	if m.Rows < 0 || m.Cols < 0 {
		return fmt.Errorf("tensor: %s is %v: a matrix has no negative number of rows or columns", name, m)
	}
	if hi, n := bits.Mul64(uint64(m.Rows), uint64(m.Cols)); hi != 0 || n != uint64(m.Data.Len()) {
		return fmt.Errorf("tensor: %s is %v, and its buffer has %d elements", name, m, m.Data.Len())
	}
	return nil
}

// check is an error unless C = A·Bᵀ can be computed: sizes must fit each other and the buffers, and
// C must not share memory with A or B.
func check(a, b Matrix[gpu.BFloat16], c Matrix[float32]) error {
	switch err := errors.Join(a.check("A"), b.check("B"), c.check("C")); {
	case err != nil:
		return err
	case a.Cols != b.Cols:
		return fmt.Errorf("tensor: A is %v and B %v: rows of both must have as many elements", a, b)
	case c.Rows != a.Rows || c.Cols != b.Rows:
		return fmt.Errorf("tensor: A is %v and B %v, so C must be %dx%d, not %v", a, b, a.Rows, b.Rows, c)
	case overlap(c.Data, a.Data):
		return errors.New("tensor: C shares memory with A, which is read while C is written: give C another buffer")
	case overlap(c.Data, b.Data):
		return errors.New("tensor: C shares memory with B, which is read while C is written: give C another buffer")
	}
	return nil
}

// overlap is whether buffers of different types share memory.
func overlap(c gridstride.Buffer[float32], x gridstride.Buffer[gpu.BFloat16]) bool {
	bytes, err := gridstride.Cast[uint8](c)
	other, err2 := gridstride.Cast[uint8](x)
	return errors.Join(err, err2) == nil && bytes.Overlaps(other)
}
