package dot

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// The kernels have blocks of Block threads, each of which loads perThread vectors of 16 bytes of a
// and of b before it uses the first: as many bytes are under way in a multiprocessor as it takes to
// cover the time that memory needs to answer. They ask for four blocks on a multiprocessor, not for
// more: left alone, the assembler makes room for more by loading one vector after the other.
const (
	Block     = 256
	perThread = 4
	tile      = Block * perThread
)

// OnePass32 loads 16 bytes with each instruction and keeps several loads, and several sums, going at
// once ([Share32]); the last block to be done adds up what all have left (collective.LastBlock). The
// result stays on the device after one launch, and blocks are added in their order, whichever comes
// last: it has the same bits each time.
//
// One block alone writes the result at once: the meeting, two trips through memory, would take as
// long as its work.
//
// Launch with any grid; a4 and b4 are the elements of a and b, up to the last few or none, as
// vectors; partial has an element a block, ticket[0] is 0 before, and after.
//
//gpu:kernel block=256 minblocks=4
func OnePass32(a4, b4 []gpu.Float32x4, a, b, partial []float32, ticket []uint32, result []float32) {
	lastAdds(Share32(a4, b4, a, b), partial, ticket, result)
}

// OnePass64 is OnePass32 for float64, two in a vector.
//
//gpu:kernel block=256 minblocks=4
func OnePass64(a2, b2 []gpu.Float64x2, a, b, partial []float64, ticket []uint32, result []float64) {
	lastAdds(Share64(a2, b2, a, b), partial, ticket, result)
}

// Share32 is the calling thread's part of the dot product of a and b, in a block of Block threads of
// any grid; a4 and b4 are their elements, up to the last few or none, as vectors. Each thread has
// several loads, and several sums, under way: a loop of one load and one sum waits for both. A block
// takes its vectors in tiles, of which one check says that they are inside a and b (in the spirit of
// step 7 of M. Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA 2007), many elements a
// thread).
func Share32(a4, b4 []gpu.Float32x4, a, b []float32) float32 {
	sums := vectors(a4, b4, func(s, x, y gpu.Float32x4) gpu.Float32x4 {
		return gpu.Float32x4{X: gpu.FMA(x.X, y.X, s.X), Y: gpu.FMA(x.Y, y.Y, s.Y), Z: gpu.FMA(x.Z, y.Z, s.Z), W: gpu.FMA(x.W, y.W, s.W)}
	})
	var sum float32
	for _, s := range sums {
		sum += (s.X + s.Y) + (s.Z + s.W)
	}
	return sum + elements(a[4*len(a4):], b[4*len(a4):])
}

// Share64 is Share32 for float64, two in a vector.
func Share64(a2, b2 []gpu.Float64x2, a, b []float64) float64 {
	sums := vectors(a2, b2, func(s, x, y gpu.Float64x2) gpu.Float64x2 {
		return gpu.Float64x2{X: gpu.FMA(x.X, y.X, s.X), Y: gpu.FMA(x.Y, y.Y, s.Y)}
	})
	var sum float64
	for _, s := range sums {
		sum += s.X + s.Y
	}
	return sum + elements(a[2*len(a2):], b[2*len(a2):])
}

// elements is the caller's part of the sum of the products of a and b, one element a step.
func elements[T gpu.Float](a, b []T) T {
	b = b[:len(a)]
	var sum T
	for i := range gpu.GridStride(len(a)) {
		sum += a[i] * b[i]
	}
	return sum
}

// vectors goes through the caller's vectors of a and b and keeps perThread sums of their products.
func vectors[V any](a, b []V, mulAdd func(sum, x, y V) V) (sums [perThread]V) {
	b = b[:len(a)]
	tid := gpu.ThreadIdx.X
	i := gpu.BlockIdx.X * tile
	for ; i+tile <= len(a); i += gpu.GridDim.X * tile {
		tileA, tileB := (*[tile]V)(a[i:i+tile]), (*[tile]V)(b[i:i+tile])
		var x, y [perThread]V
		for k := range perThread {
			x[k], y[k] = tileA[k*Block+tid], tileB[k*Block+tid]
		}
		for k := range perThread {
			sums[k] = mulAdd(sums[k], x[k], y[k])
		}
	}
	if i < len(a) { // one block has a tile that is not full: it loads the last vector for those behind it, and takes zeros
		var x, y [perThread]V
		var zero V
		for k := range perThread {
			j := i + k*Block + tid
			x[k], y[k] = a[min(j, len(a)-1)], b[min(j, len(a)-1)]
			if j >= len(a) {
				x[k], y[k] = zero, zero
			}
		}
		for k := range perThread {
			sums[k] = mulAdd(sums[k], x[k], y[k])
		}
	}
	return sums
}

// lastAdds adds the threads' sums to one result, in the last block.
func lastAdds[T gpu.Float](sum T, partial []T, ticket []uint32, result []T) {
	tid := gpu.ThreadIdx.X
	sum = collective.BlockSum(sum)
	if gpu.GridDim.X > 1 {
		if tid == 0 {
			partial[gpu.BlockIdx.X] = sum
		}
		if !collective.LastBlock(&ticket[0]) {
			return
		}
		sum = collective.BlockSum(addUp(partial[:gpu.GridDim.X]))
	}
	if tid == 0 {
		result[0] = sum
	}
}

// addUp is the caller's part of the sum of x. It loads several elements before it adds the first,
// as vectors does.
func addUp[T gpu.Float](x []T) T {
	const together = 16
	var sum T
	for i := gpu.ThreadIdx.X; i < len(x); i += together * Block {
		var v [together]T
		for k := range together {
			if j := i + k*Block; j < len(x) {
				v[k] = x[j]
			}
		}
		for k := range together {
			sum += v[k]
		}
	}
	return sum
}
