package cudadev

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device"
	"github.com/gridstride/gridstride/internal/device/cuda"
)

// texelTable has the arrays and objects that the host has made, to give them back at the end.
type texelTable struct {
	mu       sync.Mutex
	arrays   map[device.ArrayID]*abi.Array
	textures map[uint64]struct{}
	surfaces map[uint64]struct{}
}

func newTexelTable() texelTable {
	return texelTable{arrays: map[device.ArrayID]*abi.Array{}, textures: map[uint64]struct{}{}, surfaces: map[uint64]struct{}{}}
}

// array is an array by its number.
func (t *texelTable) array(id device.ArrayID) *abi.Array {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.arrays[id]
	if a == nil {
		panic("BUG: an array that was given back is used")
	}
	return a
}

// close gives everything back.
func (t *texelTable) close(b *Backend) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for handle := range t.textures {
		_ = b.ctx.DestroyTexObject(cuda.TexObject(handle))
	}
	for handle := range t.surfaces {
		_ = b.ctx.DestroySurfObject(cuda.SurfObject(handle))
	}
	for _, id := range slices.Collect(maps.Keys(t.arrays)) {
		_ = b.ctx.DestroyArray(cuda.Array(id))
	}
}

// channelFormats are the driver's formats by kind and bits.
var channelFormats = map[abi.TexelFormat]cuda.ArrayFormat{
	{Kind: abi.Unsigned, Bits: 8}: cuda.Uint8, {Kind: abi.Unsigned, Bits: 16}: cuda.Uint16, {Kind: abi.Unsigned, Bits: 32}: cuda.Uint32,
	{Kind: abi.Signed, Bits: 8}: cuda.Int8, {Kind: abi.Signed, Bits: 16}: cuda.Int16, {Kind: abi.Signed, Bits: 32}: cuda.Int32,
	{Kind: abi.Float, Bits: 16}: cuda.Float16, {Kind: abi.Float, Bits: 32}: cuda.Float32,
}

// formatOf is the driver's format of a channel.
func formatOf(f abi.TexelFormat) cuda.ArrayFormat {
	return channelFormats[abi.TexelFormat{Kind: f.Kind, Bits: f.Bits}]
}

// MakeArray implements device.Backend.
func (b *Backend) MakeArray(a *abi.Array) (device.ArrayID, error) {
	if err := b.hold(); err != nil {
		return 0, err
	}
	defer b.release()
	b.runFences(false)
	d := cuda.ArrayDesc{
		Width: uint64(a.Width), Height: uint64(a.Height), Depth: uint64(a.Depth), Format: formatOf(a.TexelFormat), Channels: uint32(a.Channels),
	}
	for _, f := range []struct {
		on   bool
		flag uint32
	}{{a.Layers > 0, cuda.ArrayLayered}, {a.Cube, cuda.ArrayCube}, {a.Surface, cuda.ArraySurface}, {a.Gather, cuda.ArrayGather}} {
		if f.on {
			d.Flags |= f.flag
		}
	}
	if a.Layers > 0 || a.Cube {
		d.Depth = uint64(a.Images())
	}
	made, err := b.ctx.NewArray(d)
	if errors.Is(err, cuda.OutOfMemory) { // what waits for its work, and what the pool keeps, may make the room
		b.runFences(true)
		_ = b.blocks.trim()
		made, err = b.ctx.NewArray(d)
	}
	if errors.Is(err, cuda.OutOfMemory) {
		free, total, _ := b.ctx.MemoryInfo()
		return 0, fmt.Errorf("%w: %w: %d of %d bytes are in use", device.ErrOutOfMemory, err, total-free, total)
	} else if err != nil {
		return 0, b.fail(err)
	}
	b.texels.mu.Lock()
	defer b.texels.mu.Unlock()
	b.texels.arrays[device.ArrayID(made)] = a
	return device.ArrayID(made), nil
}

// RetireArray implements device.Backend.
func (b *Backend) RetireArray(id device.ArrayID) {
	b.afterQueued(func() {
		b.texels.mu.Lock()
		delete(b.texels.arrays, id)
		b.texels.mu.Unlock()
		_ = b.ctx.DestroyArray(cuda.Array(id))
	})
}

// MakeTexture implements device.Backend.
func (b *Backend) MakeTexture(id device.ArrayID, s *abi.Sampler) (uint64, error) {
	return b.makeTexture(cuda.OfArray(cuda.Array(id)), s)
}

// MakeLinearTexture implements device.Backend.
func (b *Backend) MakeLinearTexture(l *abi.Linear, s *abi.Sampler) (uint64, error) {
	at, format, channels := cuda.DevicePtr(l.Address), formatOf(l.TexelFormat), uint32(l.Channels)
	if l.Height == 0 {
		return b.makeTexture(cuda.OfLinear(cuda.LinearDesc{Device: at, Format: format, Channels: channels, Size: uint64(l.Bytes())}), s)
	}
	return b.makeTexture(cuda.OfPitch(cuda.PitchDesc{
		Device: at, Format: format, Channels: channels, Width: uint64(l.Width), Height: uint64(l.Height), Pitch: uint64(l.Pitch),
	}), s)
}

func (b *Backend) makeTexture(r cuda.ResourceDesc, s *abi.Sampler) (uint64, error) {
	if err := b.hold(); err != nil {
		return 0, err
	}
	defer b.release()
	t := cuda.TextureDesc{Border: s.Border}
	for i, mode := range s.Address {
		t.Address[i] = uint32(mode)
	}
	if s.Linear {
		t.Filter = 1
	}
	if s.Integers {
		t.Flags |= cuda.TexReadAsInteger
	}
	if s.Normalized {
		t.Flags |= cuda.TexNormalized
	}
	made, err := b.ctx.NewTexObject(r, t)
	if err != nil {
		return 0, b.fail(err)
	}
	b.texels.mu.Lock()
	defer b.texels.mu.Unlock()
	b.texels.textures[uint64(made)] = struct{}{}
	return uint64(made), nil
}

// MakeSurface implements device.Backend.
func (b *Backend) MakeSurface(id device.ArrayID) (uint64, error) {
	if err := b.hold(); err != nil {
		return 0, err
	}
	defer b.release()
	made, err := b.ctx.NewSurfObject(cuda.Array(id))
	if err != nil {
		return 0, b.fail(err)
	}
	b.texels.mu.Lock()
	defer b.texels.mu.Unlock()
	b.texels.surfaces[uint64(made)] = struct{}{}
	return uint64(made), nil
}

// RetireTexture implements device.Backend.
func (b *Backend) RetireTexture(handle uint64) {
	b.afterQueued(func() {
		b.texels.mu.Lock()
		delete(b.texels.textures, handle)
		b.texels.mu.Unlock()
		_ = b.ctx.DestroyTexObject(cuda.TexObject(handle))
	})
}

// RetireSurface implements device.Backend.
func (b *Backend) RetireSurface(handle uint64) {
	b.afterQueued(func() {
		b.texels.mu.Lock()
		delete(b.texels.surfaces, handle)
		b.texels.mu.Unlock()
		_ = b.ctx.DestroySurfObject(cuda.SurfObject(handle))
	})
}

// FillArray implements device.Stream.
func (s *stream) FillArray(dst device.ArrayID, src uint64) error {
	width, height, depth := span(s.b.texels.array(dst))
	return s.start(func() error {
		return s.b.ctx.FillArray(cuda.Array(dst), cuda.DevicePtr(src), width, height, depth, s.handle)
	})
}

// DrainArray implements device.Stream.
func (s *stream) DrainArray(dst uint64, src device.ArrayID) error {
	width, height, depth := span(s.b.texels.array(src))
	return s.start(func() error {
		return s.b.ctx.DrainArray(cuda.DevicePtr(dst), cuda.Array(src), width, height, depth, s.handle)
	})
}

// span is the size of an array for a copy: bytes, rows, and slices or layers.
func span(a *abi.Array) (width, height, depth int) {
	return a.Width * a.Size(), a.Extent(1), a.Extent(2) * a.Images()
}
