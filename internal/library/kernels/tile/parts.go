package tile

import (
	"math"

	"github.com/gridstride/gridstride/gpu"
)

// SumParts is how many parts a factor has that [MultiplyParts] multiplies.
const SumParts = 3

// shiftedBits is how many bits the largest number of a row has before the binary point, once it is
// shifted: a sum of 2^31 products is far from an infinity, and a number needs 2^-157 of the largest
// to have all its bits in three parts.
const shiftedBits = 48

// PartShift is by which power of two the numbers of a row are multiplied before they become parts,
// from the largest exponent of float32 that a finite one has, as its bits are.
func PartShift(exponent int32) int { return shiftedBits + 126 - int(exponent) }

// PartScales are two numbers whose product is the power of two by which the numbers of a row are
// multiplied, one after the other. Only the first may make a number smaller, and so round it.
func PartScales(exponent int32) (scale, rest float32) {
	shift := PartShift(exponent)
	first := min(shift, 127)
	return power(first), power(shift - first)
}

// power is 2^n, of -126 up to 127.
func power(n int) float32 { return math.Float32frombits(uint32(n+127) << 23) }

// Parts are three numbers whose sum x is. A number that is not finite is the first of them. A
// number that is not 0 has a first part that is not: products with infinities depend on it.
func Parts(x float32) (first, second, third gpu.BFloat16) {
	first = gpu.BFloat16Of(x)
	if x-x != 0 {
		return first, second, third
	}
	if x != 0 && first.Float32() == 0 {
		return gpu.BFloat16FromBits(uint16(math.Float32bits(x)>>16) | 1), second, third
	}
	rest := x - first.Float32()
	second = gpu.BFloat16Of(rest)
	return first, second, gpu.BFloat16Of(rest - second.Float32())
}

// FiniteBits are the bits of |x|, which are ordered as numbers are, and 0 for what is not finite.
func FiniteBits(x float32) uint32 {
	b := math.Float32bits(x) &^ (1 << 31)
	if b >= 0x7f800000 {
		return 0
	}
	return b
}
