package gridstride

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/gridstride/gridstride/internal/device"
)

// Buffer is memory of a device that holds elements of type T, or a view of a part of such memory.
// It is a small value, like a Go slice: copies and views share the memory, and Free of any of them
// ends it for all.
//
// T is a type of integers, floats or complex numbers, bool, or a struct or array of these. The zero
// Buffer has no elements and fits every device.
type Buffer[T any] struct {
	mem *memory
	off int64 // of the first element, in bytes
	n   int
}

// Make allocates a buffer of n elements on the device. Its contents are undefined until a kernel or
// the host has written them (see Buffer.Write, Buffer.Fill and Buffer.Zero): unlike Go's make, it
// clears nothing. On the simulator every byte is 0xff at first, which is NaN as a float and -1 as
// an integer. On a GPU it is anything. The buffer lives until Free, or until the device is closed.
// n may be 0.
//
// Errors: ErrElement, ErrRange for a negative or absurd n, ErrOutOfMemory, ErrClosed.
func Make[T any](dev *Device, n int) (Buffer[T], error) {
	size, err := elementSize[T]()
	if err != nil {
		return Buffer[T]{}, err
	}
	mem, err := dev.make(n, size)
	if err != nil {
		return Buffer[T]{}, err
	}
	return Buffer[T]{mem: mem, n: n}, nil
}

// CopyOf allocates a buffer on the device and fills it with the elements of host. It waits for the
// copy. host may be changed afterwards.
//
// Errors: as for Make.
func CopyOf[T any](dev *Device, host []T) (Buffer[T], error) {
	b, err := Make[T](dev, len(host))
	if err != nil || len(host) == 0 {
		return b, err
	}
	if err := dev.backend.Write(b.mem.addr, bytesOf(host)); err != nil {
		_ = b.Free()
		return Buffer[T]{}, err
	}
	return b, nil
}

// FromDevicePtr is a buffer over n elements of device memory that something else owns, such as
// another library of CUDA's: ptr is its address, as [Buffer.DevicePtr] gives it. The memory belongs
// to the device's GPU, or can be reached by it, and must stay until the work that uses the buffer
// has run. Nothing here keeps it. It counts in no Usage, and Device.Close does not miss it. Free
// ends the use of the buffer and leaves the memory.
//
// On a simulated device ptr is an address in that device's own memory.
//
// Errors: ErrElement, ErrRange for a negative n or a ptr of 0, ErrClosed.
func FromDevicePtr[T any](dev *Device, ptr uintptr, n int) (Buffer[T], error) {
	size, err := elementSize[T]()
	switch {
	case err != nil:
		return Buffer[T]{}, err
	case n < 0 || int64(n) > math.MaxInt64/size:
		return Buffer[T]{}, device.Errorf(ErrRange, "from device pointer: a buffer of %d elements", n)
	case ptr == 0 && n > 0:
		return Buffer[T]{}, device.Errorf(ErrRange, "from device pointer: %d elements at address 0", n)
	case dev.closed.Load():
		return Buffer[T]{}, dev.closedError("from device pointer")
	}
	return Buffer[T]{
		mem: &memory{dev: dev, addr: uint64(ptr), size: int64(n) * size, made: device.FromHere(), foreign: true}, n: n,
	}, nil
}

// Cast views the memory of b as elements of another type: float32 as gpu.Float32x4, say. The byte
// size of b must be a multiple of U's. A view that starts where U may not lie on the device is
// refused by the launch that passes it.
//
// Errors: ErrElement, ErrRange.
func Cast[U, T any](b Buffer[T]) (Buffer[U], error) {
	size, err := elementSize[U]()
	if err != nil {
		return Buffer[U]{}, err
	}
	if bytes := b.size(); bytes%size != 0 {
		var u U
		return Buffer[U]{}, device.Errorf(ErrRange, "cast: %d elements are %d bytes, no multiple of the %d bytes of a %T", b.n, bytes, size, u)
	}
	return Buffer[U]{mem: b.mem, off: b.off, n: int(b.size() / size)}, nil
}

// Len is the number of elements.
func (b Buffer[T]) Len() int { return b.n }

// Slice is the view of the elements i to j-1, as Go's b[i:j], with 0 <= i <= j <= Len. Like that,
// it panics where the bounds are out of range.
func (b Buffer[T]) Slice(i, j int) Buffer[T] {
	if i < 0 || j < i || j > b.n {
		panic(fmt.Sprintf("gridstride: slice bounds out of range [%d:%d] of a buffer of length %d", i, j, b.n))
	}
	var t T
	return Buffer[T]{mem: b.mem, off: b.off + int64(i)*int64(unsafe.Sizeof(t)), n: j - i}
}

// Overlaps reports whether b and c share memory.
func (b Buffer[T]) Overlaps(c Buffer[T]) bool {
	switch {
	case b.mem == nil || c.mem == nil:
		return false
	case b.mem == c.mem:
	case b.mem.dev != c.mem.dev || !b.mem.foreign && !c.mem.foreign:
		return false
	}
	return max(b.addr(), c.addr()) < min(b.addr()+uint64(b.size()), c.addr()+uint64(c.size()))
}

// Aligned reports whether the address of the first element is a multiple of bytes. A kernel that
// takes the memory as vectors needs that: 16 bytes for gpu.Float32x4. A new buffer is aligned to 16
// bytes and more. A view of it may not be.
func (b Buffer[T]) Aligned(bytes int) bool { return b.addr()%uint64(bytes) == 0 }

// Check returns the error that work on s with this buffer would be refused with now, or nil. It
// queues nothing.
//
// Errors: ErrFreed, ErrClosed, ErrWrongDevice, ErrArgument for a nil stream.
func (b Buffer[T]) Check(s *Stream) error {
	if err := b.hold("check", s); err != nil {
		return err
	}
	b.release(s)
	return nil
}

// Read copies the buffer to the host after the work queued on s so far, and waits for it. It copies
// into dst if that has the capacity, else into a new slice, and returns the slice of Len elements.
// If ctx ends the wait, Read does not write to dst afterwards.
//
// Errors: ctx's, ErrFreed, ErrClosed, ErrWrongDevice, ErrArgument for a nil stream, and
// the *KernelError of a kernel that failed on s before.
func (b Buffer[T]) Read(ctx context.Context, s *Stream, dst []T) ([]T, error) {
	if err := b.hold("read", s); err != nil {
		return nil, err
	}
	defer b.release(s)
	if cap(dst) < b.n {
		dst = make([]T, b.n)
	}
	dst = dst[:b.n]
	if err := s.work(b.mem).CopyOut(ctx, bytesOf(dst), b.addr(), reflect.TypeFor[T]()); err != nil {
		return nil, err
	}
	return dst, nil
}

// Write copies src, which has Len elements, to the buffer after the work queued on s so far, and
// waits until src is no longer needed: the copy itself, and the work before it, may run later. When
// ctx ends the wait, the contents of the buffer are undefined.
//
// Errors: ErrRange where the lengths differ, otherwise as for Read. A kernel that failed before may
// be left to the next wait.
func (b Buffer[T]) Write(ctx context.Context, s *Stream, src []T) error {
	if err := b.hold("write", s); err != nil {
		return err
	}
	defer b.release(s)
	if len(src) != b.n {
		return device.Errorf(ErrRange, "write: %d elements to a buffer of %d; Slice gives a view of a part", len(src), b.n)
	}
	return s.work(b.mem).CopyIn(ctx, b.addr(), bytesOf(src))
}

// Zero queues the clearing of the buffer on s: every byte becomes 0.
//
// Errors: ErrFreed, ErrClosed, ErrWrongDevice, ErrArgument for a nil stream.
func (b Buffer[T]) Zero(s *Stream) error {
	if err := b.hold("zero", s); err != nil {
		return err
	}
	defer b.release(s)
	return s.work(b.mem).Fill(b.addr(), []byte{0}, b.size())
}

// Fill queues the filling of the buffer on s: every element becomes v.
//
// Errors: as for Zero.
func (b Buffer[T]) Fill(s *Stream, v T) error {
	if err := b.hold("fill", s); err != nil {
		return err
	}
	defer b.release(s)
	return s.work(b.mem).Fill(b.addr(), bytesOf([]T{v}), b.size())
}

// Free gives the memory back. Work that is queued already may still use it. Every later use, also
// through a view, is refused with ErrFreed. Free of the zero Buffer does nothing.
//
// Errors: ErrFreed where the memory was freed before.
func (b Buffer[T]) Free() error {
	if b.mem == nil {
		return nil
	}
	return b.mem.free()
}

// addr is the device address of the first element.
func (b Buffer[T]) addr() uint64 {
	if b.mem == nil {
		return 0
	}
	return b.mem.addr + uint64(b.off)
}

// size is the number of bytes.
func (b Buffer[T]) size() int64 {
	var t T
	return int64(b.n) * int64(unsafe.Sizeof(t))
}

// hold checks that the operation op may use the buffer on s, and keeps both from being given back
// until release.
func (b Buffer[T]) hold(op string, s *Stream) error {
	if s == nil {
		return noStream(op)
	}
	if m := b.mem; m != nil {
		if m.dev != s.dev {
			return device.Errorf(ErrWrongDevice, "%s: the buffer is on device %d, the stream on device %d", op, m.dev.id, s.dev.id)
		}
	}
	if err := s.hold(op); err != nil {
		return err
	}
	if err := b.mem.hold(op); err != nil {
		s.release()
		return err
	}
	return nil
}

func (b Buffer[T]) release(s *Stream) {
	s.release()
	b.mem.release()
}

// place is the place of the first element, for a buffer with memory.
func (b Buffer[T]) place() device.Place { return device.Place{Of: b.mem.dev.backend, Addr: b.addr()} }

// bytesOf is the memory of s.
func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
