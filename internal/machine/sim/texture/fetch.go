package texture

import (
	"math"

	"github.com/gridstride/gridstride/internal/abi"
)

// This file finds the texels that a fetch reads.

// Footprint is the texels that a fetch reads, and the weight of each.
type Footprint struct {
	list     [8]neighbour
	n        int
	filtered bool
}

// neighbour is where a texel is and its weight in 256ths.
type neighbour struct {
	at     int // its first byte in the texels, outside for the border
	weight int64
}

const outside = -1

// Reads gives the place of each texel that the fetch reads and that counts: its first byte. There is
// none for a texel of the border.
func (f *Footprint) Reads(do func(k, at int)) {
	for k, n := range f.list[:f.n] {
		if n.at != outside && n.weight != 0 {
			do(k, n.at)
		}
	}
}

// one is the footprint of a single texel.
func one(at int) Footprint {
	return Footprint{list: [8]neighbour{{at, 256}}, n: 1}
}

// Point returns the texels that a fetch at a point of a layer reads. Layers outside of the texture
// are the nearest one. A point of a cube is a direction, which meets one of its faces.
func (t *Texture) Point(at [3]float32, layer int) Footprint {
	image := t.layer(layer)
	if t.Cube {
		face, s, u := faceOf(at)
		at, image = [3]float32{s, u}, image*abi.Faces+face
	}
	if t.Linear && t.filters() {
		return t.around(at, image)
	}
	var i [3]int
	for d := range t.Dims() {
		n, ok := t.place(floor(t.coordinate(at[d], d)), d)
		if !ok {
			return one(outside)
		}
		i[d] = n
	}
	return one(t.offset(i, image))
}

// PointAt returns the texels that a fetch at integral coordinates reads. There are none outside of
// the texture, and in an array of one dimension without layers.
func (t *Texture) PointAt(at [3]int32, layer int) Footprint {
	switch {
	case t.Layers == 0:
		layer = 0
		if t.Dims() == 1 && !t.Buffer {
			return Footprint{}
		}
	case layer < 0 || layer >= t.Layers:
		return Footprint{}
	}
	var i [3]int
	for d := range t.Dims() {
		i[d] = int(at[d])
		if at[d] < 0 || i[d] >= t.Extent(d) {
			return Footprint{}
		}
	}
	return one(t.offset(i, layer))
}

// Corners returns the texels that a gather at a point of a layer reads: the four that a linear
// filter would add up, from the lower left one on, counter-clockwise with y upwards.
func (t *Texture) Corners(at [3]float32, layer int) Footprint {
	image := t.layer(layer)
	if t.Cube {
		face, s, u := faceOf(at)
		at, image = [3]float32{s, u}, image*abi.Faces+face
	}
	around := t.around(at, image)
	f := Footprint{n: 4}
	for k, corner := range [4]int{2, 3, 1, 0} {
		f.list[k] = neighbour{around.list[corner].at, 256}
	}
	return f
}

// Value is the result of a fetch.
func (t *Texture) Value(f *Footprint) Texel {
	switch {
	case f.n == 0:
		return Texel{}
	case !f.filtered:
		return t.texel(f.list[0].at)
	}
	var list [8]sample
	for k, n := range f.list[:f.n] {
		list[k] = sample{t.texel(n.at), n.weight}
	}
	var sum Texel
	for c := range sum {
		sum[c] = t.weighted(list[:f.n], c)
	}
	return sum
}

// Gather is the result of a gather: a channel of each of four texels.
func (t *Texture) Gather(f *Footprint, channel int) (g Texel) {
	for k := range g {
		g[k] = t.texel(f.list[k].at)[channel&3]
	}
	return g
}

// texel is the texel at a place.
func (t *Texture) texel(at int) Texel {
	if at == outside {
		return t.border()
	}
	return t.at(t.Texels[at:][:t.Format.Size()])
}

// layer is the layer of an index, which is unsigned.
func (t *Texture) layer(i int) int { return int(min(uint32(i), uint32(max(t.Layers, 1)-1))) }

// faceOf is the face that a direction meets, and where: CUDA's guide has it in the table of cube
// maps.
func faceOf(at [3]float32) (face int, s, t float32) {
	x, y, z := at[0], at[1], at[2]
	size := func(v float32) float32 { return float32(math.Abs(float64(v))) }
	var m float32
	switch {
	case size(x) > size(y) && size(x) > size(z):
		face, m, s, t = 0, x, -z, -y
		if x < 0 {
			face, m, s = 1, -x, z
		}
	case size(y) >= size(x) && size(y) > size(z):
		face, m, s, t = 2, y, x, z
		if y < 0 {
			face, m, t = 3, -y, -z
		}
	default:
		face, m, s, t = 4, z, x, -y
		if z < 0 {
			face, m, s = 5, -z, -x
		}
	}
	return face, (s/m + 1) / 2, (t/m + 1) / 2
}

// coordinate is a coordinate in texels. NaN counts as 0.
func (t *Texture) coordinate(x float32, dim int) float64 {
	if x != x {
		return 0
	}
	v := float64(x)
	if !t.Normalized {
		return min(max(v, -1<<24), 1<<24)
	}
	if t.Address[dim] == abi.Wrap {
		v -= math.Floor(v)
	}
	if v != v { // an infinity that was wrapped
		v = 0
	}
	return min(max(float64(float32(v*float64(t.Extent(dim)))), -1<<24), 1<<24)
}

func floor(x float64) int { return int(math.Floor(x)) }

// place is the index of a texel by the mode of its dimension.
func (t *Texture) place(i, dim int) (int, bool) {
	n := t.Extent(dim)
	mode := t.Address[dim]
	if !t.Normalized && (mode == abi.Wrap || mode == abi.Mirror) {
		mode = abi.Clamp
	}
	switch mode {
	case abi.Border:
		return i, i >= 0 && i < n
	case abi.Wrap:
		return ((i % n) + n) % n, true
	case abi.Mirror:
		i = ((i % (2 * n)) + 2*n) % (2 * n)
		return min(i, 2*n-1-i), true
	}
	return min(max(i, 0), n-1), true
}

// around is the texels around a point of an image, as a linear filter weighs them.
func (t *Texture) around(at [3]float32, image int) Footprint {
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
	f := Footprint{n: 1 << dims, filtered: true}
	for k := range 1 << dims {
		ok := true
		var i [3]int
		for d := range dims {
			n, inside := t.place(first[d]+k>>d&1, d)
			i[d], ok = n, ok && inside
		}
		f.list[k] = neighbour{outside, cornerWeight(w, k, dims)}
		if ok {
			f.list[k].at = t.offset(i, image)
		}
	}
	return f
}
