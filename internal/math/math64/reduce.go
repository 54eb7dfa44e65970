package math64

import (
	"math/bits"

	"github.com/gridstride/gridstride/internal/math/ieee"
)

// pi/2 in three parts of 53 bits, and its reciprocal.
const (
	twoByPi = 0x1.45f306dc9c883p-1
	piBy2A  = 0x1.921fb54442d18p+0
	piBy2B  = 0x1.1a62633145c07p-54
	piBy2C  = -0x1.f1976b7ed8fbcp-110

	piBy4A = piBy2A / 2
	piBy4B = piBy2B / 2
)

// reduce is x as n*(pi/2) + high - low. high is pi/4 or less, except for a rounding error, and low
// is less than an ulp of it. n counts modulo 4. Of an x of -0, high is -0; of one that is not
// finite, NaN.
//
// The parts of pi/2 are after Cody and Waite, Software Manual for the Elementary Functions, 1980.
// With a fused multiplication they need no trailing zeros, and the first difference is exact
// (Boldo, Daumas and Li, Formally verified argument reduction with a fused multiply-add, 2009).
func reduce(x float64) (n int32, high, low float64) { return reduceFrom(x, 0) }

// reduceFrom is reduce with n larger by turn, which costs nothing here.
func reduceFrom(x, turn float64) (n int32, high, low float64) {
	const limit = 0x1p30 // beyond, n*piBy2C is too large to be the last part
	t := ieee.FMA(x, twoByPi, toInteger+turn)
	m := t - (toInteger + turn)
	first := ieee.FMA(m, -piBy2A, x)
	high = first - float64(m*piBy2B) // fused it would be no number that low has bits enough for
	// The rounding errors of the product and the difference.
	low = ieee.FMA(m, piBy2C, ieee.FMA(m, piBy2B, high-first))
	n = int32(ieee.Float64bits(t))
	if !(ieee.Abs(x) < limit) {
		n, high, low = reduceLarge(x)
		n += int32(turn)
	}
	return n, high, low
}

// reduceLarge is reduce for an x of 2^30 and more, by Payne and Hanek, Radian reduction for
// trigonometric functions, 1983: of the product with 2/pi only the 128 bits below the multiples of
// 4 are computed. The closest that a float64 comes to a multiple of pi/2 is 2^-61, which leaves 66
// bits (Ng, Argument reduction for huge arguments: good to the last bit, 1992).
func reduceLarge(x float64) (n int32, high, low float64) {
	pattern := ieee.Float64bits(x)
	exponent := int(pattern >> 52 & 0x7ff)
	if exponent == 0x7ff {
		return 0, x - x, 0
	}
	// |x| is m * 2^(exponent-1086). The bits of 2/pi from offset on meet it below the multiples of
	// 4.
	m := pattern<<11 | 1<<63
	offset := uint(exponent - 1086 + 62)
	word, shift := offset/64, offset%64
	a, b, c, d := twoOverPi(word)
	a = a<<shift | b>>(64-shift)
	b = b<<shift | c>>(64-shift)
	c = c<<shift | d>>(64-shift)
	bHigh, bLow := bits.Mul64(m, b)
	cHigh, _ := bits.Mul64(m, c)
	lower := bLow + cHigh
	upper := m*a + bHigh
	if lower < bLow {
		upper++
	}
	// upper has two bits of n and the fraction of a quadrant, which goes on in lower.
	n = int32(upper >> 62)
	upper = upper<<2 | lower>>62
	lower <<= 2
	n += int32(upper >> 63) // the fraction is signed from here on
	top := int64(upper) >> 1
	h := float64(top)
	l := float64(float64(top-int64(h))*0x1p-63) + float64(float64(upper<<63|lower>>1)*0x1p-127)
	h = float64(h * 0x1p-63)
	f := h + l
	l = (h - f) + l
	high = float64(f * piBy2A)
	low = ieee.FMA(-f, piBy2A, high)
	low = ieee.FMA(-f, piBy2B, low)
	low = ieee.FMA(-l, piBy2A, low)
	h = high - low
	low -= high - h
	high = h
	if pattern>>63 != 0 {
		return -n, -high, -low
	}
	return n, high, low
}

// twoOverPi is 256 bits of 2/pi, from a word up to 15. Word 0 is before the point.
func twoOverPi(word uint) (a, b, c, d uint64) {
	words := [...]uint64{
		0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
		0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
		0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
		0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
		0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
	}
	word %= 16
	return words[word], words[word+1], words[word+2], words[word+3]
}
