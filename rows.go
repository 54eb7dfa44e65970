package gridstride

import (
	"unsafe"

	"github.com/gridstride/gridstride/internal/device"
)

// Rows are the rows of a matrix, or of a part of one, in a buffer: row i are the Cols elements from
// i*LD on, where LD is the leading dimension, at least Cols. Of a part of a matrix the buffer is a
// view that begins with the part.
type Rows[T any] struct {
	Buffer         Buffer[T]
	Rows, Cols, LD int
}

// CopyRows queues a copy of the rows of src to the rows of dst on s. Both have the same number of
// rows and columns and are on the device of s. Their leading dimensions may differ. CopyRows can
// pack a part of a matrix into a buffer of adjacent rows, which Read and Write then copy as a
// whole.
//
// Errors: ErrRange where rows and columns differ, where one is negative or the buffer is too short
// for them, where rows of dst overlap rows of src; ErrFreed, ErrClosed, ErrWrongDevice.
func CopyRows[T any](s *Stream, dst, src Rows[T]) error {
	if err := dst.Buffer.hold("copy rows", s); err != nil {
		return err
	}
	defer dst.Buffer.release(s)
	if err := src.Buffer.hold("copy rows", s); err != nil {
		return err
	}
	defer src.Buffer.release(s)
	if err := dst.check("dst"); err != nil {
		return err
	}
	if err := src.check("src"); err != nil {
		return err
	}
	switch {
	case dst.Rows != src.Rows || dst.Cols != src.Cols:
		return device.Errorf(ErrRange, "copy rows: %d x %d elements to %d x %d", src.Rows, src.Cols, dst.Rows, dst.Cols)
	case dst.overlaps(src):
		return device.Errorf(ErrRange, "copy rows: rows of dst overlap rows of src; copy by way of a third buffer")
	case dst.Rows == 0 || dst.Cols == 0:
		return nil
	}
	var t T
	size := int64(unsafe.Sizeof(t))
	return s.queue.CopyRows(dst.Buffer.addr(), src.Buffer.addr(), device.Rows{
		Count: int64(dst.Rows), Width: int64(dst.Cols) * size, DstPitch: int64(dst.LD) * size, SrcPitch: int64(src.LD) * size,
	})
}

// check says why the buffer does not hold the rows.
func (r *Rows[T]) check(name string) error {
	switch {
	case r.Rows < 0 || r.Cols < 0 || r.LD < r.Cols:
		return device.Errorf(ErrRange, "copy rows: %s has %d rows and %d columns, leading dimension %d", name, r.Rows, r.Cols, r.LD)
	case r.Rows > 0 && r.Cols > 0 && (r.Cols > r.Buffer.n || (r.Rows-1) > (r.Buffer.n-r.Cols)/r.LD):
		return device.Errorf(ErrRange, "copy rows: %s has %d rows and %d columns, leading dimension %d, in a buffer of %d elements", name, r.Rows, r.Cols, r.LD, r.Buffer.n)
	}
	return nil
}

// overlaps reports whether a row of r has an element in common with one of o.
func (r *Rows[T]) overlaps(o Rows[T]) bool {
	if r.Rows == 0 || r.Cols == 0 || !r.Buffer.Overlaps(o.Buffer) {
		return false
	}
	var t T
	size := int64(unsafe.Sizeof(t))
	width, pitch := int64(r.Cols)*size, int64(o.LD)*size
	for i := range int64(r.Rows) {
		at := int64(r.Buffer.addr()-o.Buffer.addr()) + i*int64(r.LD)*size // of the row, from o's first on
		for _, j := range []int64{at / pitch, at/pitch + 1} {             // no other is nearer than a pitch
			if j >= 0 && j < int64(o.Rows) && max(at-j*pitch, j*pitch-at) < width {
				return true
			}
		}
	}
	return false
}
