package onepass

import (
	"errors"
	"unsafe"

	"github.com/gridstride/gridstride"
)

// Work is the working memory of kernels that end with [Finish], for one stream: kernels that run
// one after the other may share it.
type Work struct {
	partial gridstride.Buffer[byte]
	Ticket  gridstride.Buffer[uint32] // one, or Tickets
}

// PartialBytes is the size of the memory for partial results, and Tickets the number of tickets.
const (
	PartialBytes = 4 << 20
	Tickets      = 1024
)

// NewWork allocates the memory, some four megabytes.
//
// Errors: [gridstride.Make]'s.
func NewWork(dev *gridstride.Device) (w Work, err error) {
	if w.partial, err = gridstride.Make[byte](dev, PartialBytes); err != nil {
		return w, err
	}
	if w.Ticket, err = gridstride.CopyOf(dev, make([]uint32, Tickets)); err != nil {
		return w, errors.Join(err, w.partial.Free())
	}
	return w, nil
}

// Partial has n elements for partial results, such as one a block: PartialBytes at most.
func Partial[A any](w Work, n int) (gridstride.Buffer[A], error) {
	var a A
	return gridstride.Cast[A](w.partial.Slice(0, n*int(unsafe.Sizeof(a))))
}

// Free gives the memory back. What is queued still runs.
func (w Work) Free() error { return errors.Join(w.partial.Free(), w.Ticket.Free()) }
