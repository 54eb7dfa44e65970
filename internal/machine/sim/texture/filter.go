package texture

import (
	"math"
	"math/bits"

	"github.com/gridstride/gridstride/internal/abi"
	"github.com/gridstride/gridstride/internal/machine/sim/softfloat"
)

// This file has the sums of texels by their weights.

// sample is a texel and its weight in 256ths.
type sample struct {
	texel  Texel
	weight int64
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
func (t *Texture) weighted(list []sample, c int) uint32 {
	if t.Kind != abi.Float {
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
func (t *Texture) weightedIntegers(list []sample, c int) uint32 {
	from, steps := int64(1)<<t.Bits-1, int64(1<<16-1)
	if t.Kind == abi.Signed {
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
func special(list []sample, c int) uint32 {
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
