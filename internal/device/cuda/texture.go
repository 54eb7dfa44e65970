package cuda

import "unsafe"

var (
	procTexObjectCreate   = proc{name: "cuTexObjectCreate", needs: 5000}
	procTexObjectDestroy  = proc{name: "cuTexObjectDestroy", needs: 5000}
	procSurfObjectCreate  = proc{name: "cuSurfObjectCreate", needs: 5000}
	procSurfObjectDestroy = proc{name: "cuSurfObjectDestroy", needs: 5000}
)

// TexObject is a CUtexObject, and SurfObject a CUsurfObject: what kernels are given.
type (
	TexObject  uint64
	SurfObject uint64
)

// The kinds of a ResourceDesc.
const (
	ResourceArray   = 0
	ResourceLinear  = 2
	ResourcePitch2D = 3
)

// ResourceDesc is the driver's CUDA_RESOURCE_DESC. Its union is of a Array, a Linear and a Pitch2D.
type ResourceDesc struct {
	Kind  uint32
	_     uint32
	Union [16]uint64
	Flags uint32
	_     uint32
}

// LinearDesc is the part of a ResourceDesc of linear memory.
type LinearDesc struct {
	Device   DevicePtr
	Format   ArrayFormat
	Channels uint32
	Size     uint64 // bytes
}

// PitchDesc is the part of a ResourceDesc of memory in rows.
type PitchDesc struct {
	Device               DevicePtr
	Format               ArrayFormat
	Channels             uint32
	Width, Height, Pitch uint64 // texels, rows, bytes
}

// OfArray, OfLinear and OfPitch are resources.
func OfArray(a Array) (r ResourceDesc) {
	r.Union[0] = uint64(a)
	return r
}

// OfLinear is the resource of linear memory.
func OfLinear(l LinearDesc) (r ResourceDesc) {
	r.Kind = ResourceLinear
	*(*LinearDesc)(unsafe.Pointer(&r.Union)) = l
	return r
}

// OfPitch is the resource of memory in rows.
func OfPitch(p PitchDesc) (r ResourceDesc) {
	r.Kind = ResourcePitch2D
	*(*PitchDesc)(unsafe.Pointer(&r.Union)) = p
	return r
}

// The flags of a TextureDesc.
const (
	TexReadAsInteger = 0x01
	TexNormalized    = 0x02
)

// TextureDesc is the driver's CUDA_TEXTURE_DESC.
type TextureDesc struct {
	Address       [3]uint32 // CUaddress_mode
	Filter        uint32    // 1 for a linear one
	Flags         uint32
	MaxAnisotropy uint32
	MipmapFilter  uint32
	MipmapBias    float32
	MinMipmap     float32
	MaxMipmap     float32
	Border        [4]float32
	_             [12]int32
}

// NewTexObject makes a texture object. DestroyTexObject ends it.
func (c *Context) NewTexObject(r ResourceDesc, t TextureDesc) (TexObject, error) {
	var o TexObject
	err := c.call(&procTexObjectCreate, object{}, uintptr(unsafe.Pointer(&o)), uintptr(unsafe.Pointer(&r)), uintptr(unsafe.Pointer(&t)), 0)
	return o, err
}

// DestroyTexObject ends a texture object. No work may still be using it.
func (c *Context) DestroyTexObject(o TexObject) error {
	return c.call(&procTexObjectDestroy, object{}, uintptr(o))
}

// NewSurfObject makes a surface object of an array. DestroySurfObject ends it.
func (c *Context) NewSurfObject(a Array) (SurfObject, error) {
	var o SurfObject
	r := OfArray(a)
	err := c.call(&procSurfObjectCreate, object{}, uintptr(unsafe.Pointer(&o)), uintptr(unsafe.Pointer(&r)))
	return o, err
}

// DestroySurfObject ends a surface object. No work may still be using it.
func (c *Context) DestroySurfObject(o SurfObject) error {
	return c.call(&procSurfObjectDestroy, object{}, uintptr(o))
}
