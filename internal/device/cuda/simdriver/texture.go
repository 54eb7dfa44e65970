//go:build linux

package simdriver

import (
	"errors"
	"unsafe"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/device/cuda"
	"github.com/gridstride/gridstride/internal/machine/sim"
	"github.com/gridstride/gridstride/internal/machine/sim/texture"
)

// array is a CUarray.
type array struct {
	c    *context
	abi  abi.Array
	addr uint64
}

func (a *array) owner() *context { return a.c }

// texelFormats are the formats by the driver's numbers.
var texelFormats = map[cuda.ArrayFormat]abi.TexelFormat{
	cuda.Uint8: {Kind: abi.Unsigned, Bits: 8}, cuda.Uint16: {Kind: abi.Unsigned, Bits: 16}, cuda.Uint32: {Kind: abi.Unsigned, Bits: 32},
	cuda.Int8: {Kind: abi.Signed, Bits: 8}, cuda.Int16: {Kind: abi.Signed, Bits: 16}, cuda.Int32: {Kind: abi.Signed, Bits: 32},
	cuda.Float16: {Kind: abi.Float, Bits: 16}, cuda.Float32: {Kind: abi.Float, Bits: 32},
}

// formatOf is a format by the driver's numbers.
func formatOf(f cuda.ArrayFormat, channels uint32) abi.TexelFormat {
	t := texelFormats[f]
	t.Channels = int(channels)
	return t
}

func (d *driver) arrayCreate(to, desc uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	in := *at[cuda.ArrayDesc](desc)
	a := abi.Array{
		TexelFormat: formatOf(in.Format, in.Channels), ArrayShape: abi.ArrayShape{Width: int(in.Width), Height: int(in.Height)},
		Surface: in.Flags&cuda.ArraySurface != 0, Gather: in.Flags&cuda.ArrayGather != 0,
	}
	depth := int(in.Depth)
	a.Cube = in.Flags&cuda.ArrayCube != 0
	layered := in.Flags&cuda.ArrayLayered != 0
	switch {
	case a.Cube && (depth == 0 || depth%abi.Faces != 0 || !layered && depth != abi.Faces), layered && depth == 0:
		return code(cuda.InvalidValue)
	case a.Cube && layered:
		a.Layers = depth / abi.Faces
	case layered:
		a.Layers = depth
	case !a.Cube:
		a.Depth = depth
	}
	if a.Check() != nil {
		return code(cuda.InvalidValue)
	}
	addr, err := c.machine.Alloc(a.Bytes())
	if errors.Is(err, sim.ErrOutOfMemory) {
		return code(cuda.OutOfMemory)
	} else if err != nil {
		return code(cuda.InvalidValue)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	*at[uintptr](to) = d.handle(&array{c, a, addr})
	return 0
}

func (d *driver) arrayDestroy(h uintptr) uintptr {
	c, a, r := on[*array](d, h)
	if r != cuda.Success {
		return code(r)
	}
	d.mu.Lock()
	delete(d.handles, h)
	d.mu.Unlock()
	if c.machine.Free(a.addr) != nil {
		return code(cuda.InvalidValue)
	}
	return 0
}

func (d *driver) texObjectCreate(to, resource, sampler, view uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	in, desc := *at[cuda.ResourceDesc](resource), *at[cuda.TextureDesc](sampler)
	t := &texture.Texture{Sampler: abi.Sampler{
		Linear: desc.Filter == 1, Normalized: desc.Flags&cuda.TexNormalized != 0, Integers: desc.Flags&cuda.TexReadAsInteger != 0, Border: desc.Border,
	}}
	for i, mode := range desc.Address {
		t.Address[i] = abi.AddressMode(mode)
	}
	var addr uint64
	switch in.Kind {
	case cuda.ResourceArray:
		a, ok := find[*array](d, uintptr(in.Union[0]))
		if !ok {
			return code(cuda.InvalidHandle)
		}
		t.Format, t.Shape, addr = a.abi.TexelFormat, a.abi.ArrayShape, a.addr
	case cuda.ResourceLinear:
		l := *(*cuda.LinearDesc)(unsafe.Pointer(&in.Union))
		t.Format, t.Buffer, addr = formatOf(l.Format, l.Channels), true, uint64(l.Device)
		t.Width = int(l.Size) / max(t.Format.Size(), 1)
	case cuda.ResourcePitch2D:
		p := *(*cuda.PitchDesc)(unsafe.Pointer(&in.Union))
		t.Format, t.Pitch, addr = formatOf(p.Format, p.Channels), int(p.Pitch), uint64(p.Device)
		t.Width, t.Height = int(p.Width), int(p.Height)
	default:
		return code(cuda.InvalidValue)
	}
	if t.Linear && !t.Filters(t.Format) {
		return code(cuda.InvalidValue)
	}
	handle, err := c.machine.NewTexture(t, addr)
	if err != nil {
		return code(cuda.InvalidValue)
	}
	*at[uint64](to) = handle
	return 0
}

func (d *driver) surfObjectCreate(to, resource uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	in := *at[cuda.ResourceDesc](resource)
	if in.Kind != cuda.ResourceArray {
		return code(cuda.InvalidValue)
	}
	a, ok := find[*array](d, uintptr(in.Union[0]))
	if !ok || !a.abi.Surface {
		return code(cuda.InvalidValue)
	}
	handle, err := c.machine.NewSurface(&texture.Surface{Format: a.abi.TexelFormat, Shape: a.abi.ArrayShape}, a.addr)
	if err != nil {
		return code(cuda.InvalidValue)
	}
	*at[uint64](to) = handle
	return 0
}

func (d *driver) objectDestroy(handle uintptr) uintptr {
	c, r := d.thread()
	if r != cuda.Success {
		return code(r)
	}
	c.machine.FreeObject(uint64(handle))
	return 0
}
