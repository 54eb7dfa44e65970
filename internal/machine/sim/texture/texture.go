// Package texture has what a GPU's texture unit computes: the texels that a fetch reads, and their
// weighted sum if it filters. Tests compare results with an H100's, bit for bit.
//
// A fetch takes a point in a texture of one to three dimensions, which a texture of layers has many
// times. Three steps follow each other:
//
//	coordinate   a normalized one is multiplied by the size, wrapped or mirrored first
//	texel        the one that the point is in, or, of a linear filter, its neighbours with weights
//	value        a number of the array's format as float32, or as an integer
//
// A weight is a number of 256ths. A sum of two texels has the weight of the second; one of
// four, in each plane, the rounded product of two. The texels are cut off to 28 bits below the
// largest, added exactly, and the sum is rounded to the nearest float32, ties away from zero.
package texture

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// Kind tells integers and floating-point numbers apart.
type Kind uint8

// The kinds of elements.
const (
	Unsigned Kind = iota
	Signed
	Float
)

// Format is the format of a texel: one to four channels of 8, 16 or 32 bits.
type Format struct {
	Kind     Kind
	Bits     int
	Channels int
}

// Size is the size of a texel in bytes.
func (f Format) Size() int { return f.Bits / 8 * f.Channels }

// Shape is the shape of an array.
type Shape struct {
	// Width, Height and Depth are in texels, 0 for a dimension that there is not.
	Width, Height, Depth int
	// Layers is how many layers there are, 0 of an array without.
	Layers int
	// Cube says that the array, or each of its layers, is six squares: the faces of a cube. They
	// are in the order +x, -x, +y, -y, +z, -z.
	Cube bool
}

// Mode says which texel an address outside of a texture reads.
type Mode uint8

// The modes, by the numbers that CUDA's driver has for them.
const (
	Wrap Mode = iota
	Clamp
	Mirror
	Border
)

// Sampler says how a fetch reads.
type Sampler struct {
	Address    [3]Mode
	Linear     bool // a linear filter, else the nearest texel
	Normalized bool // coordinates are from 0 to 1
	Integers   bool // integers are read as such, else as float32 from 0 or -1 to 1
	Border     [4]float32
}

// Texture is an array that is read by a sampler.
type Texture struct {
	Format
	Shape
	Sampler
	// Buffer says that a texture of one dimension is linear memory, which is read at integral
	// coordinates alone, and may be longer than an array.
	Buffer bool
	// Pitch is how many bytes the beginnings of two rows are from each other, 0 for rows side by
	// side.
	Pitch int
	// Texels are the texels, the first dimension side by side, layers last.
	Texels []byte
}

// Texel is the four channels of what a fetch gives: float32 by their bits, or integers.
type Texel [4]uint32

// size is how many texels there are in a dimension.
func (s *Shape) size(dim int) int { return max([]int{s.Width, s.Height, s.Depth}[dim], 1) }

// images is how many images of Dims dimensions the array has.
func (s *Shape) images() int {
	if s.Cube {
		return max(s.Layers, 1) * faces
	}
	return max(s.Layers, 1)
}

// maxSize, maxLayers and maxPitch are the limits of a dimension, of layers and of a pitch. maxBuffer
// is the limit of linear memory of one dimension.
const maxSize, maxLayers, maxBuffer, maxPitch = 131072, 2048, 1 << 28, 1 << 31

// Bytes is how many bytes of texels the texture has, or what is wrong with its format or its shape.
func (t *Texture) Bytes() (int64, error) {
	most := maxSize
	if t.Buffer {
		most = maxBuffer
	}
	if err := check(&t.Format, &t.Shape, most); err != nil {
		return 0, err
	}
	row := int64(t.Width) * int64(t.Format.Size())
	rows := int64(t.size(1)) * int64(t.size(2)) * int64(t.images())
	switch {
	case t.Buffer && (t.Dims() > 1 || t.Layers > 0):
		return 0, fmt.Errorf("linear memory of one dimension with %d dimensions and %d layers", t.Dims(), t.Layers)
	case t.Pitch == 0:
		return row * rows, nil
	case int64(t.Pitch) < row || t.Pitch > maxPitch:
		return 0, fmt.Errorf("rows of %d bytes, %d from each other; want %d to %d", row, t.Pitch, row, maxPitch)
	}
	return int64(t.Pitch)*(rows-1) + row, nil
}

// check says what is wrong with a format or a shape of dimensions up to most. A shape that it takes
// has at most 2^55 bytes, and 2^17 times a pitch.
func check(f *Format, s *Shape, most int) error {
	channels := f.Channels == 1 || f.Channels == 2 || f.Channels == 4
	if bits := f.Bits == 8 || f.Bits == 16 || f.Bits == 32; !channels || !bits || f.Kind == Float && f.Bits == 8 {
		return fmt.Errorf("a texel of %d channels of %d bits; want 1, 2 or 4 channels of 8, 16 or 32 bits, of floating-point numbers 16 or 32",
			f.Channels, f.Bits)
	}
	for d, n := range []int{s.Width, s.Height, s.Depth} {
		if n < 0 || n == 0 && d == 0 || n > most {
			return fmt.Errorf("a texture of %d by %d by %d texels; want 1 to %d in each dimension", s.Width, s.Height, s.Depth, most)
		}
	}
	if s.Layers < 0 || s.Layers > maxLayers || s.Layers > 0 && s.Depth > 0 || s.Depth > 0 && s.Height == 0 {
		return fmt.Errorf("a texture of %d by %d by %d texels in %d layers; want at most %d layers of 1 or 2 dimensions", s.Width, s.Height, s.Depth, s.Layers, maxLayers)
	}
	if s.Cube && (s.Width != s.Height || s.Depth > 0) {
		return fmt.Errorf("a cube of %d by %d by %d texels; want faces as wide as high", s.Width, s.Height, s.Depth)
	}
	return nil
}

// Floats says whether a fetch gives float32, and not integers.
func (t *Texture) Floats() bool { return t.filters() }

// Dims is how many dimensions a point has.
func (s *Shape) Dims() int {
	switch {
	case s.Depth > 0:
		return 3
	case s.Height > 0:
		return 2
	}
	return 1
}

// filters says whether a linear filter works on the format: on integers that are read as such none
// does.
func (t *Texture) filters() bool { return t.Kind == Float || !t.Integers && t.Bits < 32 }

// offset is the first byte of a texel of an image.
func (t *Texture) offset(i [3]int, image int) int {
	pitch := t.Pitch
	if pitch == 0 {
		pitch = t.Width * t.Format.Size()
	}
	return ((image*t.size(2)+i[2])*t.size(1)+i[1])*pitch + i[0]*t.Format.Size()
}

// border is the result of a fetch outside of the texture.
func (t *Texture) border() (c Texel) {
	for i, x := range t.Border[:t.Channels] {
		c[i] = math.Float32bits(x)
		if t.Kind == Float || t.Bits == 32 {
			continue
		}
		raw := math.Float32bits(x)
		if !t.Integers {
			steps := float64(uint64(1)<<t.Bits - 1)
			least := 0.0
			if t.Kind == Signed {
				steps, least = float64(uint64(1)<<(t.Bits-1)-1), -1
			}
			raw = uint32(int32(math.Ceil(min(max(float64(x), least), 1)*steps - 0.5)))
		}
		c[i] = t.number(raw)
	}
	return c
}

// at is a texel, as a fetch gives it. Channels that the array does not have are 0.
func (t *Texture) at(b []byte) Texel {
	var c Texel
	for k := range t.Channels {
		c[k] = t.channel(b[k*t.Bits/8:])
	}
	return c
}

// channel reads one channel.
func (t *Texture) channel(b []byte) uint32 {
	var raw uint32
	switch t.Bits {
	case 8:
		raw = uint32(b[0])
	case 16:
		raw = uint32(binary.LittleEndian.Uint16(b))
	default:
		raw = binary.LittleEndian.Uint32(b)
	}
	return t.number(raw)
}

// number is a fetch's result for the bits of a channel.
func (t *Texture) number(raw uint32) uint32 {
	raw = raw << (32 - t.Bits) >> (32 - t.Bits)
	signed := int32(raw<<(32-t.Bits)) >> (32 - t.Bits)
	switch {
	case t.Kind == Float && t.Bits == 16:
		return math.Float32bits(float32(softfloat.Half.Value(raw)))
	case t.Kind == Float || t.Integers && t.Kind == Unsigned:
		return raw
	case t.Integers:
		return uint32(signed)
	case t.Kind == Unsigned:
		return math.Float32bits(float32(float64(raw) / float64(uint32(1)<<t.Bits-1)))
	}
	return math.Float32bits(float32(max(float64(signed)/float64(uint32(1)<<(t.Bits-1)-1), -1)))
}
