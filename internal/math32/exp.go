package math32

import "github.com/gridstride/gridstride/internal/ieee"

// ln2 in two parts. A multiple of the first by an exponent is exact.
const (
	log2E = 0x1.715476p+0
	ln2Hi = 0x1.62e400p-1
	ln2Lo = 0x1.7f7d1cp-20
)

// toInteger added to a number of less than 2^22 leaves the nearest integer in the low bits.
const toInteger = 0x1.8p23

// Exp is e to the power of x, computed as math64.Exp is.
func Exp(x float32) float32 {
	const (
		overflow  = 0x1.62e42ep+6  // the largest x whose result is finite
		underflow = -0x1.9fe368p+6 // the least x whose result is not 0
	)
	if !(x <= overflow && x >= underflow) {
		switch {
		case x > overflow:
			return ieee.Inf[float32](1)
		case x < underflow:
			return 0
		}
		return x
	}
	t := ieee.FMA[float32](x, log2E, toInteger)
	n := t - toInteger
	r := ieee.FMA(n, -ln2Lo, ieee.FMA(n, -ln2Hi, x))
	p := float32(0x1.6850fp-10)
	p = ieee.FMA(p, r, 0x1.123bcep-7)
	p = ieee.FMA(p, r, 0x1.555b98p-5)
	p = ieee.FMA(p, r, 0x1.55548ep-3)
	p = ieee.FMA(p, r, 0x1.fffff8p-2)
	p = ieee.FMA(p, r, 1)
	p = ieee.FMA(p, r, 1)
	return scale(p, int32(ieee.Float32bits(t)<<10)>>10)
}

// scale is x * 2^n, for x from 1/2 to 2 and n from -150 to 128. It rounds once, where the result is
// subnormal.
func scale(x float32, n int32) float32 {
	half := n / 2
	return x * pow2(half) * pow2(n-half)
}

// pow2 is 2^n, for n from -126 to 127.
func pow2(n int32) float32 { return ieee.Float32frombits(uint32(n+127) << 23) }
