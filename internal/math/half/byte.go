package half

import "github.com/gridstride/gridstride/internal/math/ieee"

// The numbers of 8 bits have no arithmetic: they are read as float32, and float32 are rounded to
// them. E4M3 has four bits of exponent, three of fraction, no infinities and one NaN of each sign.
// E5M2 is the upper half of a float16 (Micikevicius et al., FP8 formats for deep learning, arXiv
// 2209.05433). A number beyond the largest becomes the largest.

// E5M2Inf is +Inf of E5M2.
const E5M2Inf = 0x7c

// ByteNaN is the number that stands for none, in both formats.
const ByteNaN = 0x7f

// The largest numbers.
const (
	E4M3Max = 448
	E5M2Max = 57344
)

// E4M3ToF32 is the value of h, exactly.
func E4M3ToF32(h uint8) float32 {
	magnitude := uint16(h & 0x7f)
	if magnitude == ByteNaN {
		return ieee.Float32frombits(0x7fffffff)
	}
	const scale = 1 << (15 - 7) // between the biases of float16 and E4M3
	return F16ToF32(uint16(h&0x80)<<8|magnitude<<7) * scale
}

// E5M2ToF32 is the value of h, exactly.
func E5M2ToF32(h uint8) float32 { return F16ToF32(uint16(h) << 8) }

// E4M3Nearest is the number nearest to x, and the largest of its sign for what is larger.
func E4M3Nearest[F ieee.Float](x F) uint8 { return e4m3(single(x)) }

// E5M2Nearest is the number nearest to x, and the largest of its sign for what is larger.
func E5M2Nearest[F ieee.Float](x F) uint8 { return e5m2(single(x)) }

func e4m3(x float32) uint8 { return roundByte(x, 3, E4M3Max) }
func e5m2(x float32) uint8 { return roundByte(x, 2, E5M2Max) }

// roundByte is the number of a format with fraction bits of fraction that is nearest to x.
func roundByte(x float32, fraction int, largest float32) uint8 {
	if x != x {
		return ByteNaN
	}
	sign := uint8(ieee.Float32bits(x) >> 24 & 0x80)
	magnitude := min(ieee.Abs(x), largest)
	bias := 1<<(6-fraction) - 1
	if b := ieee.Float32bits(magnitude); b >= uint32(127-bias+1)<<23 {
		return sign | uint8(round(b, uint32(23-fraction), nearest)-uint32(127-bias)<<fraction)
	}
	perUnit := ieee.Float32frombits(uint32(127+bias-1+fraction) << 23) // 1 / the least number
	return sign | uint8(ieee.RoundToEven(magnitude*perUnit))
}
