package mathkernels

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// NoFloor is the floor of functions that have none.
func NoFloor(x, y float64) float64 { return 0 }

// Swing is the amplitude of the Bessel functions of x, if errors are relative to it.
func Swing(x, y float64) float64 {
	if gpu.Abs(x) < 8 {
		return 0
	}
	return gpu.Sqrt(2 / (math.Pi * gpu.Abs(x)))
}

// SwingOfOrder is Swing for Jn and Yn, from a smaller x on: beyond 1 and beyond the order. Up to
// the order the functions have no zeros.
func SwingOfOrder(n, x float64) float64 {
	if a := gpu.Abs(x); a > 1 && a > gpu.Abs(float64(Order(n))) {
		return gpu.Sqrt(2 / (math.Pi * a))
	}
	return 0
}

// LgammaFloor is 1 between the zeros of Lgamma at negative numbers, near which the error is not
// small relative to the result.
func LgammaFloor(x, y float64) float64 {
	if x < -2 && x > -30 {
		return 1
	}
	return 0
}
