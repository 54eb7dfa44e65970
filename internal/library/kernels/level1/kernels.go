package level1

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
	"github.com/gridstride/gridstride/internal/library/kernels/onepass"
)

//go:generate go tool gridstride build

// dot adds the products of the elements of x and y, each with one rounding for the multiplication
// and its addition.
//
// Launch with any grid of one dimension. xv and yv are the elements of x and y that are read as
// vectors of 16 bytes. rest says where the others are. partial has an element a block. ticket[0] is
// 0 before, and after. This holds for all kernels here.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func dot[T gpu.Float, V gpu.FloatVector[T, V]](xv, yv []V, x, y []T, rest onepass.Rest, partial []T, ticket []uint32, result []T) {
	sum := onepass.TakePairs(xv, yv, x, y, rest, 0, func(sum, v, w T) T { return gpu.FMA(v, w, sum) }, add[T])
	finishSum(sum, partial, ticket, result)
}

// dotExact32 adds the products in float64, in which they are exact.
//
//gpu:kernel block=256 minblocks=3
func dotExact32(xv, yv []gpu.Float32x4, x, y []float32, rest onepass.Rest, partial []float64, ticket []uint32, result []float32) {
	sum := onepass.TakePairs(xv, yv, x, y, rest, 0,
		func(sum float64, v, w float32) float64 { return gpu.FMA(float64(v), float64(w), sum) }, add[float64])
	sum, last := onepass.Finish(sum, 0, collective.BlockSum[float64], add[float64], partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0] = float32(sum)
	}
}

// Compensated is a sum, and what was lost of it by rounding.
type Compensated struct{ Sum, Lost float64 }

// dotExact64 is the algorithm Dot2 of T. Ogita, S. Rump and S. Oishi, "Accurate Sum and Dot
// Product" (SIAM J. Sci. Comput. 2005): the rounding errors of a product and an addition are
// computed exactly, and have a second sum. If that overflows, the first sum alone counts.
//
//gpu:kernel block=256 minblocks=3
func dotExact64(xv, yv []gpu.Float64x2, x, y []float64, rest onepass.Rest, partial []Compensated, ticket []uint32, result []float64) {
	c := onepass.TakePairs(xv, yv, x, y, rest, Compensated{}, func(c Compensated, v, w float64) Compensated {
		product := v * w
		lost := gpu.FMA(v, w, -product)
		return compensate(c, Compensated{product, lost})
	}, compensate)
	reduce := func(c Compensated) Compensated { return onepass.Tree(c, compensate) }
	c, last := onepass.Finish(c, Compensated{}, reduce, compensate, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		exact := c.Sum + c.Lost
		if gpu.IsNaN(exact) {
			exact = c.Sum
		}
		result[0] = exact
	}
}

// compensate adds two sums. What the addition loses is exact (D. Knuth's TwoSum).
func compensate(a, b Compensated) Compensated {
	sum := a.Sum + b.Sum
	z := sum - a.Sum
	lost := (a.Sum - (sum - z)) + (b.Sum - z)
	return Compensated{sum, a.Lost + (b.Lost + lost)}
}

// sum adds the elements of x.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func sum[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, partial []T, ticket []uint32, result []T) {
	finishSum(onepass.Take(xv, x, rest, 0, func(sum, v T, _ int) T { return sum + v }, add[T]), partial, ticket, result)
}

// sumSquares adds the squares of the elements of x, each with one rounding for the multiplication
// and its addition.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func sumSquares[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, partial []T, ticket []uint32, result []T) {
	finishSum(onepass.Take(xv, x, rest, 0, func(sum, v T, _ int) T { return gpu.FMA(v, v, sum) }, add[T]), partial, ticket, result)
}

// asum adds the absolute values of the elements of x.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func asum[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, partial []T, ticket []uint32, result []T) {
	finishSum(onepass.Take(xv, x, rest, 0, func(sum, v T, _ int) T { return sum + gpu.Abs(v) }, add[T]), partial, ticket, result)
}

// nrm2 is the Euclidean norm of x, without overflow or underflow.
//
//gpu:kernel block=256 minblocks=4 T:V=float32:gpu.Float32x4,float64:gpu.Float64x2
func nrm2[T gpu.Float, V gpu.FloatVector[T, V]](xv []V, x []T, rest onepass.Rest, scales onepass.Scales[T],
	partial []onepass.Squares[T], ticket []uint32, result []T,
) {
	plus, block := onepass.Squares[T].Plus, onepass.Squares[T].Block
	squares := onepass.Take(xv, x, rest, onepass.Squares[T]{},
		func(sum onepass.Squares[T], v T, _ int) onepass.Squares[T] { return scales.Add(sum, v, v, 0) }, plus)
	squares, last := onepass.Finish(squares, onepass.Squares[T]{}, block, plus, partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0] = squares.Root(scales)
	}
}

func add[T gpu.Float](x, y T) T { return x + y }

func finishSum[T gpu.Float](sum T, partial []T, ticket []uint32, result []T) {
	sum, last := onepass.Finish(sum, 0, collective.BlockSum[T], add[T], partial, ticket)
	if last && gpu.ThreadIdx.X == 0 {
		result[0] = sum
	}
}
