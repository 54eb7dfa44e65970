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

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// The types of package abi that say what a texture is.
type (
	Format  = abi.TexelFormat
	Shape   = abi.ArrayShape
	Sampler = abi.Sampler
)

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

// Bytes is how many bytes of texels the texture has, or what is wrong with its format or its shape.
func (t *Texture) Bytes() (int64, error) {
	if t.Buffer || t.Pitch != 0 {
		l := &abi.Linear{TexelFormat: t.Format, Width: t.Width, Height: t.Height, Pitch: t.Pitch}
		if t.Depth != 0 || t.Layers != 0 || t.Cube || t.Buffer && t.Height != 0 {
			return 0, fmt.Errorf("linear memory of %v", &t.Shape)
		}
		if err := l.Check(); err != nil {
			return 0, err
		}
		return l.Bytes(), nil
	}
	a := &abi.Array{TexelFormat: t.Format, ArrayShape: t.Shape}
	if err := a.Check(); err != nil {
		return 0, err
	}
	return a.Bytes(), nil
}

// Floats says whether a fetch gives float32, and not integers.
func (t *Texture) Floats() bool { return t.filters() }

// filters says whether a linear filter works on the texels.
func (t *Texture) filters() bool { return t.Sampler.Filters(t.Format) }

// offset is the first byte of a texel of an image.
func (t *Texture) offset(i [3]int, image int) int {
	pitch := t.Pitch
	if pitch == 0 {
		pitch = t.Width * t.Format.Size()
	}
	return ((image*t.Extent(2)+i[2])*t.Extent(1)+i[1])*pitch + i[0]*t.Format.Size()
}

// border is the result of a fetch outside of the texture.
func (t *Texture) border() (c Texel) {
	for i, x := range t.Border[:t.Channels] {
		c[i] = math.Float32bits(x)
		if t.Kind == abi.Float || t.Bits == 32 {
			continue
		}
		raw := math.Float32bits(x)
		if !t.Integers {
			steps := float64(uint64(1)<<t.Bits - 1)
			least := 0.0
			if t.Kind == abi.Signed {
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
	case t.Kind == abi.Float && t.Bits == 16:
		return math.Float32bits(float32(softfloat.Half.Value(raw)))
	case t.Kind == abi.Float || t.Integers && t.Kind == abi.Unsigned:
		return raw
	case t.Integers:
		return uint32(signed)
	case t.Kind == abi.Unsigned:
		return math.Float32bits(float32(float64(raw) / float64(uint32(1)<<t.Bits-1)))
	}
	return math.Float32bits(float32(max(float64(signed)/float64(uint32(1)<<(t.Bits-1)-1), -1)))
}
