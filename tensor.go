package gridstride

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
)

// Tensor describes the layout of an array of 1 to 5 dimensions in a Buffer, and the boxes in which
// kernels copy it. The elements of the first dimension are adjacent in memory: for a matrix stored
// by rows, the first dimension is the columns.
type Tensor struct {
	// Dims are the numbers of elements, 1 to 2^32 each.
	Dims []int
	// Strides are the distances between neighbours in each dimension but the first, in elements.
	// They are multiples of 16 bytes. Without them the elements follow each other without gaps.
	Strides []int
	// Box is the number of elements of a copy in each dimension, 1 to 256. In the first dimension
	// they are a multiple of 16 bytes.
	Box []int
	// Swizzle is 0, or 32, 64 or 128: how many bytes the rows in shared memory have at most, whose
	// 16 bytes are exchanged as gpu.Swizzle says.
	Swizzle int
}

// TensorMap describes a Buffer to the copies of tensors in a kernel that takes a gpu.TensorMap. It
// is a small value. The buffer's memory must live while kernels that are given the map run; a
// launch with a buffer that was freed is refused.
//
// A map of gpu.TF32 may be one of any float32, of a Buffer that was cast: a copy to shared memory
// rounds them to TF32, to the nearest and of two to the even one. NaN become 0x7fffe000.
type TensorMap[T any] struct {
	mem  *memory
	code [abi.TensorMapSize]byte
}

// TensorMap makes a tensor map of the buffer, whose first element is the tensor's. T is an integer
// or a float of 8 to 64 bits, or a type of package gpu of one number. The device must be a GPU of
// 9.0 or newer, or the simulator of one.
//
// Errors: ErrRange for a tensor that reaches over the end of the buffer, or that no GPU takes, with
// what is wrong; ErrElement, ErrTarget, ErrFreed, ErrClosed.
func (b Buffer[T]) TensorMap(t Tensor) (TensorMap[T], error) {
	const op = "tensor map"
	m, err := tensorOf[T](t)
	if err != nil {
		return TensorMap[T]{}, err
	}
	m.Address = b.addr()
	if why := m.Check(); why != "" {
		return TensorMap[T]{}, device.Errorf(ErrRange, "%s: %s", op, why)
	}
	if span := m.Span(); b.mem == nil || span > uint64(b.size()) {
		return TensorMap[T]{}, device.Errorf(ErrRange, "%s: it reaches over %d bytes, and the buffer has %d", op, span, b.size())
	}
	dev := b.mem.dev
	if sm := dev.backend.Info().SM; sm < 90 {
		return TensorMap[T]{}, device.Errorf(ErrTarget, "%s: needs a GPU of 9.0 or newer, device %d is sm_%d", op, dev.id, sm)
	}
	if err := b.mem.hold(op); err != nil {
		return TensorMap[T]{}, err
	}
	defer b.mem.release()
	code, err := dev.backend.EncodeTensorMap(&m)
	return TensorMap[T]{b.mem, code}, err
}

// tensorOf is the map of a tensor that is not anywhere yet.
func tensorOf[T any](t Tensor) (m abi.TensorMap, err error) {
	var ok bool
	if m.Type, ok = tensorType(reflect.TypeFor[T]()); !ok {
		return m, device.Errorf(ErrElement, "tensor map: elements of type %v; want integers or floats of 8 to 64 bits",
			reflect.TypeFor[T]())
	}
	for _, part := range []struct {
		name string
		list []int
	}{{"Dims", t.Dims}, {"Strides", t.Strides}, {"Box", t.Box}} {
		for i, n := range part.list {
			if n < 0 {
				return m, device.Errorf(ErrRange, "tensor map: %s[%d] is %d, which is negative", part.name, i, n)
			}
		}
	}
	for i, n := range t.Dims {
		if i > 0 && t.Strides == nil {
			m.Strides = append(m.Strides, m.Span())
		}
		m.Dims = append(m.Dims, uint64(n))
	}
	for _, n := range t.Strides {
		m.Strides = append(m.Strides, uint64(n)*uint64(m.Type.Size()))
	}
	for _, n := range t.Box {
		m.Box = append(m.Box, uint32(min(n, abi.MaxTensorBox+1)))
	}
	m.Swizzle = t.Swizzle
	return m, nil
}

// tensorTypes are the types of elements by kind.
var tensorTypes = map[reflect.Kind]abi.TensorType{
	reflect.Int8: abi.TensorUint8, reflect.Uint8: abi.TensorUint8,
	reflect.Int16: abi.TensorUint16, reflect.Uint16: abi.TensorUint16,
	reflect.Int32: abi.TensorInt32, reflect.Uint32: abi.TensorUint32,
	reflect.Int64: abi.TensorInt64, reflect.Uint64: abi.TensorUint64,
	reflect.Int: abi.TensorInt64, reflect.Uint: abi.TensorUint64,
	reflect.Float32: abi.TensorFloat32, reflect.Float64: abi.TensorFloat64,
}

// tensorType returns the tensor element type of a Go type. Types of package gpu are structs that
// hold their bits.
func tensorType(t reflect.Type) (abi.TensorType, bool) {
	if t.Kind() != reflect.Struct {
		of, ok := tensorTypes[t.Kind()]
		return of, ok
	}
	if t.NumField() != 1 || !strings.HasSuffix(t.PkgPath(), "/gpu") {
		return 0, false
	}
	switch t.Name() {
	case "Float16":
		return abi.TensorFloat16, true
	case "BFloat16":
		return abi.TensorBFloat16, true
	case "TF32":
		return abi.TensorTF32, true
	}
	return tensorType(t.Field(0).Type)
}

// ArgTensorMap adds a tensor map. It is for generated code.
func ArgTensorMap[T any](a *Args, m TensorMap[T]) {
	a.tensorMap(m.mem, m.code[:])
}

func (m TensorMap[T]) addTo(a *Args) { ArgTensorMap(a, m) }

func (a *Args) tensorMap(mem *memory, code []byte) {
	p := a.next()
	switch {
	case p == nil:
	case p.kind != tensorParam:
		a.fail(ErrArgument, "is a tensor map, the kernel takes %s", p.takes())
	case mem == nil:
		a.fail(ErrArgument, "is a zero TensorMap: Buffer.TensorMap makes one")
	default:
		copy(a.buf[p.offset:], code)
		a.mems = append(a.mems, held{mem, a.n, a.number()})
	}
}

// isTensorMap reports whether a parameter of the PTX is a tensor map: no other is aligned as one.
func isTensorMap(size int64, align int) bool {
	return size == int64(unsafe.Sizeof(TensorMap[byte]{}.code)) && align >= abi.TensorMapAlign
}
