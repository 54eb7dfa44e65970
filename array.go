package gridstride

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
)

// Array is CUDA's array: texels of type T in one to three dimensions, in an order of memory that the
// device chooses for fetches of neighbours. Kernels read an array by a texture object, and read and
// write it by a surface object. It is a small value. Copies share the memory.
//
// T is an integer of 8, 16 or 32 bits, a float32 or a gpu.Float16, or an array or a struct of two or
// four equal ones, its channels: [4]uint8, gpu.Float32x2. The zero Array has no texels.
type Array[T any] struct {
	mem  *memory
	desc *abi.Array
}

// ArrayShape is the shape of an array, and what it is for.
type ArrayShape struct {
	// Width, Height and Depth are in texels. An array of one dimension has no Height, and one of
	// two dimensions no Depth: 0.
	Width, Height, Depth int
	// Layers is the number of layers of one or two dimensions, 0 for an array without layers.
	Layers int
	// Cube makes the array, or each of its layers, the six faces of a cube: squares of two
	// dimensions, in the order +x, -x, +y, -y, +z, -z.
	Cube bool
	// Surface lets the array have surface objects. Gather lets kernels gather (tld4) from the textures
	// of an array of two dimensions.
	Surface, Gather bool
}

// MakeArray makes an array with undefined texels. It lives until Free, or until the device is
// closed.
//
// GPUs from compute capability 7.0 on have these limits, and so has the simulator: 131072 texels of
// one dimension, 32768 in layers or for surfaces. 131072 by 65536 of two, 32768 by 32768 in layers,
// in cubes or for gathers. 16384 in each of three. 2048 layers, or 341 of cubes.
//
// Errors: ErrElement, ErrRange for a shape that no array has, ErrOutOfMemory, ErrClosed.
func MakeArray[T any](dev *Device, shape ArrayShape) (Array[T], error) {
	format, err := texelFormat[T]("make array")
	if err != nil {
		return Array[T]{}, err
	}
	a := &abi.Array{
		TexelFormat: format, Surface: shape.Surface, Gather: shape.Gather,
		ArrayShape: abi.ArrayShape{Width: shape.Width, Height: shape.Height, Depth: shape.Depth, Layers: shape.Layers, Cube: shape.Cube},
	}
	if err := a.Check(); err != nil {
		return Array[T]{}, device.Because(ErrRange, err, "make array")
	}
	if dev.closed.Load() {
		return Array[T]{}, dev.closedError("make array")
	}
	id, err := dev.backend.MakeArray(a)
	if err != nil {
		if errors.Is(err, ErrOutOfMemory) {
			return Array[T]{}, fmt.Errorf("make array: %v, %d bytes, on %v: %w", &a.ArrayShape, a.Bytes(), dev, err)
		}
		return Array[T]{}, fmt.Errorf("make array: %v on %v: %w", &a.ArrayShape, dev, err)
	}
	m := &memory{dev: dev, kind: arrayMemory, addr: uint64(id), size: a.Bytes(), made: device.FromHere()}
	if err := dev.remember(m); err != nil {
		return Array[T]{}, err
	}
	return Array[T]{m, a}, nil
}

// Len is the number of texels, of all layers and faces.
func (a Array[T]) Len() int {
	if a.desc == nil {
		return 0
	}
	return int(a.desc.Texels())
}

// Free gives the array back. Work that is queued already may still use it. Every later use, also by
// its objects, is refused with ErrFreed. Its texture and surface objects are freed by themselves.
// Free of the zero Array does nothing.
//
// Errors: ErrFreed if the array was freed before.
func (a Array[T]) Free() error {
	if a.mem == nil {
		return nil
	}
	return a.mem.free()
}

// Write copies src, which has Len texels, to the array after the work queued on s so far, and waits
// until src is no longer needed. The texels are side by side, row after row, and slice, face or
// layer after each other. The copy goes through memory of the device, for which there must be room.
// When ctx ends the wait, the texels are undefined.
//
// Errors: ctx's, ErrRange if src has another length, ErrOutOfMemory, ErrFreed, ErrClosed,
// ErrWrongDevice, ErrArgument for a nil stream, and the *KernelError of a kernel that failed on s
// before.
func (a Array[T]) Write(ctx context.Context, s *Stream, src []T) error {
	if len(src) != a.Len() {
		return device.Errorf(ErrRange, "write array: %d texels for an array of %d", len(src), a.Len())
	}
	return a.throughBuffer("write array", s, func(b Buffer[T]) error {
		if err := b.Write(ctx, s, src); err != nil {
			return err
		}
		return a.CopyFrom(s, b)
	})
}

// Read copies the array to the host after the work queued on s so far, and waits for it. It copies
// into dst if that has the capacity, else into a new slice, and returns the slice of Len texels, in
// the order of Write. The copy goes through memory of the device, for which there must be room.
//
// Errors: as for Write.
func (a Array[T]) Read(ctx context.Context, s *Stream, dst []T) (got []T, err error) {
	err = a.throughBuffer("read array", s, func(b Buffer[T]) error {
		if err := a.CopyTo(s, b); err != nil {
			return err
		}
		got, err = b.Read(ctx, s, dst)
		return err
	})
	return got, err
}

// throughBuffer calls copies with a buffer for all texels, which lives until what they queue has
// run.
func (a Array[T]) throughBuffer(op string, s *Stream, copies func(Buffer[T]) error) error {
	if err := a.hold(op, s); err != nil {
		return err
	}
	defer a.release(s)
	b, err := Make[T](s.dev, a.Len())
	if err != nil {
		return err
	}
	return errors.Join(copies(b), b.Free())
}

// CopyFrom queues a copy of a buffer, which has Len elements, to the array on s.
//
// Errors: ErrRange if the buffer has another length, ErrFreed, ErrClosed, ErrWrongDevice,
// ErrArgument for a nil stream.
func (a Array[T]) CopyFrom(s *Stream, src Buffer[T]) error {
	return a.copies("copy to array", s, src, func() error {
		return s.work(a.mem, src.mem).FillArray(device.ArrayID(a.mem.addr), src.addr())
	})
}

// CopyTo queues a copy of the array to a buffer, which has Len elements, on s.
//
// Errors: as for CopyFrom.
func (a Array[T]) CopyTo(s *Stream, dst Buffer[T]) error {
	return a.copies("copy from array", s, dst, func() error {
		return s.work(a.mem, dst.mem).DrainArray(dst.addr(), device.ArrayID(a.mem.addr))
	})
}

// copies checks a copy between the array and a buffer, and queues it with both held.
func (a Array[T]) copies(op string, s *Stream, b Buffer[T], queue func() error) error {
	if err := a.hold(op, s); err != nil {
		return err
	}
	defer a.release(s)
	if b.n != a.Len() {
		return device.Errorf(ErrRange, "%s: a buffer of %d elements for an array of %d", op, b.n, a.Len())
	}
	if err := b.hold(op, s); err != nil {
		return err
	}
	defer b.release(s)
	if a.mem == nil {
		return nil
	}
	return queue()
}

// hold checks that an operation may use the array on s, and keeps both from being given back until
// release.
func (a Array[T]) hold(op string, s *Stream) error {
	switch {
	case s == nil:
		return noStream(op)
	case a.mem != nil && a.mem.dev != s.dev:
		return device.Errorf(ErrWrongDevice, "%s: the array is on device %d, the stream on device %d", op, a.mem.dev.id, s.dev.id)
	}
	if err := s.hold(op); err != nil {
		return err
	}
	if err := a.mem.hold(op); err != nil {
		s.release()
		return err
	}
	return nil
}

func (a Array[T]) release(s *Stream) {
	s.release()
	a.mem.release()
}

// channelKinds are the types of channels by kind.
var channelKinds = map[reflect.Kind]abi.TexelFormat{
	reflect.Int8: {Kind: abi.Signed, Bits: 8}, reflect.Int16: {Kind: abi.Signed, Bits: 16}, reflect.Int32: {Kind: abi.Signed, Bits: 32},
	reflect.Uint8: {Kind: abi.Unsigned, Bits: 8}, reflect.Uint16: {Kind: abi.Unsigned, Bits: 16}, reflect.Uint32: {Kind: abi.Unsigned, Bits: 32},
	reflect.Float32: {Kind: abi.Float, Bits: 32},
}

// texelFormat is the format of texels of type T.
func texelFormat[T any](op string) (abi.TexelFormat, error) {
	t := reflect.TypeFor[T]()
	f, ok := channelsOf(t)
	if !ok || f.Check() != nil {
		return f, device.Errorf(ErrElement, "%s: texels of type %v: "+
			"a texel is one, two or four integers of 8, 16 or 32 bits, float32 or gpu.Float16, as a number, an array or a struct", op, t)
	}
	return f, nil
}

// channelsOf is the format of a number, or of an array or struct of equal ones.
func channelsOf(t reflect.Type) (abi.TexelFormat, bool) {
	f, ok := channelKinds[t.Kind()]
	f.Channels = 1
	switch {
	case ok:
		return f, true
	case t.Kind() == reflect.Struct && t.Name() == "Float16" && strings.HasSuffix(t.PkgPath(), "/gpu"):
		return abi.TexelFormat{Kind: abi.Float, Bits: 16, Channels: 1}, true
	case t.Kind() == reflect.Array && t.Len() > 0:
		f, ok = channelsOf(t.Elem())
		f.Channels *= min(t.Len(), 5) // more is as wrong
		return f, ok
	case t.Kind() != reflect.Struct || t.NumField() == 0, t.NumField() == 1 && strings.HasSuffix(t.PkgPath(), "/gpu"):
		return f, false // of package gpu a number that no texture has, as BFloat16
	}
	f, ok = channelsOf(t.Field(0).Type)
	for part := range t.Fields() {
		if g, _ := channelsOf(part.Type); g != f {
			return f, false
		}
	}
	f.Channels *= min(t.NumField(), 5)
	return f, ok
}
