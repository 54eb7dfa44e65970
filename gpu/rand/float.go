package rand

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/math/ieee"
)

// Float32 is a number in [0, 1): a multiple of 2^-24, all of them as likely. It draws one word.
func (r *Rand) Float32() float32 { return unit32(r.Uint32()) }

// Float64 is a number in [0, 1): a multiple of 2^-53, all of them as likely. It draws two words.
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }

// Float32x4 is four numbers as [Rand.Float32] draws them, of one block (see [Rand.Uint32x4]).
func (r *Rand) Float32x4() gpu.Float32x4 {
	b := r.Uint32x4()
	return gpu.Float32x4{X: unit32(b.X), Y: unit32(b.Y), Z: unit32(b.Z), W: unit32(b.W)}
}

// Float is [Rand.Float32] or [Rand.Float64], for generic kernels.
func Float[T gpu.Float](r *Rand) T {
	if ieee.Single[T]() {
		return T(r.Float32())
	}
	return T(r.Float64())
}

// unit32 is a number in [0, 1) of the word's upper 24 bits.
func unit32(w uint32) float32 { return float32(w>>8) * 0x1p-24 }
