package abi

import "fmt"

// This file has what host, drivers and simulator must agree on of textures and surfaces. The numbers
// are the driver's.

// TexelKind tells integers and floating-point numbers apart.
type TexelKind uint8

// The kinds of elements.
const (
	Unsigned TexelKind = iota
	Signed
	Float
)

// TexelFormat is the format of a texel: one to four channels of 8, 16 or 32 bits.
type TexelFormat struct {
	Kind     TexelKind
	Bits     int
	Channels int
}

// Size is the size of a texel in bytes.
func (f TexelFormat) Size() int { return f.Bits / 8 * f.Channels }

// Check says what is wrong with a format.
func (f TexelFormat) Check() error {
	channels := f.Channels == 1 || f.Channels == 2 || f.Channels == 4
	if bits := f.Bits == 8 || f.Bits == 16 || f.Bits == 32; !channels || !bits || f.Kind == Float && f.Bits == 8 {
		return fmt.Errorf("a texel of %d channels of %d bits; want 1, 2 or 4 channels of 8, 16 or 32 bits, of floating-point numbers 16 or 32",
			f.Channels, f.Bits)
	}
	return nil
}

// Faces is how many faces a cube has.
const Faces = 6

// ArrayShape is the shape of an array.
type ArrayShape struct {
	// Width, Height and Depth are in texels, 0 for a dimension that the array does not have.
	Width, Height, Depth int
	// Layers is how many layers the array has, 0 for an array without.
	Layers int
	// Cube says that the array, or each of its layers, is six squares: the faces of a cube. They
	// are in the order +x, -x, +y, -y, +z, -z.
	Cube bool
}

// Extent is how many texels there are in a dimension, 1 in one that the array does not have.
func (s *ArrayShape) Extent(dim int) int { return max([]int{s.Width, s.Height, s.Depth}[dim], 1) }

// Images is how many images of Dims dimensions the array has: layers, and faces of each.
func (s *ArrayShape) Images() int {
	if s.Cube {
		return max(s.Layers, 1) * Faces
	}
	return max(s.Layers, 1)
}

// Dims is how many dimensions an image has.
func (s *ArrayShape) Dims() int {
	switch {
	case s.Depth > 0:
		return 3
	case s.Height > 0:
		return 2
	}
	return 1
}

// Texels is how many texels there are: at most 2^42 of a shape that Check takes.
func (s *ArrayShape) Texels() int64 {
	return int64(s.Width) * int64(s.Extent(1)) * int64(s.Extent(2)) * int64(s.Images())
}

// String is "5 by 3 texels in 2 layers".
func (s *ArrayShape) String() string {
	text := fmt.Sprint(s.Width)
	for _, n := range []int{s.Height, s.Depth} {
		if n != 0 {
			text += fmt.Sprintf(" by %d", n)
		}
	}
	text += " texels"
	if s.Layers != 0 {
		text += fmt.Sprintf(" in %d layers", s.Layers)
	}
	if s.Cube {
		text += ", six faces of each"
	}
	return text
}

// The limits of linear memory that a texture reads: texels of one dimension, rows of two, and bytes
// from row to row.
const (
	MaxLinearWidth  = 1 << 28
	MaxLinearHeight = 65000
	MaxLinearPitch  = 2097120
)

// Memory that a texture reads begins at a multiple of TextureAlign bytes, and its rows are at
// multiples of TexturePitchAlign bytes from each other.
const TextureAlign, TexturePitchAlign = 512, 32

// Array is an array that is to be made.
type Array struct {
	TexelFormat
	ArrayShape
	Surface bool // kernels may store to it
	Gather  bool // kernels may gather from it (tld4)
}

// Bytes is the size of the texels: at most 2^46 of an array that Check takes.
func (a *Array) Bytes() int64 { return a.Texels() * int64(a.Size()) }

// Check says what is wrong with an array. All GPUs from compute capability 7.0 on have
// these limits (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
func (a *Array) Check() error {
	if err := a.TexelFormat.Check(); err != nil {
		return err
	}
	s, layered := &a.ArrayShape, a.Layers != 0
	limit := map[int][3]int{1: {131072, 0, 0}, 2: {131072, 65536, 0}, 3: {16384, 16384, 16384}}[s.Dims()]
	switch {
	case s.Dims() == 1 && (layered || a.Surface):
		limit[0] = 32768
	case s.Dims() == 2 && (layered || a.Cube || a.Gather):
		limit = [3]int{32768, 32768, 0}
	}
	most := 2048
	if a.Cube {
		most = 2046 / Faces
	}
	switch {
	case a.Width < 1 || a.Height < 0 || a.Depth < 0 || a.Depth > 0 && a.Height == 0:
		return fmt.Errorf("an array of %d by %d by %d texels; want a width, with a height or without, and with both a depth or none",
			a.Width, a.Height, a.Depth)
	case a.Cube && (a.Width != a.Height || a.Depth > 0):
		return fmt.Errorf("a cube of %v; want faces as wide as high", s)
	case a.Width > limit[0] || a.Height > limit[1] || a.Depth > limit[2]:
		return fmt.Errorf("an array of %v; the limits are %v", s, limit[:s.Dims()])
	case layered && a.Depth > 0:
		return fmt.Errorf("an array of %v; layers have one or two dimensions", s)
	case a.Layers < 0 || a.Layers > most:
		return fmt.Errorf("an array of %v; want at most %d layers", s, most)
	case a.Gather && s.Dims() != 2:
		return fmt.Errorf("an array of %v; a gather is from two dimensions", s)
	}
	return nil
}

// AddressMode says which texel a fetch outside of a texture reads.
type AddressMode uint8

// The modes.
const (
	Wrap AddressMode = iota
	Clamp
	Mirror
	Border
)

// Sampler says how a fetch reads.
type Sampler struct {
	Address    [3]AddressMode
	Linear     bool // a linear filter, else the nearest texel
	Normalized bool // coordinates are from 0 to 1
	Integers   bool // integers are read as such, else as float32 from 0 or -1 to 1
	Border     [4]float32
}

// Filters says whether a linear filter works on texels of a format: on integers that are read as
// such none does.
func (s *Sampler) Filters(f TexelFormat) bool {
	return f.Kind == Float || !s.Integers && f.Bits < 32
}

// Linear is memory that a texture reads: Height 0 for a texture of one dimension.
type Linear struct {
	TexelFormat
	Address       uint64
	Width, Height int // in texels
	Pitch         int // bytes from row to row
}

// Bytes is how many bytes of memory the texture reads, of one that Check takes.
func (l *Linear) Bytes() int64 {
	return int64(l.Pitch)*int64(max(l.Height, 1)-1) + int64(l.Width)*int64(l.Size())
}

// Check says what is wrong with linear memory for a texture.
func (l *Linear) Check() error {
	if err := l.TexelFormat.Check(); err != nil {
		return err
	}
	switch {
	case l.Width < 1 || l.Height < 0 || l.Height == 0 && l.Width > MaxLinearWidth || l.Height > 0 && l.Width > 131072 || l.Height > MaxLinearHeight:
		return fmt.Errorf("a texture of %d by %d texels; the limits are %d, and 131072 by %d", l.Width, l.Height, MaxLinearWidth, MaxLinearHeight)
	case l.Address%TextureAlign != 0:
		return fmt.Errorf("a texture of memory that begins at a multiple of %d bytes; want %d", l.Address&-l.Address, TextureAlign)
	case l.Height == 0:
		return nil
	case l.Pitch%TexturePitchAlign != 0 || l.Pitch < l.Width*l.Size() || l.Pitch > MaxLinearPitch:
		return fmt.Errorf("a texture of rows of %d bytes, %d from each other; want a multiple of %d up to %d",
			l.Width*l.Size(), l.Pitch, TexturePitchAlign, MaxLinearPitch)
	}
	return nil
}
