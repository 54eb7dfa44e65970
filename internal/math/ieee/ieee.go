// Package ieee is the operations of floating point that every processor gives the same bits for:
// IEEE 754 fixes their results. Packages math32 and math64 are written over them and nothing else,
// so that their results are the same on the host, on the simulator and on every GPU. The functions
// that take numbers apart are here too, as IEEE 754 fixes their results as well.
//
// Kernels reach these packages through package gpu. The compiler has instructions for the functions
// of this file. It compiles the others as they are.
package ieee

import "math"

// Float is the floating-point types.
type Float interface{ ~float32 | ~float64 }

// Single reports whether T is a float32, which has no place for 2^24 + 1. Its result is known when
// a function is compiled for T.
func Single[T Float]() bool {
	x := T(1 << 24)
	return x+1 == x
}

// Rounding the float32 results of package math a second time changes nothing below: they are exact,
// except Sqrt, where float64 has more than twice the bits (Figueroa, When is double rounding
// innocuous?, 1995).

// Sqrt is the square root of x, rounded to nearest.
func Sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// Abs is the absolute value of x.
func Abs[T Float](x T) T { return T(math.Abs(float64(x))) }

// Floor is the greatest integer value not above x.
func Floor[T Float](x T) T { return T(math.Floor(float64(x))) }

// Ceil is the least integer value not below x.
func Ceil[T Float](x T) T { return T(math.Ceil(float64(x))) }

// Trunc is the integer part of x.
func Trunc[T Float](x T) T { return T(math.Trunc(float64(x))) }

// RoundToEven is the nearest integer value to x, the even one of two.
func RoundToEven[T Float](x T) T { return T(math.RoundToEven(float64(x))) }

// Copysign is the value of x with the sign of sign.
func Copysign[T Float](x, sign T) T { return T(math.Copysign(float64(x), float64(sign))) }

// FMA is x*y + z, rounded once.
func FMA[T Float](x, y, z T) T {
	if Single[T]() {
		return T(fma32(float32(x), float32(y), float32(z)))
	}
	return T(math.FMA(float64(x), float64(y), float64(z)))
}

// fma32 computes in float64, where the product is exact. Rounding the sum a second time goes wrong
// only where the first rounding has given the middle of two float32, or a number that float32 has
// fewer bits for. There the sum is rounded to odd first (Boldo and Melquiond, Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd, 2008).
func fma32(x, y, z float32) float32 {
	const (
		dropped = 1<<29 - 1 // the bits of a float64 that a float32 does not have
		middle  = 1 << 28
		normal  = (1023 - 126) << 52 // the least normal float32
	)
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	bits := math.Float64bits(s)
	if bits&dropped != middle && bits&^(1<<63) >= normal || bits<<1 == 0 {
		return float32(s)
	}
	t := s - p // the error of the sum, by Knuth's TwoSum
	e := (p - (s - t)) + (c - t)
	if e != 0 && bits&1 == 0 {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

// Float32bits is the bits of x.
func Float32bits(x float32) uint32 { return math.Float32bits(x) }

// Float32frombits is the number of some bits.
func Float32frombits(b uint32) float32 { return math.Float32frombits(b) }

// Float64bits is the bits of x.
func Float64bits(x float64) uint64 { return math.Float64bits(x) }

// Float64frombits is the number of some bits.
func Float64frombits(b uint64) float64 { return math.Float64frombits(b) }
