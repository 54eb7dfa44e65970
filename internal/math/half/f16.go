package half

import "github.com/gridstride/gridstride/internal/math/ieee"

// F16Inf is +Inf.
const F16Inf = 0x7c00

// F16ToF32 is the value of h, exactly.
//
// The exponent and the significand move to float32's places, and the product corrects the exponent,
// of subnormal numbers too (Giesen, half_to_float, 2010).
func F16ToF32(h uint16) float32 {
	b := ieee.Float32bits(ieee.Float32frombits(uint32(h&^sign)<<13) * 0x1p112)
	if h&^sign >= F16Inf {
		b |= 0x7f800000
	}
	return ieee.Float32frombits(b | uint32(h&sign)<<16)
}

// F16Nearest is the number nearest to x.
func F16Nearest[F ieee.Float](x F) uint16 { return roundF16(single(x), nearest) }

// F16Zero is x rounded towards zero.
func F16Zero[F ieee.Float](x F) uint16 { return roundF16(single(x), truncate) }

// F16Down is x rounded towards -Inf.
func F16Down[F ieee.Float](x F) uint16 { return roundF16(single(x), down(single(x))) }

// F16Up is x rounded towards +Inf.
func F16Up[F ieee.Float](x F) uint16 { return roundF16(single(x), up(single(x))) }

func roundF16(x float32, d direction) uint16 {
	const (
		infinity = 0xff << 23
		rebias   = (127 - 15) << 23
		normal   = rebias + 1<<23 // the least normal number
		largest  = F16Inf - 1
	)
	b := ieee.Float32bits(x)
	signed, magnitude := uint16(b>>16)&sign, b&^(1<<31)
	var h uint32
	switch {
	case magnitude > infinity:
		return NaN
	case magnitude == infinity:
		return signed | F16Inf
	case magnitude >= normal:
		h = round(magnitude-rebias, 13, d)
	case magnitude>>23 == 0: // far below the least subnormal number
		h = round(magnitude, 25, d)
	default: // in units of 2^-24
		h = round(magnitude&(1<<23-1)|1<<23, min(126-magnitude>>23, 25), d)
	}
	switch {
	case h < F16Inf:
		return signed | uint16(h)
	case d == truncate:
		return signed | largest
	}
	return signed | F16Inf
}

// F16Add is x + y.
func F16Add(x, y uint16) uint16 { return F16Nearest(F16ToF32(x) + F16ToF32(y)) }

// F16Sub is x - y.
func F16Sub(x, y uint16) uint16 { return F16Nearest(F16ToF32(x) - F16ToF32(y)) }

// F16Mul is x * y.
func F16Mul(x, y uint16) uint16 { return F16Nearest(F16ToF32(x) * F16ToF32(y)) }

// F16Div is x / y.
func F16Div(x, y uint16) uint16 { return F16Nearest(F16ToF32(x) / F16ToF32(y)) }

// F16FMA is x*y + z, rounded once.
func F16FMA(x, y, z uint16) uint16 {
	return F16Nearest(ieee.FMAOdd(F16ToF32(x), F16ToF32(y), F16ToF32(z)))
}

// F16Sqrt is the square root of x.
func F16Sqrt(x uint16) uint16 { return F16Nearest(ieee.Sqrt(F16ToF32(x))) }

// F16Min is the smaller of x and y: NaN if one is, and -0 is smaller than +0.
func F16Min(x, y uint16) uint16 { return F16Nearest(min(F16ToF32(x), F16ToF32(y))) }

// F16Max is the larger of x and y: NaN if one is, and +0 is larger than -0.
func F16Max(x, y uint16) uint16 { return F16Nearest(max(F16ToF32(x), F16ToF32(y))) }
