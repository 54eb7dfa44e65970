package rand

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/math/ieee"
)

// The numbers of other distributions, except NormFloat32x4, are made by inversion: the inverse of
// the distribution function, of one uniform number (L. Devroye, "Non-Uniform Random Variate
// Generation", Springer 1986, chapter II). It needs no loop and no table, draws the same number of
// words each time, and a larger uniform number gives a larger result, or a smaller one, so that
// pairs and sequences of uniform numbers keep their properties. math/rand/v2's functions of these
// names take another way and give other numbers.

// NormFloat32 is a number of the normal distribution with mean 0 and standard deviation 1, at most
// 6.34 from 0. It draws one word. Mean m and standard deviation s are made by gpu.FMA(s, x, m).
func (r *Rand) NormFloat32() float32 { return norm32(r.Uint32()) }

// NormFloat64 is a number of the normal distribution with mean 0 and standard deviation 1, at most
// 9.16 from 0. It draws two words.
func (r *Rand) NormFloat64() float64 { return norm64(r.Uint64()) }

// NormFloat32x4 is four numbers of the distribution of [Rand.NormFloat32], at most 6.77 from 0. It
// draws four words, of one block (see [Rand.Uint32x4]), and makes two pairs of them, which is
// cheaper than four inversions. NormFloat32 makes other numbers of these words. The pairs follow G.
// E. P. Box and M. E. Muller, "A Note on the Generation of Random Normal Deviates", Annals of
// Mathematical Statistics 29 (1958).
func (r *Rand) NormFloat32x4() gpu.Float32x4 {
	b := r.Uint32x4()
	x, y := normPair(b.X, b.Y)
	z, w := normPair(b.Z, b.W)
	return gpu.Float32x4{X: x, Y: y, Z: z, W: w}
}

// normPair takes the distance of a point of the plane from one word, and its direction from the
// other.
func normPair(distance, direction uint32) (x, y float32) {
	d := gpu.Sqrt(2 * exp32(distance))
	turn := float32(int32(direction)) * 0x1p-31 // half turns, from -1 to 1
	return float32(d * gpu.Cospi(turn)), float32(d * gpu.Sinpi(turn))
}

// NormFloat is [Rand.NormFloat32] or [Rand.NormFloat64], for generic kernels.
func NormFloat[T gpu.Float](r *Rand) T {
	if ieee.Single[T]() {
		return T(r.NormFloat32())
	}
	return T(r.NormFloat64())
}

// ExpFloat32 is a number of the exponential distribution with mean 1, from 0 to 22.9. It draws one
// word. Divide it by a rate other than 1.
func (r *Rand) ExpFloat32() float32 { return exp32(r.Uint32()) }

// ExpFloat64 is a number of the exponential distribution with mean 1, from 0 to 45.1. It draws two
// words.
func (r *Rand) ExpFloat64() float64 { return exp64(r.Uint64()) }

// ExpFloat is [Rand.ExpFloat32] or [Rand.ExpFloat64], for generic kernels.
func ExpFloat[T gpu.Float](r *Rand) T {
	if ieee.Single[T]() {
		return T(r.ExpFloat32())
	}
	return T(r.ExpFloat64())
}

// norm32 takes the sign from the upper bit and the distance from 0 from the others, so that both
// sides have the same numbers: with v in (0, 1] as the probability of a larger distance that is
// √2*erfcinv(v).
func norm32(w uint32) float32 {
	v := float32(float32(w&^(1<<31))*0x1p-31) + 0x1p-32
	x := float32(math.Sqrt2 * gpu.Erfcinv(v))
	return math.Float32frombits(w&(1<<31) | math.Float32bits(x))
}

// norm64 is as norm32.
func norm64(w uint64) float64 {
	v := float64(float64(w&^(1<<63))*0x1p-63) + 0x1p-64
	x := float64(math.Sqrt2 * gpu.Erfcinv(v))
	return math.Float64frombits(w&(1<<63) | math.Float64bits(x))
}

// exp32 is -log(v), with v in (0, 1].
func exp32(w uint32) float32 { return -gpu.Log(float32(float32(w)*0x1p-32) + 0x1p-33) }

// exp64 is as exp32.
func exp64(w uint64) float64 { return -gpu.Log(float64(float64(w)*0x1p-64) + 0x1p-65) }
