package cuda

import "unsafe"

var (
	procArrayCreate   = proc{name: "cuArray3DCreate_v2", needs: 3020}
	procArrayDestroy  = proc{name: "cuArrayDestroy", needs: 2000}
	procMemcpy3DAsync = proc{name: "cuMemcpy3DAsync_v2", needs: 3020}
)

// Array is a CUarray: texels in an order that the driver chooses. The zero Array is none.
type Array uintptr

// ArrayFormat is a CUarray_format, the type of a channel.
type ArrayFormat uint32

// The formats.
const (
	Uint8   ArrayFormat = 0x01
	Uint16  ArrayFormat = 0x02
	Uint32  ArrayFormat = 0x03
	Int8    ArrayFormat = 0x08
	Int16   ArrayFormat = 0x09
	Int32   ArrayFormat = 0x0a
	Float16 ArrayFormat = 0x10
	Float32 ArrayFormat = 0x20
)

// The flags of an array.
const (
	ArrayLayered = 0x01 // Depth is the number of layers
	ArraySurface = 0x02
	ArrayCube    = 0x04 // Depth is the number of faces
	ArrayGather  = 0x08
)

// ArrayDesc is the driver's CUDA_ARRAY3D_DESCRIPTOR. A dimension that the array does not have is 0.
type ArrayDesc struct {
	Width, Height, Depth uint64
	Format               ArrayFormat
	Channels             uint32
	Flags                uint32
	_                    uint32
}

// NewArray makes an array. DestroyArray gives it back.
func (c *Context) NewArray(d ArrayDesc) (Array, error) {
	var a Array
	about := object{format: "%[1]d by %[2]d texels%[3]s", a: int64(d.Width), b: int64(d.Height)}
	err := c.call(&procArrayCreate, about, uintptr(unsafe.Pointer(&a)), uintptr(unsafe.Pointer(&d)))
	return a, err
}

// DestroyArray gives an array back. No work may still be using it.
func (c *Context) DestroyArray(a Array) error {
	return c.call(&procArrayDestroy, object{}, uintptr(a))
}

// Memcpy3D is the driver's CUDA_MEMCPY3D.
type Memcpy3D struct {
	Src, Dst             Memcpy3DEnd
	Width, Height, Depth uint64 // bytes, rows, slices or layers
}

// Memcpy3DEnd is one end of a copy.
type Memcpy3DEnd struct {
	X, Y, Z, Level uint64
	Kind           uint32
	_              uint32
	Host           uint64
	Device         DevicePtr
	Array          Array
	_              uint64
	Pitch, Rows    uint64 // of memory: bytes from row to row, rows from slice to slice
}

// The kinds of memory of an end of a copy.
const (
	MemoryDevice = 2 // CU_MEMORYTYPE_DEVICE
	MemoryArray  = 3 // CU_MEMORYTYPE_ARRAY
)

// FillArray copies memory of the device to an array in s's order: depth slices of height rows of
// width bytes, side by side.
func (c *Context) FillArray(dst Array, src DevicePtr, width, height, depth int, s Stream) error {
	return c.copyArray(arrayEnd(dst), memoryEnd(src, width, height), width, height, depth, s)
}

// DrainArray copies an array to memory of the device, as FillArray does the other way.
func (c *Context) DrainArray(dst DevicePtr, src Array, width, height, depth int, s Stream) error {
	return c.copyArray(memoryEnd(dst, width, height), arrayEnd(src), width, height, depth, s)
}

func arrayEnd(a Array) Memcpy3DEnd { return Memcpy3DEnd{Kind: MemoryArray, Array: a} }

func memoryEnd(p DevicePtr, width, height int) Memcpy3DEnd {
	return Memcpy3DEnd{Kind: MemoryDevice, Device: p, Pitch: uint64(width), Rows: uint64(height)}
}

func (c *Context) copyArray(dst, src Memcpy3DEnd, width, height, depth int, s Stream) error {
	m := Memcpy3D{Src: src, Dst: dst, Width: uint64(width), Height: uint64(height), Depth: uint64(depth)}
	return c.call(&procMemcpy3DAsync, object{format: "%[1]d rows of %[2]d bytes of an array", a: int64(height) * int64(depth), b: int64(width)},
		uintptr(unsafe.Pointer(&m)), uintptr(s))
}
