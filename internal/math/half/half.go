// Package half is the arithmetic of the floating-point numbers of 16 bits, on their bits: F16 is
// float16, IEEE 754's binary16, and BF16 is bfloat16, the upper half of a float32. Numbers of 8
// bits, E4M3 and E5M2, are converted only. Each operation is rounded once, to the nearest number
// and to the even one of two, unless its name says otherwise. A result that is not a number is NaN,
// whatever the operands were.
//
// Kernels reach this package through package gpu. The compiler takes an instruction in place of a
// function where the target has one (internal/language/compile/lower), and this code elsewhere. The
// bits are the same.
//
// Sums, products, quotients and square roots are computed in float32 and rounded again. The second
// rounding does no harm, because float32 has 24 digits, at least twice the operands' digits and two
// more: 24 >= 2*11 + 2 (Figueroa, When is double rounding innocuous?, 1995). BF16 has float32's
// exponents, so that both roundings may be to subnormal numbers. The middle between two numbers of
// BF16 is 2^15 units of float32 or more, and no product or quotient comes so near to it that the
// first rounding could reach it. Tests compare all pairs of operands where -all is given.
package half

import "github.com/gridstride/gridstride/internal/math/ieee"

// NaN is the number that stands for none, in both formats. Every GPU gives it.
const NaN = 0x7fff

const sign = 0x8000

// direction is how a magnitude is rounded.
type direction uint8

const (
	nearest direction = iota
	truncate
	away // from zero
)

// down and up are the directions in which a number with the sign of x is rounded towards -Inf and
// +Inf.
func down(x float32) direction {
	if ieee.Signbit(x) {
		return away
	}
	return truncate
}

func up(x float32) direction { return down(-x) }

// round drops low bits of a magnitude.
func round(magnitude, bits uint32, d direction) uint32 {
	kept, rest, middle := magnitude>>bits, magnitude&(1<<bits-1), uint32(1)<<(bits-1)
	if d == away && rest != 0 || d == nearest && (rest > middle || rest == middle && kept&1 != 0) {
		kept++
	}
	return kept
}

// single is x as a float32 from which each rounding gives what it gives from x: a float64 is
// rounded to odd (see [ieee.Odd]).
func single[F ieee.Float](x F) float32 {
	if ieee.Single[F]() {
		return float32(x)
	}
	return ieee.Odd(float64(x))
}
