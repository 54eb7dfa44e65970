package onepass

import (
	"github.com/gridstride/gridstride/gpu"
	"github.com/gridstride/gridstride/gpu/collective"
)

// Squares is a sum of squares that neither overflows nor underflows: large and small numbers are
// scaled, and added apart. It is J. Blue's algorithm as in E. Anderson, "Algorithm 978: Safe
// Scaling in the Level 1 BLAS" (TOMS 2017).
type Squares[T gpu.Float] struct{ Middle, Large, Small T }

// Scales are the constants of [Squares] for a type: above Large and below Small numbers are
// multiplied by Down and by Up.
type Scales[T gpu.Float] struct{ Large, Down, Small, Up T }

// Scales32 and Scales64 are the types' Scales.
var (
	Scales32 = Scales[float32]{Large: 0x1p52, Down: 0x1p-76, Small: 0x1p-63, Up: 0x1p75}
	Scales64 = Scales[float64]{Large: 0x1p486, Down: 0x1p-538, Small: 0x1p-511, Up: 0x1p537}
)

// Add adds the square of v, which is x-y. Their difference may be too large for the type.
func (s Scales[T]) Add(sum Squares[T], v, x, y T) Squares[T] {
	var large, small, middle T
	switch a := gpu.Abs(v); {
	case a > s.Large:
		large = x*s.Down - y*s.Down
	case a < s.Small:
		small = v * s.Up
	default:
		middle = v
	}
	return Squares[T]{gpu.FMA(middle, middle, sum.Middle), gpu.FMA(large, large, sum.Large), gpu.FMA(small, small, sum.Small)}
}

// Plus is the sum of both.
func (s Squares[T]) Plus(other Squares[T]) Squares[T] {
	return Squares[T]{s.Middle + other.Middle, s.Large + other.Large, s.Small + other.Small}
}

// Block is the sum over the threads of the block.
func (s Squares[T]) Block() Squares[T] {
	return Squares[T]{collective.BlockSum(s.Middle), collective.BlockSum(s.Large), collective.BlockSum(s.Small)}
}

// Root is the square root of the sum.
func (s Squares[T]) Root(by Scales[T]) T {
	has := !(s.Middle == 0) // or is NaN
	switch {
	case s.Large > 0:
		if has {
			s.Large = gpu.FMA(s.Middle*by.Down, by.Down, s.Large)
		}
		return gpu.Sqrt(s.Large) / by.Down
	case s.Small > 0 && has:
		small, middle := gpu.Sqrt(s.Small)/by.Up, gpu.Sqrt(s.Middle)
		least, most := min(small, middle), max(small, middle)
		return most * gpu.Sqrt(gpu.FMA(least/most, least/most, 1))
	case s.Small > 0:
		return gpu.Sqrt(s.Small) / by.Up
	}
	return gpu.Sqrt(s.Middle)
}
