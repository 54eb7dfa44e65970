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
	"math/bits"

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
	// Texels are the texels, the first dimension side by side, layers last.
	Texels []byte
}

// Texel is the four channels of what a fetch gives: float32 by their bits, or integers.
type Texel [4]uint32

// size is how many texels there are in a dimension.
func (s *Shape) size(dim int) int { return max([]int{s.Width, s.Height, s.Depth}[dim], 1) }

// maxSize and maxLayers are the limits of a dimension and of layers.
const maxSize, maxLayers = 131072, 2048

// Check says what is wrong with a texture: its format, its shape, or the number of its texels.
func (t *Texture) Check() error {
	channels := t.Channels == 1 || t.Channels == 2 || t.Channels == 4
	if bits := t.Bits == 8 || t.Bits == 16 || t.Bits == 32; !channels || !bits || t.Kind == Float && t.Bits == 8 {
		return fmt.Errorf("a texel of %d channels of %d bits; want 1, 2 or 4 channels of 8, 16 or 32 bits, of floating-point numbers 16 or 32",
			t.Channels, t.Bits)
	}
	texels := uint64(max(t.Layers, 1)) // at most 2^51 for 3 dimensions, 2^45 for layers of 2
	for d, n := range []int{t.Width, t.Height, t.Depth} {
		texels *= uint64(t.size(d))
		if n < 0 || n == 0 && d == 0 || n > maxSize {
			return fmt.Errorf("a texture of %d by %d by %d texels; want 1 to %d in each dimension", t.Width, t.Height, t.Depth, maxSize)
		}
	}
	if t.Layers < 0 || t.Layers > maxLayers || t.Layers > 0 && t.Depth > 0 || t.Depth > 0 && t.Height == 0 {
		return fmt.Errorf("a texture of %d by %d by %d texels in %d layers; want at most %d layers of 1 or 2 dimensions", t.Width, t.Height, t.Depth, t.Layers, maxLayers)
	}
	if texels*uint64(t.Size()) != uint64(len(t.Texels)) {
		return fmt.Errorf("%d bytes of texels; want %d texels of %d bytes", len(t.Texels), texels, t.Size())
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

// Fetch reads at a point of a layer. Layers outside of the texture are the nearest one.
func (t *Texture) Fetch(at [3]float32, layer int) Texel {
	layer = t.layer(layer)
	if t.Linear && t.filters() {
		return t.linear(at, layer)
	}
	var i [3]int
	for d := range t.Dims() {
		n, ok := t.place(floor(t.coordinate(at[d], d)), d)
		if !ok {
			return t.border()
		}
		i[d] = n
	}
	return t.at(i, layer)
}

// FetchAt reads the texel of integral coordinates. Outside of the texture, and in an array of one
// dimension without layers, all channels are 0.
func (t *Texture) FetchAt(at [3]int32, layer int) Texel {
	if t.Layers == 0 {
		layer = 0
		if t.Dims() == 1 {
			return Texel{}
		}
	}
	if layer < 0 || layer >= max(t.Layers, 1) {
		return Texel{}
	}
	var i [3]int
	for d := range t.Dims() {
		i[d] = int(at[d])
		if at[d] < 0 || i[d] >= t.size(d) {
			return Texel{}
		}
	}
	return t.at(i, layer)
}

// layer is the layer of an index, which is unsigned.
func (t *Texture) layer(i int) int { return int(min(uint32(i), uint32(max(t.Layers, 1)-1))) }

// filters says whether a linear filter works on the format: on integers that are read as such none
// does.
func (t *Texture) filters() bool { return t.Kind == Float || !t.Integers && t.Bits < 32 }

// coordinate is a coordinate in texels. NaN counts as 0.
func (t *Texture) coordinate(x float32, dim int) float64 {
	if x != x {
		return 0
	}
	v := float64(x)
	if !t.Normalized {
		return min(max(v, -1<<24), 1<<24)
	}
	if t.Address[dim] == Wrap {
		v -= math.Floor(v)
	}
	if v != v { // an infinity that was wrapped
		v = 0
	}
	return min(max(float64(float32(v*float64(t.size(dim)))), -1<<24), 1<<24)
}

func floor(x float64) int { return int(math.Floor(x)) }

// place is the index of a texel by the mode of its dimension.
func (t *Texture) place(i, dim int) (int, bool) {
	n := t.size(dim)
	mode := t.Address[dim]
	if !t.Normalized && (mode == Wrap || mode == Mirror) {
		mode = Clamp
	}
	switch mode {
	case Border:
		return i, i >= 0 && i < n
	case Wrap:
		return ((i % n) + n) % n, true
	case Mirror:
		i = ((i % (2 * n)) + 2*n) % (2 * n)
		return min(i, 2*n-1-i), true
	}
	return min(max(i, 0), n-1), true
}

// neighbour is a texel and its weight in 256ths.
type neighbour struct {
	texel  Texel
	weight int64
}

// linear is the weighted sum of the texels around a point.
func (t *Texture) linear(at [3]float32, layer int) Texel {
	var first [3]int
	var w [3]int64
	dims := t.Dims()
	if dims == 1 && t.Layers == 0 { // which has a second dimension of one texel, at whose edge the point is
		dims, at[1] = 2, 0
	}
	for d := range dims {
		fixed := int64(math.Floor(t.coordinate(at[d], d)*256 - 128 + 0.5))
		first[d], w[d] = int(fixed>>8), fixed&255
	}
	var around [8]neighbour
	list := around[:0]
	for k := range 1 << dims {
		texel, ok := Texel{}, true
		var i [3]int
		for d := range dims {
			n, inside := t.place(first[d]+k>>d&1, d)
			i[d], ok = n, ok && inside
		}
		if texel = t.border(); ok {
			texel = t.at(i, layer)
		}
		list = append(list, neighbour{texel, cornerWeight(w, k, dims)})
	}
	var sum Texel
	for c := range sum {
		sum[c] = t.weighted(list, c)
	}
	return sum
}

// cornerWeight is the weight of a corner of the texels around a point: bit d of k says on which
// side it is in dimension d.
func cornerWeight(w [3]int64, k, dims int) int64 {
	pair := func(x, y int64, k int) int64 {
		both := (x*y + 128) >> 8
		return [4]int64{256 - x - y + both, x - both, y - both, both}[k]
	}
	switch dims {
	case 1:
		return [2]int64{256 - w[0], w[0]}[k]
	case 2:
		return pair(w[0], w[1], k)
	}
	plane := pair(w[0], w[1], k&3)
	upper := (plane*w[2] + 128) >> 8
	if k>>2 != 0 {
		return upper
	}
	return plane - upper
}

// keptBits is how many bits of a texel below the largest one's first bit are added.
const keptBits = 28

// weighted is the sum of a channel by its weights.
func (t *Texture) weighted(list []neighbour, c int) uint32 {
	if t.Kind != Float {
		return t.weightedIntegers(list, c)
	}
	most := math.MinInt
	for _, n := range list {
		f := math.Float32frombits(n.texel[c])
		if f != f || math.IsInf(float64(f), 0) {
			return special(list, c)
		}
		if n.weight == 0 {
			continue
		}
		if _, e := math.Frexp(float64(softfloat.Flush32(f))); f != 0 {
			most = max(most, e)
		}
	}
	if most == math.MinInt {
		return 0
	}
	var sum int64
	for _, n := range list {
		f := softfloat.Flush32(math.Float32frombits(n.texel[c]))
		sum += int64(math.Trunc(math.Ldexp(float64(f), keptBits-most))) * n.weight
	}
	if t.Bits == 16 {
		return roundedAway(sum, most-keptBits-8, 11)
	}
	return roundedAway(sum, most-keptBits-8, 24)
}

// weightedIntegers is the sum of a channel of integers, which are numbers of 16 bits in it.
func (t *Texture) weightedIntegers(list []neighbour, c int) uint32 {
	from, steps := int64(1)<<t.Bits-1, int64(1<<16-1)
	if t.Kind == Signed {
		from, steps = 1<<(t.Bits-1)-1, 1<<15-1
	}
	var sum int64
	for _, n := range list {
		raw := math.Round(float64(math.Float32frombits(n.texel[c])) * float64(from))
		sum += int64(raw) * n.weight
	}
	x := math.Floor(float64(sum*steps)/float64(256*from) + 0.5)
	return math.Float32bits(float32(x / float64(steps)))
}

// special is the sum of a channel with infinities or NaN.
func special(list []neighbour, c int) uint32 {
	sum := float32(0)
	for _, n := range list {
		if n.weight != 0 {
			sum += math.Float32frombits(n.texel[c]) * float32(n.weight) / 256
		}
	}
	if sum != sum {
		return softfloat.NaN32
	}
	return math.Float32bits(sum)
}

// roundedAway is the float32 nearest to x times a power of two, ties away from zero and subnormals
// flushed.
func roundedAway(x int64, exponent, precision int) uint32 {
	sign := uint32(0)
	if x < 0 {
		sign, x = 1<<31, -x
	}
	if x == 0 {
		return sign
	}
	n := bits.Len64(uint64(x))
	if n > precision {
		shift := n - precision
		x = (x>>(shift-1) + 1) >> 1
		exponent += shift
	}
	f := math.Ldexp(float64(x), exponent)
	if f > math.MaxFloat32 {
		return sign | 0x7f800000
	}
	return sign | math.Float32bits(softfloat.Flush32(float32(f)))
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

// at is the texel at an index, as a fetch gives it. Channels that the array does not have are 0.
func (t *Texture) at(i [3]int, layer int) Texel {
	index := ((layer*t.size(2)+i[2])*t.size(1)+i[1])*t.size(0) + i[0]
	b := t.Texels[index*t.Size():][:t.Size()]
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
