package level1

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
)

// Candidate is the best element so far, and its place.
type Candidate[T gpu.Float] struct {
	Value T
	At    int
}

// none is the place of no element.
const none = 1<<63 - 1

// least finds the smallest element of x, which has one or more. NaN is smaller than every number,
// and -0 smaller than +0.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func least[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, partial []T, ticket []uint32, result []T) {
	extreme(xv, x, rest, T(math.Inf(1)), func(v, w T) T { return min(v, w) }, partial, ticket, result)
}

// greatest finds the largest element of x, which has one or more. NaN is larger than every number,
// and +0 larger than -0.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func greatest[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, partial []T, ticket []uint32, result []T) {
	extreme(xv, x, rest, T(math.Inf(-1)), func(v, w T) T { return max(v, w) }, partial, ticket, result)
}

// extreme is the body of least and greatest. start changes nothing.
func extreme[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, start T, op func(v, w T) T,
	partial []T, ticket []uint32, result []T,
) {
	v := onepass.Take(xv, x, rest, start, func(best, v T, _ int) T { return op(best, v) }, op)
	reduce := func(v T) T { return collective.BlockReduce(v, op) }
	if v, last := onepass.Finish(v, start, reduce, op, partial, ticket); last && gpu.ThreadIdx.X == 0 {
		result[0] = v
	}
}

// argMin finds the place of the smallest element of x, the first of several: NaN is smaller than
// every number, and zeros of both signs are equal. The place in an empty vector is -1.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func argMin[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, partial []Candidate[T], ticket []uint32, at []int) {
	search(xv, x, rest, T(math.Inf(1)), func(v T) T { return v }, func(v, best T) bool { return !(v >= best) }, partial, ticket, at)
}

// argMax finds the place of the largest element of x as [argMin] does. NaN is larger than every
// number.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func argMax[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, partial []Candidate[T], ticket []uint32, at []int) {
	search(xv, x, rest, T(math.Inf(-1)), func(v T) T { return v }, func(v, best T) bool { return !(v <= best) }, partial, ticket, at)
}

// argMaxAbs finds the place of the largest absolute value of x as [argMax] does.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func argMaxAbs[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, partial []Candidate[T], ticket []uint32, at []int) {
	search(xv, x, rest, T(math.Inf(-1)), gpu.Abs[T], func(v, best T) bool { return !(v <= best) }, partial, ticket, at)
}

// search is the body of the kernels that find a place. beyond reports that v precedes best, or that
// one of them is NaN. No number follows worst. No thread takes an element that is worst: if all
// are, the first one counts.
func search[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, worst T,
	key func(v T) T, beyond func(v, best T) bool, partial []Candidate[T], ticket []uint32, at []int,
) {
	if len(xv) == 0 && rest.N == 0 {
		if gpu.ThreadIdx.X == 0 {
			at[0] = -1
		}
		return
	}
	start := Candidate[T]{worst, none}
	better := func(v, best T) bool { return beyond(v, best) && !gpu.IsNaN(best) }
	take := func(best Candidate[T], v T, i int) Candidate[T] { // a thread's elements come in their order
		if v = key(v); better(v, best.Value) {
			return Candidate[T]{v, i}
		}
		return best
	}
	merge := func(a, b Candidate[T]) Candidate[T] {
		if better(b.Value, a.Value) || b.At < a.At && !better(a.Value, b.Value) {
			return b
		}
		return a
	}
	reduce := func(c Candidate[T]) Candidate[T] { // first the value, then the first place that has it
		v := collective.BlockReduce(c.Value, func(v, w T) T {
			if better(w, v) {
				return w
			}
			return v
		})
		if better(v, c.Value) {
			c.At = none
		}
		return Candidate[T]{v, collective.BlockMin(c.At)}
	}
	best := onepass.Take(xv, x, rest, start, take, merge)
	best, last := onepass.Finish(best, start, reduce, merge, partial, ticket)
	if !last || gpu.ThreadIdx.X > 0 {
		return
	}
	if best.At == none {
		best.At = 0
	}
	at[0] = best.At
}
