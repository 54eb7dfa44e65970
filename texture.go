package gridstride

import (
	"fmt"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
)

// AddressMode says which texel a fetch at a coordinate outside of a texture reads.
type AddressMode uint8

// The modes. AddressWrap and AddressMirror are for normalized coordinates: with other coordinates
// they are AddressClamp.
const (
	AddressWrap   = AddressMode(abi.Wrap)   // the texture repeats
	AddressClamp  = AddressMode(abi.Clamp)  // the nearest texel
	AddressMirror = AddressMode(abi.Mirror) // the texture repeats, every other one the wrong way round
	AddressBorder = AddressMode(abi.Border) // Sampler.Border
)

// Sampler says how the fetches of a texture object read: CUDA's cudaTextureDesc. The zero Sampler
// reads the nearest texel of unnormalized coordinates.
type Sampler struct {
	// Address has a mode for each dimension.
	Address [3]AddressMode
	// Linear makes a fetch the weighted sum of the texels around its point. The weights have 8 bits
	// after the point (CUDA C++ Programming Guide, "Texture Fetching"). Without it a fetch reads
	// the texel that the point is in.
	Linear bool
	// Floats makes numbers from 0 to 1, or from -1 to 1, of integers of 8 and 16 bits. Without it
	// integers are read as they are, and there is no filter for them.
	Floats bool
	// Normalized makes coordinates run from 0 to 1 over the texture. Without it they are in texels.
	Normalized bool
	// Border has the numbers that AddressBorder reads, one for each channel.
	Border [4]float32
}

// TextureObject is CUDA's texture object: an array or memory of a device with a sampler. A kernel of
// a PTX text takes it as the 64-bit handle that its tex, tld4 and txq instructions read. It is a
// small value, and lives until Free, or until its device is closed.
//
// It does not keep the array or buffer: once that was freed, launches refuse the object. What a
// kernel writes to the texels is seen by the fetches of later kernels only.
type TextureObject struct{ mem *memory }

// SurfaceObject is CUDA's surface object: an array that kernels read and write by suld and sust.
// It is like a TextureObject else.
type SurfaceObject struct{ mem *memory }

// Texture makes a texture object of the array. A cube needs normalized coordinates.
//
// Errors: ErrTexture for a sampler that the texels do not have, ErrFreed, ErrClosed, ErrArgument
// for the zero Array.
func (a Array[T]) Texture(s Sampler) (TextureObject, error) {
	const op = "make texture object"
	if a.mem == nil {
		return TextureObject{}, device.Errorf(ErrArgument, "%s: of the zero Array", op)
	}
	sampler, err := s.of(a.desc.TexelFormat, a.desc.Cube)
	if err != nil {
		return TextureObject{}, err
	}
	m, err := a.mem.object(op, textureMemory, func(b device.Backend) (uint64, error) {
		return b.MakeTexture(device.ArrayID(a.mem.addr), sampler)
	})
	return TextureObject{m}, err
}

// Surface makes a surface object of the array, which was made for surfaces.
//
// Errors: ErrTexture for an array that was not, ErrFreed, ErrClosed, ErrArgument for the zero Array.
func (a Array[T]) Surface() (SurfaceObject, error) {
	const op = "make surface object"
	switch {
	case a.mem == nil:
		return SurfaceObject{}, device.Errorf(ErrArgument, "%s: of the zero Array", op)
	case !a.desc.Surface:
		return SurfaceObject{}, device.Errorf(ErrTexture, "%s: the array was made without ArrayShape.Surface", op)
	}
	m, err := a.mem.object(op, surfaceMemory, func(b device.Backend) (uint64, error) { return b.MakeSurface(device.ArrayID(a.mem.addr)) })
	return SurfaceObject{m}, err
}

// Texture makes a texture object of the buffer, of one dimension: kernels read its elements at
// integral coordinates (tex.1d with .s32). Of the sampler only Floats counts. The buffer has 1 to
// 2^28 elements and begins at a multiple of 512 bytes, as a new one does on the simulator and on
// GPUs.
//
// Errors: ErrElement, ErrRange, ErrTexture, ErrFreed, ErrClosed.
func (b Buffer[T]) Texture(s Sampler) (TextureObject, error) {
	return b.linear(abi.Linear{Width: b.n}, s)
}

// Texture2D makes a texture object of the buffer, of two dimensions: height rows of width elements
// begin pitch elements from each other. A pitch is a multiple of 32 bytes, of at most 2097120. The
// buffer begins at a multiple of 512 bytes.
//
// Errors: as for Texture.
func (b Buffer[T]) Texture2D(width, height, pitch int, s Sampler) (TextureObject, error) {
	var t T
	size := max(int(unsafe.Sizeof(t)), 1)
	switch {
	case width < 1 || height < 1 || pitch < width || pitch > abi.MaxLinearPitch/size || height > abi.MaxLinearHeight:
		return TextureObject{}, device.Errorf(ErrRange, "make texture object: %d rows of %d elements, %d from each other; want 1 to %d rows, and a pitch of the width to %d elements",
			height, width, pitch, abi.MaxLinearHeight, abi.MaxLinearPitch/size)
	case pitch*(height-1)+width > b.n:
		return TextureObject{}, device.Errorf(ErrRange, "make texture object: %d rows of %d elements, %d from each other, are %d elements; the buffer has %d",
			height, width, pitch, pitch*(height-1)+width, b.n)
	}
	return b.linear(abi.Linear{Width: width, Height: height, Pitch: pitch * size}, s)
}

// linear makes a texture object of the buffer's memory.
func (b Buffer[T]) linear(l abi.Linear, s Sampler) (TextureObject, error) {
	const op = "make texture object"
	var err error
	if l.TexelFormat, err = texelFormat[T](op); err != nil {
		return TextureObject{}, err
	}
	if b.mem == nil || b.n == 0 {
		return TextureObject{}, device.Errorf(ErrRange, "%s: of no elements", op)
	}
	l.Address = b.addr()
	if err := l.Check(); err != nil {
		return TextureObject{}, device.Because(ErrTexture, err, op)
	}
	sampler, err := s.of(l.TexelFormat, false)
	if err != nil {
		return TextureObject{}, err
	}
	m, err := b.mem.object(op, textureMemory, func(d device.Backend) (uint64, error) { return d.MakeLinearTexture(&l, sampler) })
	return TextureObject{m}, err
}

// of is the sampler for texels of a format.
func (s Sampler) of(f abi.TexelFormat, cube bool) (*abi.Sampler, error) {
	const op = "make texture object"
	to := &abi.Sampler{Linear: s.Linear, Normalized: s.Normalized, Integers: !s.Floats && f.Kind != abi.Float, Border: s.Border}
	for i, mode := range s.Address {
		if mode > AddressBorder {
			return nil, device.Errorf(ErrTexture, "%s: Address[%d] is %d; want one of the modes", op, i, mode)
		}
		to.Address[i] = abi.AddressMode(mode)
	}
	switch {
	case s.Floats && f.Kind != abi.Float && f.Bits == 32:
		return nil, device.Errorf(ErrTexture, "%s: Floats of integers of 32 bits; want 8 or 16", op)
	case s.Linear && !to.Filters(f):
		return nil, device.Errorf(ErrTexture, "%s: a linear filter for integers: set Floats as well", op)
	case cube && !s.Normalized:
		return nil, device.Errorf(ErrTexture, "%s: a cube without Normalized", op)
	}
	return to, nil
}

// object makes a texture or surface object of the memory.
func (m *memory) object(op string, kind memoryKind, make func(device.Backend) (uint64, error)) (*memory, error) {
	if m.dev.closed.Load() {
		return nil, m.dev.closedError(op)
	}
	if err := m.hold(op); err != nil {
		return nil, err
	}
	defer m.release()
	handle, err := make(m.dev.backend)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	o := &memory{dev: m.dev, kind: kind, addr: handle, of: m, made: device.FromHere()}
	if err := m.dev.remember(o); err != nil {
		return nil, err
	}
	return o, nil
}

// Free ends the object. Work that is queued already may still use it. Every later launch with it is
// refused with ErrFreed. The texels stay. Free of the zero value does nothing.
//
// Errors: ErrFreed if the object was freed before.
func (t TextureObject) Free() error { return freeObject(t.mem) }

// Free is TextureObject.Free of a surface object.
func (s SurfaceObject) Free() error { return freeObject(s.mem) }

func freeObject(m *memory) error {
	if m == nil {
		return nil
	}
	return m.free()
}

func (t TextureObject) addTo(a *Args) { a.object(t.mem, textureMemory) }
func (s SurfaceObject) addTo(a *Args) { a.object(s.mem, surfaceMemory) }
