package main

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/rand"
)

// blockSum adds up what the threads of a block hold as collective.BlockSum does: a tree in each
// warp, and then the warps from left to right. A sum in another order has other bits.
func blockSum[T gpu.Float](threads []T) T {
	sum := warpSum(threads[:min(gpu.WarpSize, len(threads))])
	for first := gpu.WarpSize; first < len(threads); first += gpu.WarpSize {
		sum += warpSum(threads[first:min(first+gpu.WarpSize, len(threads))])
	}
	return sum
}

// warpSum adds up what the threads of a warp hold as collective.WarpSum does: a thread takes in the
// one 16 lanes above it, then 8, and so on.
func warpSum[T gpu.Float](lanes []T) T {
	sums := append([]T(nil), lanes...)
	for d := gpu.WarpSize / 2; d > 0; d /= 2 {
		for i := range max(0, min(d, len(sums)-d)) {
			sums[i] += sums[i+d]
		}
	}
	return sums[0]
}

// uniform is n random numbers from low to high, the same ones in each run.
func uniform[T gpu.Float](n int, low, high T) []T {
	r := rand.New(1, uint64(n))
	x := make([]T, n)
	for i := range x {
		x[i] = low + T((high-low)*rand.Float[T](&r))
	}
	return x
}
