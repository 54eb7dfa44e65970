package kernels

import (
	"math/bits"

	"github.com/gridstride/gridstride/gpu"
)

// shuffleRounds is the number of rounds of a [Permutation].
const shuffleRounds = 12

// Permutation is a permutation of the numbers below N: a Feistel network on an even number of bits,
// repeated where it leads to N and above (R. Mitchell et al., "Bandwidth-Optimal Random Shuffling for
// GPUs", ACM TOPC 2022).
type Permutation struct {
	N    int
	Half int // of the bits
	Seed uint64
}

// PermutationOf is a permutation of the numbers below n.
func PermutationOf(n int, seed uint64) Permutation {
	return Permutation{n, (bits.Len64(uint64(max(n-1, 3))) + 1) / 2, seed}
}

// Of is where i is in the permutation.
func (p Permutation) Of(i int) int {
	x, mask := uint64(i), uint64(1)<<p.Half-1
	for {
		low, high := x&mask, x>>p.Half
		for r := range shuffleRounds {
			low, high = high^mix(low+p.Seed+uint64(r)*0x9e3779b97f4a7c15)&mask, low
		}
		if x = high<<p.Half | low; x < uint64(p.N) {
			return int(x)
		}
	}
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Shuffle sets dst[i] to the element of src where i is in a permutation.
//
//gpu:kernel open block=256
func Shuffle[T any](dst, src []T, p Permutation) {
	for i := range gpu.GridStride(len(src)) {
		dst[i] = src[p.Of(i)]
	}
}
