package main

import (
	"math"
	"math/bits"
)

// reference is the dot product of a and b as exactly as float64 holds it, and the sum of the
// products' magnitudes. Each product is split into its rounded value and its rounding error, and
// the sum carries what it rounds off: algorithm Dot2 of T. Ogita, S. M. Rump and S. Oishi,
// "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005), with Neumaier's form of the
// compensated sum. An infinity or NaN among the elements gives what Go's own sum gives.
func reference[T PartialT](a, b []T) (dot, magnitude float64) {
	var sum, rest float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		product := x * y
		rest += math.FMA(x, y, -product)

		next := sum + product
		if math.Abs(sum) >= math.Abs(product) {
			rest += (sum - next) + product
		} else {
			rest += (product - next) + sum
		}
		sum = next
		magnitude += math.Abs(product)
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return sum, magnitude // rest is NaN: infinity minus infinity
	}
	return sum + rest, magnitude
}

// errorBound bounds how far the kernel's result may be from the exact one, from rounding alone. A
// term of the sum is rounded once as a product, once for each addition in its thread, and once for
// each level of its block's tree. The sum of k roundings is off by at most γ(k) = k·u/(1-k·u) of
// the magnitude, where u is half the distance from 1 to the next number (N. J. Higham, "Accuracy
// and Stability of Numerical Algorithms", 2nd ed., section 3.1). The blocks' results are added in
// float64. Each product may underflow besides, by half the smallest number at most.
func errorBound[T PartialT](n, blocks int, magnitude float64) float64 {
	u, smallest := 0x1p-53, 0x1p-1074
	if _, single := any(T(0)).(float32); single {
		u, smallest = 0x1p-24, 0x1p-149
	}
	perThread := (n + blocks*blockSize - 1) / (blocks * blockSize)
	k := float64(1 + perThread + bits.Len(blockSize-1))
	roundings := k*u + float64(blocks)*0x1p-53
	return roundings/(1-roundings)*magnitude + float64(n)*smallest
}
