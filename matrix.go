package gridstride

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/device"
)

// Matrix is a matrix stored by rows, or a part of one: element (i, j) is Data[i*Stride+j]. Data of a
// part is a view that begins with the part.
type Matrix[T any] struct {
	Data       Buffer[T]
	Rows, Cols int
	Stride     int // elements from a row to the next, at least Cols: BLAS's leading dimension
}

// CopyMatrix queues a copy of src to dst on s. Both have the same number of rows and columns and are
// on the device of s. Their strides may differ. CopyMatrix can pack a part of a matrix into a buffer
// of adjacent rows, which Read and Write then copy as a whole.
//
// Errors: ErrRange where rows and columns differ, where one is negative or the buffer is too short
// for them, or where rows of dst overlap rows of src. ErrFreed, ErrClosed, ErrWrongDevice.
func CopyMatrix[T any](s *Stream, dst, src Matrix[T]) error {
	if err := dst.Data.hold("copy matrix", s); err != nil {
		return err
	}
	defer dst.Data.release(s)
	if err := src.Data.hold("copy matrix", s); err != nil {
		return err
	}
	defer src.Data.release(s)
	if err := dst.check("dst"); err != nil {
		return err
	}
	if err := src.check("src"); err != nil {
		return err
	}
	switch {
	case dst.Rows != src.Rows || dst.Cols != src.Cols:
		return device.Errorf(ErrRange, "copy matrix: %d x %d elements to %d x %d", src.Rows, src.Cols, dst.Rows, dst.Cols)
	case dst.overlaps(src):
		return device.Errorf(ErrRange, "copy matrix: rows of dst overlap rows of src; copy by way of a third buffer")
	case dst.Rows == 0 || dst.Cols == 0:
		return nil
	}
	var t T
	size := int64(unsafe.Sizeof(t))
	return s.work(dst.Data.mem, src.Data.mem).CopyRows(dst.Data.addr(), src.Data.addr(), device.Rows{
		Count: int64(dst.Rows), Width: int64(dst.Cols) * size, DstPitch: int64(dst.Stride) * size, SrcPitch: int64(src.Stride) * size,
	})
}

// check says why the buffer does not hold the rows.
func (r *Matrix[T]) check(name string) error {
	switch {
	case r.Rows < 0 || r.Cols < 0 || r.Stride < r.Cols:
		return device.Errorf(ErrRange, "copy matrix: %s has %d rows and %d columns, stride %d", name, r.Rows, r.Cols, r.Stride)
	case r.Rows > 0 && r.Cols > 0 && (r.Cols > r.Data.n || (r.Rows-1) > (r.Data.n-r.Cols)/r.Stride):
		return device.Errorf(ErrRange, "copy matrix: %s has %d rows and %d columns, stride %d, in a buffer of %d elements", name, r.Rows, r.Cols, r.Stride, r.Data.n)
	}
	return nil
}

// overlaps reports whether a row of r has an element in common with one of o.
func (r *Matrix[T]) overlaps(o Matrix[T]) bool {
	if r.Rows == 0 || r.Cols == 0 || !r.Data.Overlaps(o.Data) {
		return false
	}
	var t T
	size := int64(unsafe.Sizeof(t))
	width, pitch := int64(r.Cols)*size, int64(o.Stride)*size
	for i := range int64(r.Rows) {
		at := int64(r.Data.addr()-o.Data.addr()) + i*int64(r.Stride)*size // of the row, from o's first on
		for _, j := range []int64{at / pitch, at/pitch + 1} {             // no other is nearer than a pitch
			if j >= 0 && j < int64(o.Rows) && max(at-j*pitch, j*pitch-at) < width {
				return true
			}
		}
	}
	return false
}
