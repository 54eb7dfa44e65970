package fast

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

//go:generate go tool gridstride build

// The kernels have blocks of Block threads. Each loads perThread vectors of 16 bytes of a and of b
// before it uses the first: as many bytes are under way in a multiprocessor as it takes to cover
// the time that memory needs to answer. They ask for four blocks on a multiprocessor, not for more:
// by default, the assembler makes room for more by loading one vector after the other.
const (
	Block     = 256
	perThread = 4
	tile      = Block * perThread
)

// OnePass loads 16 bytes with each instruction and keeps several loads, and several sums, going at
// once ([Share]). The last block to finish adds up the sums of all (collective.LastBlock). The
// result stays on the device after one launch. Blocks are added in order, whichever is last, so the
// bits are the same each time.
//
// One block alone writes the result at once: the meeting, two trips through memory, would take as
// long as its work.
//
// Launch with any grid. av and bv are elements of both vectors as vectors of 16 bytes. a and b are
// the elements that are not in those. partial has an element a block, ticket[0] is 0 before, and
// after.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func OnePass[T gpu.Float, V gpu.FloatVector[T, V]](av, bv []V, a, b, partial []T, ticket []uint32, result []T) {
	lastAdds(Share(av, bv, a, b), partial, ticket, result)
}

// Share is the calling thread's part of the dot product of av and bv and of a and b, in a block of
// Block threads of any grid. Each thread has several loads, and several sums, under way: a loop of
// one load and one sum waits for both. A block takes its vectors in tiles, and one check says that
// a tile is inside av and bv (in the spirit of step 7 of M. Harris, "Optimizing Parallel Reduction
// in CUDA" (NVIDIA 2007), many elements a thread).
func Share[T gpu.Float, V gpu.FloatVector[T, V]](av, bv []V, a, b []T) T {
	var sum T
	for _, s := range vectors[T](av, bv) {
		sum += s.Sum()
	}
	return sum + elements(a, b)
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
func vectors[T gpu.Float, V gpu.FloatVector[T, V]](a, b []V) (sums [perThread]V) {
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
			sums[k] = x[k].FMA(y[k], sums[k])
		}
	}
	if i < len(a) { // one block has a tile that is not full: it loads the last vector for later ones, and uses zeros
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
			sums[k] = x[k].FMA(y[k], sums[k])
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
