package math32

import "github.com/gridstride/gridstride/internal/math/ieee"

// pi/2 in three parts of 24 bits, the first rounded down so that -0 stays -0, and its reciprocal.
const (
	twoByPi = 0x1.45f306p-1
	piBy2A  = 0x1.921fb4p+0
	piBy2B  = 0x1.4442d2p-24
	piBy2C  = -0x1.ee59dap-50

	piBy4A = piBy2A / 2
	piBy4B = piBy2B / 2
)

// reduce is x as n*(pi/2) + high - low, as math64's.
func reduce(x float32) (n int32, high, low float32) { return reduceFrom(x, 0) }

// reduceFrom is reduce with n larger by turn, which costs nothing here.
func reduceFrom(x, turn float32) (n int32, high, low float32) {
	const limit = 0x1p16 // beyond, n*piBy2C is too large to be the last part
	t := ieee.FMA(x, twoByPi, toInteger+turn)
	m := t - (toInteger + turn)
	first := ieee.FMA(m, -piBy2A, x)
	high = first - float32(m*piBy2B) // fused it would be no number that low has bits enough for
	// The rounding errors of the product and the difference.
	low = ieee.FMA(m, piBy2C, ieee.FMA(m, piBy2B, high-first))
	n = int32(ieee.Float32bits(t))
	if !(ieee.Abs(x) < limit) {
		n, high, low = reduceLarge(x)
		n += int32(turn)
	}
	return n, high, low
}

// reduceLarge is reduce for an x of 2^16 and more, after Payne and Hanek as math64's. 62 bits of
// the product are computed, where a float32 comes no closer to a multiple of pi/2 than 2^-31.
func reduceLarge(x float32) (n int32, high, low float32) {
	pattern := ieee.Float32bits(x)
	exponent := int(pattern >> 23 & 0xff)
	if exponent == 0xff {
		return 0, x - x, 0
	}
	// |x| is m * 2^(exponent-158). The bits of 2/pi from offset on meet it below the multiples of
	// 4.
	m := uint64(pattern<<8 | 1<<31)
	offset := uint(exponent - 158 + 62)
	var a, b, c uint64 = 0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0 // 2/pi, from before the point
	if offset >= 64 {
		a, b, c = b, c, 0xdb6295993c439041
	}
	if offset >= 128 {
		a, b, c = b, c, 0xfe5163abdebbc561
	}
	shift := offset % 64
	a = a<<shift | b>>(64-shift)
	b = b<<shift | c>>(64-shift)
	product := m*a + m*(b>>32)>>32
	n = int32(product >> 62)
	fraction := int64(product << 2) // of a quadrant, signed
	if fraction < 0 {
		n++
	}
	fraction >>= 1 // the last two bits are zeros
	h := float32(fraction)
	l := float32(float32(fraction-int64(h)) * 0x1p-63)
	h = float32(h * 0x1p-63)
	f := h + l
	l = (h - f) + l
	high = float32(f * piBy2A)
	low = ieee.FMA(-f, piBy2A, high)
	low = ieee.FMA(-f, piBy2B, low)
	low = ieee.FMA(-l, piBy2A, low)
	h = high - low
	low -= high - h
	if pattern>>31 != 0 {
		return -n, -h, -low
	}
	return n, h, low
}
