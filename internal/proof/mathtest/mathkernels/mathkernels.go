// Package mathkernels has the bodies of kernels that try out the mathematics. The host calls it as
// well, for the expected results. The kernels themselves are text that mathtest makes, one set for
// each function of its table.
package mathkernels

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/internal/math/ieee"
)

// Map sets y[i] to f(x[i]).
func Map[T gpu.Float](x, y []T, f func(x T) T) {
	for i := range gpu.GridStride(min(len(x), len(y))) {
		y[i] = f(x[i])
	}
}

// MapPairs sets z[i] to f(x[i], y[i]).
func MapPairs[T gpu.Float](x, y, z []T, f func(x, y T) T) {
	for i := range gpu.GridStride(min(len(x), len(y), len(z))) {
		z[i] = f(x[i], y[i])
	}
}

// Repeat applies f to rounds*unrolled arguments in each thread, in registers: from low to high,
// evenly, and with another start in each thread. It adds the results up, so that none can be left
// out.
func Repeat[T gpu.Float](sums []T, rounds int, r Range[T], f func(x T) T) {
	x, step := share(rounds, r)
	var sum T
	for range rounds {
		for range unrolled {
			sum += f(x)
			x += step
		}
	}
	sums[thread()] = sum
}

// RepeatPairs is Repeat for functions of two arguments. The second ones go down.
func RepeatPairs[T gpu.Float](sums []T, rounds int, r, s Range[T], f func(x, y T) T) {
	x, step := share(rounds, r)
	down, stepDown := share(rounds, s)
	y := s.Low + s.Width - (down - s.Low)
	var sum T
	for range rounds {
		for range unrolled {
			sum += f(x, y)
			x += step
			y -= stepDown
		}
	}
	sums[thread()] = sum
}

// share is where the arguments of this thread start, in the lower half of a range, and the step
// with which they go on by half of it.
func share[T gpu.Float](rounds int, r Range[T]) (start, step T) {
	half := r.Width / 2
	return r.Low + T(half*(T(thread())/T(gpu.GridDim.X*gpu.BlockDim.X))), half / T(rounds*unrolled)
}

func thread() int { return gpu.BlockIdx.X*gpu.BlockDim.X + gpu.ThreadIdx.X }

// unrolled is how many calls of a function follow each other.
const unrolled = 8

// A Range is a range of arguments: from Low on, for Width.
type Range[T gpu.Float] struct{ Low, Width T }

// Hash adds to hashes[i] the hash of f at the size arguments from first + i*size on, for each i,
// with a block for each i at a time.
func Hash[T gpu.Float](hashes []uint64, first uint64, size int, r Range[T], f func(x T) T) {
	for i := gpu.BlockIdx.X; i < len(hashes); i += gpu.GridDim.X {
		var hash uint64
		for j := gpu.ThreadIdx.X; j < size; j += gpu.BlockDim.X {
			n := first + uint64(i*size+j)
			hash += Mix(f(Argument(n, r)), n)
		}
		gpu.AtomicAdd(&hashes[i], hash)
	}
}

// HashPairs is Hash for functions of two arguments.
func HashPairs[T gpu.Float](hashes []uint64, first uint64, size int, r, s Range[T], f func(x, y T) T) {
	for i := gpu.BlockIdx.X; i < len(hashes); i += gpu.GridDim.X {
		var hash uint64
		for j := gpu.ThreadIdx.X; j < size; j += gpu.BlockDim.X {
			n := first + uint64(i*size+j)
			hash += Mix(f(Argument(n, r), Argument(^n, s)), n)
		}
		gpu.AtomicAdd(&hashes[i], hash)
	}
}

// Argument is the n-th argument. Without a range it is the number with the bits n. With one, a
// quarter are random bits and the others are in the range.
func Argument[T gpu.Float](n uint64, r Range[T]) T {
	random := n
	if r.Width != 0 {
		random = scramble(n)
		if random&3 != 0 {
			u := T(random>>11) / (1 << 53)
			return r.Low + T(r.Width*u)
		}
		random = scramble(random)
	}
	if ieee.Single[T]() {
		return T(ieee.Float32frombits(uint32(random)))
	}
	return T(ieee.Float64frombits(random))
}

// scramble is a random number for n: splitmix64 (G. L. Steele, D. Lea and C. H. Flood, Fast
// splittable pseudorandom number generators, 2014).
func scramble(n uint64) uint64 {
	n = (n + 1) * 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// Mix is the part of result n in a hash. All NaNs count as one.
func Mix[T gpu.Float](x T, n uint64) uint64 {
	var bits uint64
	switch {
	case x != x:
		bits = 0x7ff8 << 48
	case ieee.Single[T]():
		bits = uint64(ieee.Float32bits(float32(x)))
	default:
		bits = ieee.Float64bits(float64(x))
	}
	hash := (bits ^ n<<1) * 0x9e3779b97f4a7c15
	return (hash ^ hash>>29) * (n | 1)
}

// Integer is x as an integer from -2^31 to 2^31, 0 for NaN.
func Integer[T gpu.Float](x T) int {
	if x != x {
		return 0
	}
	return int(max(min(x, 1<<31), -1<<31))
}

// Order is an order of a Bessel function for any number: those are integers, and not large, as the
// error grows with them.
func Order[T gpu.Float](n T) int {
	if !(n > -26 && n < 26) {
		return 3
	}
	return int(n)
}
