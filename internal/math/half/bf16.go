package half

import "github.com/gridstride/gridstride/internal/math/ieee"

// BF16Inf is +Inf.
const BF16Inf = 0x7f80

// BF16ToF32 is the value of h, exactly.
func BF16ToF32(h uint16) float32 { return ieee.Float32frombits(uint32(h) << 16) }

// BF16Nearest is the number nearest to x.
func BF16Nearest[F ieee.Float](x F) uint16 { return roundBF16(single(x), nearest) }

// BF16Zero is x rounded towards zero.
func BF16Zero[F ieee.Float](x F) uint16 { return roundBF16(single(x), truncate) }

// BF16Down is x rounded towards -Inf.
func BF16Down[F ieee.Float](x F) uint16 { return roundBF16(single(x), down(single(x))) }

// BF16Up is x rounded towards +Inf.
func BF16Up[F ieee.Float](x F) uint16 { return roundBF16(single(x), up(single(x))) }

// roundBF16 drops the low half of x. A carry out of the significand belongs into the exponent, and
// out of the largest exponent makes an infinity.
func roundBF16(x float32, d direction) uint16 {
	if x != x {
		return NaN
	}
	b := ieee.Float32bits(x)
	switch d {
	case nearest:
		b += 0x7fff + b>>16&1
	case away:
		b += 0xffff
	}
	return uint16(b >> 16)
}

// BF16Add is x + y.
func BF16Add(x, y uint16) uint16 { return BF16Nearest(BF16ToF32(x) + BF16ToF32(y)) }

// BF16Sub is x - y.
func BF16Sub(x, y uint16) uint16 { return BF16Nearest(BF16ToF32(x) - BF16ToF32(y)) }

// BF16Mul is x * y.
func BF16Mul(x, y uint16) uint16 { return BF16Nearest(BF16ToF32(x) * BF16ToF32(y)) }

// BF16Div is x / y.
func BF16Div(x, y uint16) uint16 { return BF16Nearest(BF16ToF32(x) / BF16ToF32(y)) }

// BF16FMA is x*y + z, rounded once.
func BF16FMA(x, y, z uint16) uint16 {
	return BF16Nearest(ieee.FMAOdd(BF16ToF32(x), BF16ToF32(y), BF16ToF32(z)))
}

// BF16Sqrt is the square root of x.
func BF16Sqrt(x uint16) uint16 { return BF16Nearest(ieee.Sqrt(BF16ToF32(x))) }

// BF16Min is the smaller of x and y: NaN if one is, and -0 is smaller than +0.
func BF16Min(x, y uint16) uint16 { return BF16Zero(min(BF16ToF32(x), BF16ToF32(y))) }

// BF16Max is the larger of x and y: NaN if one is, and +0 is larger than -0.
func BF16Max(x, y uint16) uint16 { return BF16Zero(max(BF16ToF32(x), BF16ToF32(y))) }
