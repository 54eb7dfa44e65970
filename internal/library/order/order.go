// Package order is the order in which elements are combined and shuffled: the same on a device as on
// slices of the host, so that results have the same bits. Kernels call its functions, so it imports
// nothing of this module.
package order

import (
	"math/bits"
	"unsafe"
)

const (
	// Block is the number of threads of a block.
	Block = 256
	// ReduceItems is how many elements of a tile a thread combines in a reduction: those a block apart.
	ReduceItems = 16
	// MaxBlocks is the largest grid of kernels whose blocks meet: 12 blocks for each of the 132
	// multiprocessors of an H200, which reads 2^28 elements up to 3% faster with these than with 64
	// (the blocks meet less often), or with 4. It does not depend on the device, so that a result does
	// not.
	MaxBlocks = 12 * 132
	// MaxScanItems is the most that ScanItems returns.
	MaxScanItems = 16
)

// ReduceBlocks is the grid of a reduction of n elements. It does not depend on the device, so that the
// order in which elements are combined does not.
func ReduceBlocks(n int) int {
	const tile = Block * ReduceItems
	return min(max((n+tile-1)/tile, 1), MaxBlocks)
}

// ScanItems is how many adjacent elements of a type a thread has in a tile of a scan: few enough that
// many blocks run at a time, since a tile waits for the tiles before it.
func ScanItems[T any]() int {
	switch size := unsafe.Sizeof(*new(T)); {
	case size <= 4:
		return MaxScanItems
	case size <= 8:
		return 8
	case size <= 16:
		return 4
	}
	return 2
}

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

// Rounds is the number of rounds of the network.
const Rounds = 12

// Round is round r of the network on a number's lower and upper half.
func (p Permutation) Round(r int, low, high uint64) (uint64, uint64) {
	mask := uint64(1)<<p.Half - 1
	return high ^ mix(low+p.Seed+uint64(r)*0x9e3779b97f4a7c15)&mask, low
}

// Of is where i is in the permutation.
func (p Permutation) Of(i int) int {
	x, mask := uint64(i), uint64(1)<<p.Half-1
	for {
		low, high := x&mask, x>>p.Half
		for r := range Rounds {
			low, high = p.Round(r, low, high)
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
