package gridstride

import (
	"fmt"
	"os"
	"reflect"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/tools/count"
)

// Pinned is host memory of n elements that the system keeps in place, so that a GPU can read and
// write it directly. Copies from and to it run at the bus's speed, concurrently with the program
// and with kernels of other streams. Ordinary slices are copied through such memory, which costs
// the processor one more copy. It is a small value. Copies and views share the memory.
//
// It is memory for what is copied again and again: pinning takes time, about as long as copying the
// memory a few times, and takes the memory from the rest of the system.
type Pinned[T any] struct {
	block *pinnedMemory
	data  []T
}

// pinnedMemory is the memory that views share.
type pinnedMemory struct {
	dev  *Device
	mem  []byte
	life device.Lifetime
	made device.Caller
}

// MakePinned makes pinned memory of n zero elements for copies from and to a device. It lives until
// Free, or until the device is closed. Its elements can be used after that, as ordinary memory. n
// may be 0.
//
// Errors: ErrElement, ErrRange for a negative or absurd n, ErrClosed, and the driver's error if the
// system cannot pin n elements.
func MakePinned[T any](dev *Device, n int) (Pinned[T], error) {
	size, err := elementSize[T]()
	if err != nil {
		return Pinned[T]{}, err
	}
	const most = 1 << 47 // the largest address space
	if n < 0 || int64(n) > most/size {
		return Pinned[T]{}, device.Errorf(ErrRange, "pin: a buffer of %d elements of %s; want 0 to %d", n, count.Of(int(size), "byte"), most/size)
	}
	if dev.closed.Load() {
		return Pinned[T]{}, dev.closedError("pin")
	}
	block := &pinnedMemory{dev: dev, mem: wholePages(int64(n) * size), made: device.FromHere()}
	if err := dev.backend.Pin(block.mem); err != nil {
		return Pinned[T]{}, err
	}
	return Pinned[T]{block, unsafe.Slice((*T)(unsafe.Pointer(&block.mem[0])), n)}, nil
}

// wholePages is zero memory of at least size bytes that shares no page with other memory.
func wholePages(size int64) []byte {
	page := int64(os.Getpagesize())
	size = max(size+page-1, page) / page * page
	mem := make([]byte, size+page)
	skip := int64(-uintptr(unsafe.Pointer(&mem[0])) & uintptr(page-1))
	return mem[skip : skip+size : skip+size]
}

// Data is the memory itself. While a copy from or to it is queued it must be left alone.
func (p Pinned[T]) Data() []T { return p.data }

// Len is the number of elements.
func (p Pinned[T]) Len() int { return len(p.data) }

// Slice is the view of the elements i to j-1, as Go's p[i:j], with 0 <= i <= j <= Len. Like that,
// it panics where the bounds are out of range.
func (p Pinned[T]) Slice(i, j int) Pinned[T] {
	if i < 0 || j < i || j > p.Len() {
		panic(fmt.Sprintf("gridstride: slice bounds out of range [%d:%d] of pinned memory of length %d", i, j, p.Len()))
	}
	return Pinned[T]{p.block, p.data[i:j:j]}
}

// Free makes the memory ordinary again, after the copies that are queued. The data does not change.
// The Pinned and its views are refused with ErrFreed from now on. Free of the zero Pinned does
// nothing.
//
// Errors: ErrFreed if it was freed before.
func (p Pinned[T]) Free() error {
	if p.block == nil {
		return nil
	}
	first, now := p.block.life.End()
	if !first {
		return device.Errorf(ErrFreed, "free: the pinned memory made at %v was freed", &p.block.made)
	}
	if now {
		p.block.give()
	}
	return nil
}

func (m *pinnedMemory) give() { m.dev.backend.Unpin(m.mem) }

// WriteAsync queues a copy of src, which has Len elements, to the buffer on s, and does not wait:
// src must be left as it is until the copy has run (see Stream.Record).
//
// Errors: ErrRange where the lengths differ, ErrFreed, ErrClosed, ErrWrongDevice, ErrArgument for a
// nil stream.
func (b Buffer[T]) WriteAsync(s *Stream, src Pinned[T]) error {
	return b.async("write", s, src, func(mem []byte) error { return s.workPinned(src.block, b.mem).StartIn(b.addr(), mem) })
}

// ReadAsync queues a copy of the buffer to dst, which has Len elements, on s, and does not wait:
// dst holds the elements when the copy has run, and must be left alone until then (see
// Stream.Record).
//
// Errors: as for WriteAsync.
func (b Buffer[T]) ReadAsync(s *Stream, dst Pinned[T]) error {
	return b.async("read", s, dst, func(mem []byte) error {
		return s.workPinned(dst.block, b.mem).StartOut(mem, b.addr(), reflect.TypeFor[T]())
	})
}

// async checks a copy between the buffer and pinned memory, and calls start with everything held.
func (b Buffer[T]) async(op string, s *Stream, p Pinned[T], start func(mem []byte) error) error {
	if err := b.hold(op, s); err != nil {
		return err
	}
	defer b.release(s)
	switch {
	case p.Len() != b.n:
		return device.Errorf(ErrRange, "%s: %d pinned elements for a buffer of %d; Slice gives a view of a part", op, p.Len(), b.n)
	case b.n == 0:
		return nil
	case p.block == nil:
		return device.Errorf(ErrFreed, "%s: the zero Pinned has no memory", op)
	case p.block.dev != s.dev:
		return device.Errorf(ErrWrongDevice, "%s: the pinned memory is for device %d, the stream on device %d", op, p.block.dev.id, s.dev.id)
	case !p.block.life.Hold():
		return device.Errorf(ErrFreed, "%s: the pinned memory made at %v was freed", op, &p.block.made)
	}
	defer func() {
		if p.block.life.Release() {
			p.block.give()
		}
	}()
	return start(bytesOf(p.data))
}
